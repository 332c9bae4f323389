// A Module is one file, and what of it others can use.
class Module extends Declared {
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
      if (!/^Object\.defineProperty\(exports,\s*["']__esModule/.test(s.getText(this.file))) go(s);
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
