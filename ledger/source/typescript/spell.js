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
        const text = n.kind === K.StringLiteral || n.kind === K.NoSubstitutionTemplateLiteral ? JSON.stringify(n.text) :
          n.kind === K.NumericLiteral ? n.text : n.getText(this.file);
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
