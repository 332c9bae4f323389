// Declared is one file, and what it declares: its symbols.
class Declared {
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
}
