// Says what TypeScript and JavaScript files declare, and what of it others can
// use.
//
// It is run as the body of a function of `asked` (the files), `require` and
// `parser` (the path of the parser and its digest), and gives the answer. What is
// read is parsed; nothing of it is run, and no file is opened but the parser.
"use strict";

const fs = require("fs"), crypto = require("crypto"), vm = require("vm");

const ts = load(parser.path, parser.digest);
const K = ts.SyntaxKind;
const LONG = 200;          // what is longer is spelled by its digest: a value,
const LARGE = 64 << 10;    // a declaration
const ROOM = 32 << 20;     // for all declarations of a file

// load evaluates the very bytes whose digest was compared.
function load(path, digest) {
  const bytes = fs.readFileSync(path);
  if (crypto.createHash("sha256").update(bytes).digest("hex") !== digest)
    throw new Error(path + " is another one than when it was found");
  const module = { exports: {} };
  const run = vm.compileFunction(bytes.toString(), ["module", "exports", "require", "__filename", "__dirname"], { filename: path });
  run(module, module.exports, require, path, path.replace(/[^/\\]*$/, ""));
  if (typeof module.exports.createSourceFile !== "function") throw new Error(path + " has no parser that a script can call");
  return module.exports;
}

const digest = (text) => crypto.createHash("sha256").update(text).digest("hex").slice(0, 12);
const short = (text) => text.length > LONG ? text.slice(0, 40) + "... " + digest(text) : text;
const member = (Text = "", Value = "", Asked = false) => ({ Text, Value, Asked });
const marked = (node, kind) => (node.modifiers || []).some((m) => m.kind === kind);
const exported = (node) => marked(node, K.ExportKeyword);
const isFunction = (node) => [K.FunctionDeclaration, K.FunctionExpression, K.ArrowFunction, K.MethodDeclaration,
  K.GetAccessor, K.SetAccessor, K.Constructor].includes(node.kind);
const isClass = (node) => node.kind === K.ClassDeclaration || node.kind === K.ClassExpression;

// bare is an expression without what changes neither its value nor its shape.
function bare(node) {
  while (node && [K.ParenthesizedExpression, K.SatisfiesExpression, K.NonNullExpression].includes(node.kind)) node = node.expression;
  if (node && node.kind === K.CallExpression && node.arguments.length === 1 && plain(node.expression) === "Object.freeze")
    return bare(node.arguments[0]);
  return node;
}

// plain is a name with points as it stands; "" for all else.
function plain(node) {
  if (!node) return "";
  if (node.kind === K.Identifier) return node.text;
  if (node.kind === K.ThisKeyword) return "this";
  if (node.kind !== K.PropertyAccessExpression) return "";
  const left = plain(node.expression);
  return left && left + "." + node.name.text;
}

// A Speller writes types, values and bodies so that two spellings are the same
// where only layout, comments, quotes or names that nobody can give differ.
class Speller {
  constructor(file, typed, refer) {
    this.file = file; this.typed = typed; this.refer = refer;
    this.bound = []; // type parameters that are in scope, innermost last
  }

  // tokens is a node word by word. Bodies that nobody sees are left out.
  tokens(node, hide) {
    const out = [];
    const go = (n) => {
      if (hide && isFunction(n) && n.body) {
        const [result, sure] = this.result(n);
        if (hide === "all" || sure) {
          ts.forEachChild(n, (c) => { if (c !== n.body) go(c); });
          out.push("=>", sure ? result : "");
          return;
        }
      }
      const children = n.getChildren(this.file);
      if (children.length === 0) {
        if (n.kind >= K.FirstJSDocNode && n.kind <= K.LastJSDocNode) return;
        const text = n.kind === K.StringLiteral || n.kind === K.NoSubstitutionTemplateLiteral ? JSON.stringify(n.text) : n.getText(this.file);
        if (text && text !== ";") out.push(text);
        return;
      }
      for (const c of children) if (!(c.kind >= K.FirstJSDocNode && c.kind <= K.LastJSDocNode)) go(c);
    };
    go(node);
    return out.filter((t, i) => t !== "," || ![")", "]", "}"].includes(out[i + 1])).join(" ");
  }

  // scoped spells with type parameters that go by their place.
  scoped(params, spell) {
    const before = this.bound.length;
    for (const p of params || []) this.bound.push(p.name.text);
    const list = (params || []).map((p) => this.typeParam(p));
    const text = spell(list.length ? "<" + list.join(", ") + ">" : "");
    this.bound.length = before;
    return text;
  }

  typeParam(p) {
    const marks = (p.modifiers || []).map((m) => ts.tokenToString(m.kind) + " ").join("");
    return marks + this.name(p.name) + (p.constraint ? " extends " + this.type(p.constraint) : "") + (p.default ? " = " + this.type(p.default) : "");
  }

  name(id) {
    if (id.kind === K.QualifiedName) return this.name(id.left) + "." + id.right.text;
    if (id.kind === K.PropertyAccessExpression) return this.name(id.expression) + "." + id.name.text;
    if (id.kind !== K.Identifier) return this.tokens(id);
    const at = this.bound.lastIndexOf(id.text);
    if (at >= 0) return "$" + at;
    this.refer(id.text);
    return id.text;
  }

  args(list) { return list && list.length ? "<" + list.map((t) => this.type(t)).join(", ") + ">" : ""; }

  type(node) {
    switch (node.kind) {
      case K.ParenthesizedType: return this.type(node.type);
      case K.TypeReference: case K.ExpressionWithTypeArguments:
        return this.name(node.typeName || node.expression) + this.args(node.typeArguments);
      case K.ArrayType: return "Array<" + this.type(node.elementType) + ">";
      case K.UnionType: case K.IntersectionType: {
        const parts = [...new Set(node.types.map((t) => this.type(t)))];
        if (node.kind === K.UnionType) parts.sort();
        return parts.length === 1 ? parts[0] : "(" + parts.join(node.kind === K.UnionType ? " | " : " & ") + ")";
      }
      case K.FunctionType: return "(" + this.signature(node) + ")";
      case K.ConstructorType: return "(" + (marked(node, K.AbstractKeyword) ? "abstract " : "") + "new " + this.signature(node) + ")";
      case K.TypeLiteral: {
        const all = this.members(node.members);
        return "{" + Object.keys(all).sort().map((k) => k + " " + all[k].Text).join("; ") + "}";
      }
      case K.LiteralType:
        return node.literal.kind === K.StringLiteral ? JSON.stringify(node.literal.text) : this.tokens(node.literal);
      case K.TypeQuery: return "(typeof " + this.name(node.exprName) + this.args(node.typeArguments) + ")";
      case K.TypeOperator:
        if (node.operator === K.ReadonlyKeyword && node.type.kind === K.ArrayType) return "ReadonlyArray<" + this.type(node.type.elementType) + ">";
        return "(" + ts.tokenToString(node.operator) + " " + this.type(node.type) + ")";
      case K.TupleType: return "[" + node.elements.map((e) => this.type(e)).join(", ") + "]";
      case K.NamedTupleMember:
        return (node.dotDotDotToken ? "..." : "") + this.type(node.type) + (node.questionToken ? "?" : "");
      case K.OptionalType: return this.type(node.type) + "?";
      case K.RestType: return "..." + this.type(node.type);
      case K.IndexedAccessType: return this.type(node.objectType) + "[" + this.type(node.indexType) + "]";
      case K.TypePredicate: return this.tokens(node);
    }
    const find = (n) => { // what else is named in it
      if (n.kind === K.TypeReference || n.kind === K.TypeQuery) this.name(leftmost(n.typeName || n.exprName));
      ts.forEachChild(n, find);
    };
    find(node);
    const text = this.tokens(node);
    return /^[\w$.]*$/.test(text) ? text : "(" + text + ")";
  }

  // declared is the type that is written at a node; null where there is none.
  declared(node) { return this.typed && node.type ? this.type(node.type) : null; }

  // parameters are those that a caller gives, by their place.
  parameters(node) {
    const out = {};
    let place = 0;
    for (const p of node.parameters) {
      const type = this.declared(p);
      if (p.name.kind === K.Identifier && p.name.text === "this") { out["parameter this"] = member(type || ""); continue; }
      const text = type !== null ? type : p.name.kind === K.Identifier ? (p.initializer && this.typed ? this.shape(p.initializer)[0] : "") : this.pattern(p.name);
      if (p.dotDotDotToken) { out["parameter ..."] = member(text); continue; }
      out["parameter #" + place++] = member(text, p.initializer ? "= " + short(this.tokens(p.initializer, "all")) : "",
        !p.questionToken && !p.initializer && !this.optional(p));
    }
    return out;
  }

  // optional is whether the comment of a JavaScript function says that one need not be given.
  optional(p) {
    if (this.typed) return false;
    return ts.getJSDocParameterTags(p).some((t) => t.isBracketed || t.typeExpression && t.typeExpression.type.kind === K.JSDocOptionalType);
  }

  // pattern is what is taken out of an argument.
  pattern(node) {
    if (node.kind === K.Identifier) return "";
    const parts = node.elements.map((e) => {
      if (!e.name) return "";
      if (node.kind === K.ArrayBindingPattern) return this.pattern(e.name);
      if (e.dotDotDotToken) return "...";
      const inner = this.pattern(e.name);
      return (e.propertyName || e.name).getText(this.file) + (e.initializer ? "?" : "") + (inner ? ": " + inner : "");
    });
    return node.kind === K.ArrayBindingPattern ? "[" + parts.join(", ") + "]" : "{" + parts.sort().join(", ") + "}";
  }

  signature(node) { return this.signed(node)[0]; }

  // signed is a signature, and whether all of it shows.
  signed(node) {
    return this.scoped(node.typeParameters, (params) => {
      const all = this.parameters(node);
      const list = Object.keys(all).map((k) => (k.endsWith("...") ? "..." : k.endsWith("this") ? "this " : "") + all[k].Text + (all[k].Asked || k.endsWith("...") ? "" : "?"));
      const [result, sure] = this.result(node);
      return [params + "(" + list.join(", ") + ") => " + result, sure];
    });
  }

  // result is what a function gives, and whether that shows.
  result(node) {
    if (!this.typed) return [(marked(node, K.AsyncKeyword) ? "async" : "") + (node.asteriskToken ? "*" : ""), true];
    if (node.type) return [this.type(node.type), true];
    if (node.kind === K.SetAccessor || node.kind === K.Constructor) return ["", true];
    if (!node.body) return ["any", true];
    if (node.asteriskToken) return ["", false];
    let sure = true;
    const shapes = new Set();
    const note = (x) => { const [text, known] = this.shape(x); shapes.add(text); sure = sure && known; };
    const go = (n) => {
      if (!sure || isFunction(n) || isClass(n)) return;
      if (n.kind === K.ReturnStatement && n.expression) note(n.expression);
      ts.forEachChild(n, go);
    };
    if (node.body.kind === K.Block) go(node.body); else note(node.body);
    if (!sure) return ["", false];
    const text = shapes.size === 0 ? "void" : [...shapes].sort().join(" | ");
    return [marked(node, K.AsyncKeyword) ? "Promise<" + text + ">" : text, true];
  }

  // shape is the type that the spelling of a value shows, and whether it does.
  shape(node) {
    node = bare(node);
    switch (node.kind) {
      case K.StringLiteral: case K.NoSubstitutionTemplateLiteral: case K.TemplateExpression: case K.TypeOfExpression: return ["string", true];
      case K.NumericLiteral: return ["number", true];
      case K.BigIntLiteral: return ["bigint", true];
      case K.TrueKeyword: case K.FalseKeyword: case K.DeleteExpression: return ["boolean", true];
      case K.NullKeyword: return ["null", true];
      case K.VoidExpression: return ["undefined", true];
      case K.Identifier: return node.text === "undefined" ? ["undefined", true] : ["", false];
      case K.RegularExpressionLiteral: return ["RegExp", true];
      case K.JsxElement: case K.JsxSelfClosingElement: case K.JsxFragment: return ["JSX.Element", true];
      case K.PrefixUnaryExpression:
        return node.operator === K.ExclamationToken ? ["boolean", true] : this.shape(node.operand);
      case K.BinaryExpression:
        return [K.EqualsEqualsToken, K.EqualsEqualsEqualsToken, K.ExclamationEqualsToken, K.ExclamationEqualsEqualsToken, K.LessThanToken,
          K.GreaterThanToken, K.LessThanEqualsToken, K.GreaterThanEqualsToken, K.InKeyword, K.InstanceOfKeyword].includes(node.operatorToken.kind) ? ["boolean", true] : ["", false];
      case K.AsExpression: case K.TypeAssertionExpression:
        return this.tokens(node.type) === "const" ? ["", false] : [this.type(node.type), true];
      case K.NewExpression: {
        const name = plain(node.expression);
        return name ? [this.name(node.expression) + this.args(node.typeArguments), true] : ["", false];
      }
      case K.ConditionalExpression: return this.either([node.whenTrue, node.whenFalse]);
      case K.ArrayLiteralExpression: {
        const [text, sure] = this.either(node.elements);
        return sure ? ["Array<" + text + ">", true] : ["", false];
      }
      case K.ObjectLiteralExpression: {
        const [members, sure] = this.object(node);
        return sure ? ["{" + Object.keys(members).sort().map((k) => k + " " + members[k].Text).join("; ") + "}", true] : ["", false];
      }
      case K.ArrowFunction: case K.FunctionExpression: {
        const [text, sure] = this.signed(node);
        return sure ? ["(" + text + ")", true] : ["", false];
      }
    }
    return ["", false];
  }

  either(nodes) {
    const all = nodes.map((n) => this.shape(n));
    return [[...new Set(all.map(([text]) => text))].sort().join(" | "), all.every(([, sure]) => sure)];
  }

  // object is what a literal of an object has, and whether that is all.
  object(node) {
    const out = {};
    let sure = true;
    for (const p of node.properties) {
      const name = p.name && this.key(p.name);
      if (!name) { sure = false; continue; }
      let text = "", known = true;
      if (p.kind === K.PropertyAssignment) [text, known] = this.shape(p.initializer);
      else if (p.kind === K.MethodDeclaration) [text, known] = this.signed(p);
      else if (p.kind === K.ShorthandPropertyAssignment) known = false;
      else known = !this.typed || !!p.type;
      if (!known) { text = ""; sure = sure && !this.typed; }
      out["property " + name] = member(text);
    }
    return [out, sure];
  }

  // key is the name of a member; "" for one that is computed.
  key(name) {
    switch (name.kind) {
      case K.Identifier: case K.PrivateIdentifier: case K.NumericLiteral: case K.StringLiteral: case K.NoSubstitutionTemplateLiteral: return name.text;
      case K.ComputedPropertyName: {
        const known = plain(name.expression);
        return known.startsWith("Symbol.") ? "[" + known + "]" : name.expression.kind === K.StringLiteral ? name.expression.text : known ? "[" + known + "]" : "";
      }
    }
    return "";
  }

  // members are those of an interface: whoever writes one has to bring them.
  members(list) {
    const out = {};
    const put = (k, text, asked) => { out[k] = member(out[k] ? out[k].Text + " & " + text : text, "", asked); };
    for (const m of list) {
      const mark = m.questionToken ? "?" : "", name = m.name ? this.key(m.name) || this.tokens(m.name) : "";
      switch (m.kind) {
        case K.PropertySignature: put("property " + name, (marked(m, K.ReadonlyKeyword) ? "readonly " : "") + mark + (m.type ? this.type(m.type) : "any"), !mark); break;
        case K.MethodSignature: put("method " + name, mark + this.signature(m), !mark); break;
        case K.GetAccessor: put("property " + name, "get " + (m.type ? this.type(m.type) : "any"), true); break;
        case K.SetAccessor: put("property " + name + " set", Object.values(this.parameters(m)).map((p) => p.Text).join(), true); break;
        case K.CallSignature: put("call", this.signature(m), true); break;
        case K.ConstructSignature: put("new", this.signature(m), true); break;
        case K.IndexSignature: put("index", this.tokens(m), true); break;
      }
    }
    return out;
  }
}

function leftmost(name) {
  while (name.kind === K.QualifiedName) name = name.left;
  return name;
}

// A Module is one file.
class Module {
  constructor(path, file, typed) {
    this.file = file; this.typed = typed;
    this.symbols = []; this.decls = []; this.unsaid = [];
    this.texts = new Map(); this.named = new Set(); this.room = ROOM;
    this.inferred = new Map();
    this.stem = path.replace(/(\.d)?\.[^./]*$/, "") + ".";
    this.ambient = /\.d\.[mc]?ts$/.test(path);
    const folders = path.split("/"), base = folders.pop();
    this.offers = !/\.(test|spec)\.[^.]*$/.test(base) &&
      !folders.some((f) => ["test", "tests", "__tests__", "__mocks__", "testdata", "node_modules"].includes(f));
    this.locals = new Map();  // by name, the declarations of the module
    this.offered = new Map(); // what of them was offered, by the names under which it was
    this.waiting = [];
    this.spell = new Speller(file, typed, (name) => this.refer(name));
    this.commonJS = /\.c[jt]s$/.test(path) || !typed && !file.externalModuleIndicator && !/\.mjs$/.test(path) && mentions(file, ["require", "exports", "module"]);
    this.script = !file.externalModuleIndicator && !this.commonJS && !/\.m[jt]s$/.test(path) && !file.text.startsWith("#!");
  }

  // refer notes that what is offered names a declaration of the module, so that
  // users depend on it.
  refer(name) { if (this.locals.has(name)) this.waiting.push([name, name]); }

  read() {
    for (const s of this.file.statements) this.declare(s, "", this.locals);
    this.prototypes();
    if (this.offers) {
      this.exports();
      if (this.commonJS || !this.typed) this.assigned();
      while (this.waiting.length) {
        const [name, as] = this.waiting.pop();
        const names = this.offered.get(name) || new Set();
        if (names.has(as) || name === as && names.size) continue; // it is offered, perhaps by another name
        this.offered.set(name, names.add(as));
        const decls = this.locals.get(name) || [];
        const overloaded = this.typed && decls.some((d) => d.node.kind === K.FunctionDeclaration && !d.node.body);
        for (const d of decls) if (!overloaded || !d.node.body || d.node.kind !== K.FunctionDeclaration) this.offer(as, d);
      }
      if (this.commonJS && !this.typed && this.decls.length) this.decls.push({ name: this.stem.slice(0, -1), kind: "CommonJS module", line: 1 });
    }
    return { symbols: this.symbols, decls: this.decls, unsaid: this.unsaid };
  }

  line(node) { return this.file.getLineAndCharacterOfPosition(node.getStart(this.file)).line + 1; }

  // text is a declaration with the comment that stands right above it.
  text(node) {
    const all = this.file.text;
    let begin = node.getStart(this.file);
    const comments = ts.getLeadingCommentRanges(all, node.getFullStart()) || [];
    for (const c of comments.reverse()) {
      if (c.end > begin || (all.slice(c.end, begin).match(/\n/g) || []).length > 1) break;
      begin = c.pos;
    }
    const text = all.slice(begin, node.getEnd()).replace(/\r\n/g, "\n");
    return text.length > LARGE ? text.slice(0, LONG) + "... " + digest(text) : text;
  }

  symbol(name, node, whole = node) {
    if (!this.texts.has(whole)) this.texts.set(whole, this.text(whole));
    const text = this.texts.get(whole);
    if ((this.room -= text.length) < 0) throw new Error("it declares too much");
    this.named.add(name);
    this.symbols.push({ name: this.stem + name, line: this.line(node), text });
  }

  decl(name, node, kind, d = {}) {
    this.decls.push({ name: this.stem + name, kind, text: d.text || "", value: d.value || "", members: d.members || null,
      unsaid: d.unsaid || "", line: this.line(node) });
  }

  // declare notes what a statement declares, as symbols and among the locals of
  // the module or of a namespace.
  declare(s, prefix, locals) {
    const local = (name, d) => locals.has(name) ? locals.get(name).push(d) : locals.set(name, [d]);
    switch (s.kind) {
      case K.FunctionDeclaration: case K.ClassDeclaration: case K.InterfaceDeclaration: case K.TypeAliasDeclaration: case K.EnumDeclaration: {
        const name = s.name ? s.name.text : "default";
        this.symbol(prefix + name, s.name || s, s);
        local(name, { node: s });
        if (isClass(s)) this.inner(s, prefix + name + ".");
        if (s.kind === K.EnumDeclaration) for (const m of s.members) this.symbol(prefix + name + "." + this.spell.key(m.name), m);
        return;
      }
      case K.VariableStatement:
        for (const v of s.declarationList.declarations) this.variable(v, s, prefix, local);
        return;
      case K.ModuleDeclaration: {
        const name = s.name.kind === K.StringLiteral ? JSON.stringify(s.name.text) : s.name.text;
        this.symbol(prefix + name, s.name, s);
        const space = new Map();
        let body = s.body;
        if (body && body.kind === K.ModuleDeclaration) this.declare(body, prefix + name + ".", space);
        for (const t of body && body.statements || []) this.declare(t, prefix + name + ".", space);
        local(name, { node: s, space, ambient: this.ambient || marked(s, K.DeclareKeyword) });
        return;
      }
      case K.ImportEqualsDeclaration:
        local(s.name.text, { node: s });
        return;
      case K.ImportDeclaration: {
        const c = s.importClause, from = s.moduleSpecifier.text;
        if (!c) return;
        if (c.name) local(c.name.text, { node: s, from: from + " default" });
        if (c.namedBindings && c.namedBindings.elements)
          for (const e of c.namedBindings.elements) local(e.name.text, { node: s, from: from + " " + (e.propertyName || e.name).text });
        else if (c.namedBindings) local(c.namedBindings.name.text, { node: s, from: from + " *" });
        return;
      }
      case K.ExportAssignment:
        if (bare(s.expression).kind !== K.Identifier) this.symbol("default", s);
        return;
      case K.ExportDeclaration:
        if (s.exportClause && s.exportClause.elements) {
          for (const e of s.exportClause.elements)
            if (s.moduleSpecifier || e.propertyName && e.name.text !== "default") this.symbol(prefix + e.name.text, e, s);
        } else if (s.exportClause) this.symbol(prefix + s.exportClause.name.text, s);
        return;
    }
  }

  variable(v, s, prefix, local) {
    const names = (n) => n.kind === K.Identifier ? [n] : n.elements.flatMap((e) => e.name ? names(e.name) : []);
    for (const id of names(v.name)) {
      this.symbol(prefix + id.text, id, s);
      local(id.text, { node: v, destructured: v.name !== id && id });
    }
    const x = v.initializer && bare(v.initializer);
    if (x && isClass(x) && v.name.kind === K.Identifier) this.inner(x, prefix + v.name.text + ".");
  }

  // inner notes the members of a class as symbols.
  inner(node, prefix) {
    for (const m of node.members) {
      const name = m.kind === K.Constructor ? "constructor" : m.name && this.spell.key(m.name);
      if (name) this.symbol(prefix + name, m);
      if (m.kind === K.Constructor)
        for (const p of m.parameters) if ((p.modifiers || []).length && p.name.kind === K.Identifier) this.symbol(prefix + p.name.text, p);
    }
  }

  // prototypes notes what is put on functions and classes after they were declared.
  prototypes() {
    for (const s of this.file.statements) {
      const [left, right] = assignment(s);
      const parts = plain(left).split(".");
      const at = parts[1] === "prototype" ? 2 : 1;
      if (!right || parts.length !== at + 1 || !this.locals.has(parts[0])) continue;
      const of = this.locals.get(parts[0]);
      if (of[0].from) continue;
      const name = parts[0] + "." + parts[at];
      this.symbol(name, s);
      of.push({ node: s, put: parts[at], value: right, fixed: at === 1 });
    }
  }

  // exports finds what the module says to export.
  exports() {
    const all = this.script || this.ambient && !this.file.statements.some((s) => s.kind === K.ExportDeclaration || s.kind === K.ExportAssignment);
    const declared = new Map(); // the names that statements declare
    for (const [name, decls] of this.locals) for (const d of decls) {
      const s = d.node.kind === K.VariableDeclaration ? d.node.parent.parent : d.node;
      if (d.from || d.put) continue;
      if (declared.has(s)) declared.get(s).add(name); else declared.set(s, new Set([name]));
    }
    for (const s of this.file.statements) {
      switch (s.kind) {
        case K.ExportAssignment: this.value("default", s.expression, s); continue;
        case K.ExportDeclaration: this.listed(s); continue;
        case K.ModuleDeclaration:
          if (s.name.kind === K.StringLiteral || s.name.text === "global") {
            const name = s.name.kind === K.StringLiteral ? JSON.stringify(s.name.text) : "global";
            this.waiting.push([name, name]);
            continue;
          }
      }
      if (!all && !exported(s)) continue;
      const as = marked(s, K.DefaultKeyword) ? "default" : "";
      for (const name of declared.get(s) || []) this.waiting.push([name, as || name]);
    }
  }

  // listed notes what is exported by name, of this file or of another.
  listed(s) {
    const from = s.moduleSpecifier && s.moduleSpecifier.text;
    if (!s.exportClause) { this.unsaid.push("all of " + from); return; }
    if (!s.exportClause.elements) { this.decl(s.exportClause.name.text, s, "", { unsaid: from + " *" }); return; }
    for (const e of s.exportClause.elements) {
      const name = (e.propertyName || e.name).text;
      if (from) this.decl(e.name.text, e, "", { unsaid: from + " " + name });
      else if (this.locals.has(name)) this.waiting.push([name, e.name.text]);
      else this.decl(e.name.text, e, "", { unsaid: name });
    }
  }

  // assigned finds what CommonJS exports, and what is put where everybody sees it.
  assigned() {
    const understood = new Set();
    for (const s of this.file.statements) {
      const names = [];
      let [left, right] = assignment(s);
      while (left && right) {
        names.push([plain(left), left]);
        const next = right.kind === K.BinaryExpression && right.operatorToken.kind === K.EqualsToken ? right : null;
        if (!next) break;
        left = next.left; right = next.right;
      }
      if (!names.length || !this.commonJS) continue;
      for (const [name, at] of names) {
        const to = /^(?:module\.)?exports(?:\.([^.]+))?$/.exec(name);
        if (!to) continue;
        understood.add(at);
        if (name === "exports") continue; // an alias
        if (to[1]) { if (bare(right).kind !== K.VoidExpression) this.put(to[1], right, s); }
        else this.whole(right, s);
      }
    }
    for (const s of this.file.statements) {
      let hidden = false;
      const go = (n) => {
        if (hidden || understood.has(n)) return;
        if (this.commonJS && n.kind === K.Identifier && n.text === "exports" && !isMember(n) && !reading(n)) hidden = true;
        if (this.commonJS && plain(n) === "module.exports" && !reading(n)) hidden = true;
        if (n.kind === K.BinaryExpression && n.operatorToken.kind === K.EqualsToken && /^(window|globalThis|self|global)\./.test(plain(n.left))) hidden = true;
        if (plain(n) !== "module.exports") ts.forEachChild(n, go);
      };
      if (!/^Object\.defineProperty\(exports, "__esModule"/.test(s.getText(this.file))) go(s);
      if (hidden) this.unsaid.push("by a statement: " + digest(this.spell.tokens(s)));
    }
  }

  // whole is what module.exports is set to.
  whole(value, s) {
    const x = bare(value);
    if (x.kind !== K.ObjectLiteralExpression) { this.value("default", value, s); return; }
    for (const p of x.properties) {
      const name = p.name && this.spell.key(p.name);
      if (!name) this.unsaid.push("in module.exports: " + digest(this.spell.tokens(p)));
      else if (p.kind === K.ShorthandPropertyAssignment) this.put(name, p.name, p);
      else if (p.kind === K.PropertyAssignment) this.put(name, p.initializer, p);
      else if (p.kind === K.MethodDeclaration) { this.symbolOnce(name, p); this.functionDecl(name, p, p); }
      else { this.symbolOnce(name, p); this.decl(name, p, "", { unsaid: digest(this.spell.tokens(p)) }); }
    }
  }

  put(name, value, at) {
    const x = bare(value);
    if (x.kind !== K.Identifier || x.text !== name) this.symbolOnce(name, at);
    this.value(name, value, at);
  }

  symbolOnce(name, node) { if (!this.named.has(name)) this.symbol(name, node); }

  // value offers a value under a name.
  value(name, value, at) {
    const x = bare(value);
    if (x.kind === K.Identifier && this.locals.has(x.text)) { this.waiting.push([x.text, name]); return; }
    this.constant(name, at, x, null, "constant");
  }

  // offer says what others see of a declaration.
  offer(name, d) {
    const n = d.node;
    if (d.from) return this.decl(name, n, "", { unsaid: d.from });
    if (d.put) return this.constant(name + "." + d.put, n, bare(d.value), null, "property", d.fixed ? "static" : "");
    if (d.destructured) return this.decl(name, d.destructured, kindOf(n), { unsaid: this.unsure(n) });
    switch (n.kind) {
      case K.FunctionDeclaration: return this.functionDecl(name, n, n);
      case K.ClassDeclaration: return this.klass(name, n, n);
      case K.InterfaceDeclaration: return this.interface(name, n);
      case K.TypeAliasDeclaration: return this.alias(name, n);
      case K.EnumDeclaration: return this.enum(name, n);
      case K.ModuleDeclaration: return this.namespace(name, n, d);
      case K.VariableDeclaration: return this.constant(name, n, n.initializer && bare(n.initializer), n.type, kindOf(n));
    }
    this.decl(name, n, "", { unsaid: digest(this.spell.tokens(n)) });
  }

  // unsure is what a type is inferred from. In JavaScript types bind nobody.
  unsure(node) {
    if (!this.typed) return "?";
    if (!this.inferred.has(node)) this.inferred.set(node, "inferred " + digest(this.spell.tokens(node, "sure")));
    return this.inferred.get(node);
  }

  functionDecl(name, at, n, kind = "function") {
    this.spell.scoped(n.typeParameters, (params) => {
      const members = this.spell.parameters(n), [result, sure] = this.spell.result(n);
      this.decl(name, at, kind, { text: (params + " " + result).trim(), members, unsaid: sure ? "" : this.unsure(n.body) });
    });
  }

  constant(name, at, x, type, kind, text = "") {
    const typed = type && this.typed ? this.spell.type(type) : null;
    if (x && typed === null && isClass(x)) return this.klass(name, at, x);
    if (x && typed === null && (x.kind === K.ArrowFunction || x.kind === K.FunctionExpression))
      return this.functionDecl(name, at, x, kind === "property" ? "method" : "function");
    const value = x ? short(this.spell.tokens(x, "all")) : "";
    if (x && typed === null && x.kind === K.ObjectLiteralExpression) {
      const [members, sure] = this.spell.object(x);
      return this.decl(name, at, kind, { text, members, unsaid: sure ? "" : this.unsure(x) });
    }
    let [shape, sure] = typed !== null ? [typed, true] : x ? this.spell.shape(x) : ["any", true];
    this.decl(name, at, kind, { text: (text + " " + (sure ? shape : "")).trim(), value, unsaid: sure ? "" : this.unsure(x) });
  }

  klass(name, at, n) {
    this.spell.scoped(n.typeParameters, (params) => {
      const members = {};
      for (const h of n.heritageClauses || []) {
        const word = h.token === K.ExtendsKeyword ? "extends " : "implements ";
        for (const t of h.types) members[word + (plain(t.expression) ? this.spell.type(t) : short(this.spell.tokens(t)))] = member();
      }
      const made = n.members.filter((m) => m.kind === K.Constructor);
      let text = (marked(n, K.AbstractKeyword) ? "abstract" : "") + params;
      if (made.some((m) => marked(m, K.PrivateKeyword))) text += " private constructor";
      else if (made.some((m) => marked(m, K.ProtectedKeyword))) text += " protected constructor";
      if (!text.includes("private") && made.length > 1) text += " made by " + made.filter((m) => !m.body).map((m) => this.spell.signature(m)).sort().join(" & ");
      else if (!text.includes("private") && made.length) Object.assign(members, this.spell.parameters(made[0]));
      for (const m of n.members)
        if (m.name && marked(m, K.AbstractKeyword)) members["abstract " + this.spell.key(m.name)] = member("", "", true);
      this.decl(name, at, "class", { text: text.trim(), members });
      this.members(name + ".", n);
    });
  }

  // members offers those of a class that are not private.
  members(prefix, n) {
    const accessors = new Map(), overloaded = new Set();
    if (this.typed) for (const m of n.members) if (m.kind === K.MethodDeclaration && !m.body) overloaded.add(this.spell.key(m.name));
    for (const m of n.members) {
      if (marked(m, K.PrivateKeyword) || m.name && m.name.kind === K.PrivateIdentifier) continue;
      if (m.kind === K.Constructor) {
        for (const p of m.parameters)
          if ((p.modifiers || []).length && !marked(p, K.PrivateKeyword) && p.name.kind === K.Identifier) this.property(prefix + p.name.text, p, p.initializer);
        continue;
      }
      if (m.kind === K.IndexSignature) { this.decl(prefix + "[]", m, "index", { text: this.spell.tokens(m) }); continue; }
      const key = m.name && this.spell.key(m.name);
      if (!key) { if (m.name) this.decl(prefix + "[]", m, "member", { text: short(this.spell.tokens(m.name)) }); continue; }
      const kind = (marked(m, K.ProtectedKeyword) ? "protected " : "") + (marked(m, K.StaticKeyword) ? "static " : "");
      switch (m.kind) {
        case K.MethodDeclaration:
          if (!m.body || !overloaded.has(key)) this.functionDecl(prefix + key, m, m, kind + "method");
          break;
        case K.GetAccessor: case K.SetAccessor: {
          const both = accessors.get(kind + key) || {};
          both[m.kind] = m;
          accessors.set(kind + key, both);
          both.name = prefix + key; both.kind = kind + "property";
          break;
        }
        case K.PropertyDeclaration: this.property(prefix + key, m, m.initializer, kind);
      }
    }
    for (const a of accessors.values()) {
      const get = a[K.GetAccessor], set = a[K.SetAccessor], members = {};
      if (set) members.writable = member();
      if (get) members.readable = member();
      const [text, sure] = get ? this.spell.result(get) : [this.spell.declared(set.parameters[0] || set) || "", true];
      this.decl(a.name, get || set, a.kind, { text, members, unsaid: sure ? "" : this.unsure(get.body) });
    }
  }

  property(name, m, x, kind = marked(m, K.ProtectedKeyword) ? "protected " : "") {
    x = x && bare(x);
    if (x && !m.type && x.kind === K.ArrowFunction) return this.functionDecl(name, m, x, kind + "method");
    const type = this.spell.declared(m);
    const [shape, sure] = type !== null ? [type, true] : !this.typed ? ["", true] : x ? this.spell.shape(x) : ["any", true];
    const members = { readable: member() };
    if (!marked(m, K.ReadonlyKeyword)) members.writable = member();
    this.decl(name, m, kind + "property", { text: (m.questionToken && m.kind === K.PropertyDeclaration ? "?" : "") + (sure ? shape : ""),
      value: x && kind.includes("static") ? short(this.spell.tokens(x, "all")) : "", members, unsaid: sure ? "" : this.unsure(x) });
  }

  interface(name, n) {
    this.spell.scoped(n.typeParameters, (params) => {
      const members = this.spell.members(n.members);
      for (const h of n.heritageClauses || []) for (const t of h.types) members["extends " + this.spell.type(t)] = member("", "", true);
      this.decl(name, n, "interface", { text: params, members });
    });
  }

  alias(name, n) {
    this.spell.scoped(n.typeParameters, (params) => {
      let type = n.type;
      while (type.kind === K.ParenthesizedType) type = type.type;
      if (type.kind === K.TypeLiteral) this.decl(name, n, "type", { text: params, members: this.spell.members(type.members) });
      else this.decl(name, n, "type", { text: (params + " = " + this.spell.type(type)).trim() });
    });
  }

  enum(name, n) {
    this.decl(name, n, marked(n, K.ConstKeyword) ? "const enum" : "enum");
    let from = "", step = 0;
    for (const m of n.members) {
      if (m.initializer) { from = this.spell.tokens(m.initializer); step = 0; }
      const value = /^\d+$/.test(from) ? String(+from + step) : from === "" ? String(step) : from + (step ? " + " + step : "");
      step++;
      this.decl(name + "." + this.spell.key(m.name), m, "enum member", { value: short(value) });
    }
  }

  // namespace offers what one exports; one that is only declared exports all.
  namespace(name, n, d) {
    this.decl(name, n, "namespace");
    for (const [inner, decls] of d.space) for (const i of decls) {
      const s = i.node.kind === K.VariableDeclaration ? i.node.parent.parent : i.node;
      if (d.ambient || exported(s) || s.kind === K.ModuleDeclaration && n.body === s) this.offer(name + "." + inner, d.ambient ? { ...i, ambient: true } : i);
    }
  }
}

const kindOf = (v) => v.parent.flags & ts.NodeFlags.Const ? "constant" : "variable";

// assignment is what a statement assigns, and to what.
function assignment(s) {
  const x = s.kind === K.ExpressionStatement ? s.expression : null;
  return x && x.kind === K.BinaryExpression && x.operatorToken.kind === K.EqualsToken ? [x.left, x.right] : [null, null];
}

// isMember is whether a name is that of a member, and no variable.
const isMember = (n) => n.parent && (n.parent.kind === K.PropertyAccessExpression && n.parent.name === n || n.parent.kind === K.PropertyAssignment && n.parent.name === n);

// reading is whether of exports only a member is read.
function reading(n) {
  const p = n.parent;
  if (!p || p.kind !== K.PropertyAccessExpression || p.expression !== n) return false;
  const q = p.parent;
  return !(q && q.kind === K.BinaryExpression && q.left === p && q.operatorToken.kind >= K.FirstAssignment && q.operatorToken.kind <= K.LastAssignment);
}

function mentions(file, names) {
  let found = false;
  const go = (n) => {
    if (found) return;
    if (n.kind === K.Identifier && names.includes(n.text) && !isMember(n)) found = true;
    ts.forEachChild(n, go);
  };
  go(file);
  return found;
}

// faults are where a file does not parse, and in JavaScript also what only
// TypeScript knows.
function faults(file) {
  const options = { noResolve: true, noLib: true, allowJs: true, types: [], target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve };
  const host = {
    getSourceFile: (name) => name === file.fileName ? file : undefined, getDefaultLibFileName: () => "lib.d.ts", writeFile: () => {},
    getCurrentDirectory: () => "/", getCanonicalFileName: (f) => f, useCaseSensitiveFileNames: () => true, getNewLine: () => "\n",
    fileExists: (name) => name === file.fileName, readFile: () => undefined, directoryExists: () => false, getDirectories: () => [],
  };
  const program = ts.createProgram([file.fileName], options, host);
  return program.getSyntacticDiagnostics(file).slice(0, 100).map((d) => ({
    line: file.getLineAndCharacterOfPosition(d.start || 0).line + 1,
    why: ts.flattenDiagnosticMessageText(d.messageText, " ") + " (TypeScript " + ts.version + ")",
  }));
}

function read(path, content) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (e) {
    return { unread: "it is no text in UTF-8" };
  }
  if (/^\s*<\?xml|^\s*<!DOCTYPE TS/i.test(text)) return { unread: "it is XML" };
  if (/^(#!.*\n)?(\s|\/\/.*\n)*(\/\*[^]{0,2000}?|\/\/\s*)@flow\b/.test(text.slice(0, 4000))) return { unread: "it is written in Flow" };
  const ext = /(\.d)?\.[^./]*$/.exec(path)[0];
  let found = [];
  try {
    const file = ts.createSourceFile("/file" + ext, text, ts.ScriptTarget.ESNext, true);
    found = faults(file);
    return { ...new Module(path, file, /\.[mc]?tsx?$/.test(path)).read(), faults: found };
  } catch (e) {
    if (found.length) return { faults: found };
    return { unread: "TypeScript gave up: " + (e instanceof RangeError ? "it is nested too deeply" : String(e && e.message).split("\n")[0].slice(0, 200)) };
  }
}

return { files: asked.files.map((f) => read(f.path, Buffer.from(f.content || "", "base64"))) };
