"""Says what Python files declare, and what of it others can use.

Files come on standard input and the answers go to standard output, as JSON. What
is read is parsed, and compiled to find what only the compiler objects to; nothing
of it is run."""
import ast
import base64
import hashlib
import io
import json
import sys
import tokenize

try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
except Exception:  # a system without limits
    pass

LONG = 200


def is_public(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def shown(node):
    """An expression in one line; a long one by its digest."""
    text = " ".join(ast.unparse(node).split()) if hasattr(ast, "unparse") else ast.dump(node)
    if len(text) > LONG:
        text = text[:40] + "... " + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return text


def annotation(node):
    """An annotation, quoted or not."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except SyntaxError:
            pass
    return shown(node)


def last(node):
    """The last part of a dotted name; "" for all else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def member(text="", value="", asked=False):
    return {"Text": text, "Value": value, "Asked": asked}


def names_in(target):
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [n for e in target.elts for n in names_in(e)]
    return names_in(target.value) if isinstance(target, ast.Starred) else []


def texts_of(node):
    """The texts of a literal list of them; None for all else."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        got = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        return got if len(got) == len(node.elts) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = texts_of(node.left), texts_of(node.right)
        return None if left is None or right is None else left + right
    return None


def parameters(args, bound):
    """The parameters of a function; bound is whether the first is not given."""
    positional = getattr(args, "posonlyargs", []) + args.args
    only = len(getattr(args, "posonlyargs", []))
    out = {}
    for i, a in enumerate(positional):
        back = i - (len(positional) - len(args.defaults))
        default = args.defaults[back] if back >= 0 else None
        if bound and i == 0:
            continue
        place = i - (1 if bound else 0)
        name, kind = ("#%d" % place, "by place") if i < only else (a.arg, "%d" % place)
        out["parameter " + name] = member(kind, said(a.annotation, default), default is None)
    for a, default in zip(args.kwonlyargs, args.kw_defaults):
        out["parameter " + a.arg] = member("by name", said(a.annotation, default), default is None)
    for a, stars in ((args.vararg, "*"), (args.kwarg, "**")):
        if a is not None:
            out["parameter " + stars] = member("", annotation(a.annotation))
    return out


def said(note, default):
    text = annotation(note)
    return text + (" = " + shown(default) if default is not None else "")


class Module:
    def __init__(self, path, source):
        self.lines = source.splitlines(keepends=True)
        self.symbols, self.decls, self.undecided = [], [], []
        stem = path[:path.rindex(".")].split("/")
        if "src" in stem[:-1]:
            stem = stem[len(stem) - stem[::-1].index("src"):]
        self.package = stem[-1] == "__init__"
        if self.package:
            stem = stem[:-1]
        self.name = ".".join(stem)
        base = path.split("/")[-1].rsplit(".", 1)[0]
        self.offers = not (base.startswith("test_") or base.endswith("_test") or base in ("conftest", "__main__")
                           or any(f in ("tests", "testdata") for f in path.split("/")[:-1])
                           or any(not is_public(part) for part in stem))
        self.all, self.gone, self.bases = None, set(), set()

    def read(self, tree):
        self.exports(tree)
        self.bases = {last(b) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for b in n.bases}
        self.block(tree.body, self.name + ".", "", None, True)
        named = {d["name"][len(self.name) + 1:].split(".")[0] for d in self.decls}
        for name in self.all or []:
            if name not in named:
                self.undecided.append("__all__ names %s, which is not declared here" % name)
        self.decls = [d for d in self.decls if d["name"][len(self.name) + 1:].split(".")[0] not in self.gone]

    def exports(self, tree):
        """What __all__ says, if it says it in a way that can be read."""
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                    continue
                got = texts_of(node.value) if node.value is not None else None
                if got is None or node not in tree.body or (isinstance(node, ast.AugAssign) and self.all is None):
                    self.undecided.append("__all__ is computed")
                    got = got or []
                self.all = (self.all or []) + got if isinstance(node, ast.AugAssign) else got
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last(node.func.value) == "__all__":
                self.undecided.append("__all__ is computed")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("globals", "exec", "vars"):
                if self.at_import(tree, node):
                    self.undecided.append("names are made at run time, by %s" % node.func.id)
            elif isinstance(node, ast.Call) and last(node) == "setattr" and self.at_import(tree, node):
                self.undecided.append("names are made at run time, by setattr")

    def at_import(self, tree, wanted):
        """Whether an expression is evaluated when the module is imported."""
        def inside(node):
            if node is wanted:
                return True
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return False
            return any(inside(child) for child in ast.iter_child_nodes(node))
        return inside(tree)

    def public(self, name, top):
        if not self.offers:
            return False
        if top and name in self.bases:
            return True  # what a class has, those have that are made of it
        if top and self.all is not None:
            return name in self.all
        return is_public(name)

    def declare(self, prefix, name, node, when, top, kind, text="", value="", members=None, seen=True):
        self.symbol(prefix + name, node)
        if seen and self.public(name, top):
            self.decl(prefix + name, node, when, kind, text, value, members)
            return True
        return False

    def decl(self, name, node, when, kind, text="", value="", members=None):
        self.decls.append({"name": name, "kind": kind, "text": (text + " " + when).strip(), "value": value,
                           "members": members, "line": node.lineno})

    def symbol(self, name, node):
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        end = getattr(node, "end_lineno", None) or node.lineno
        begin = first
        while begin > 1 and self.lines[begin - 2].lstrip().startswith("#"):
            begin -= 1
        self.symbols.append({"name": name, "line": node.lineno, "text": "".join(self.lines[begin - 1:end])})

    def block(self, body, prefix, when, cls, seen):
        """The declarations of a module, or of the class cls; seen is whether
        others see what is in it."""
        top = cls is None
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function(node, prefix, when, cls, seen)
            elif isinstance(node, ast.ClassDef):
                self.klass(node, prefix, when, top, seen)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                self.variable(node, prefix, when, cls, seen)
            elif type(node).__name__ == "TypeAlias":
                self.declare(prefix, node.name.id, node, when, top, "type", "", shown(node.value), None, seen)
            elif isinstance(node, (ast.Import, ast.ImportFrom)) and top:
                self.imported(node, prefix, when)
            elif isinstance(node, ast.Delete) and top:
                names = [n for t in node.targets for n in names_in(t)]
                if when and any(is_public(n) for n in names):
                    self.undecided.append("names are deleted at run time")
                self.gone.update(n for n in names if not when)
            else:
                self.nested(node, prefix, when, cls, seen)

    def nested(self, node, prefix, when, cls, seen):
        """What stands below a condition is there in some cases."""
        if isinstance(node, ast.If):
            if last(node.test) == "TYPE_CHECKING":
                cases = [("", node.body), ("", node.orelse)]
            else:
                cases = [("if " + shown(node.test), node.body), ("unless " + shown(node.test), node.orelse)]
        elif hasattr(node, "handlers"):
            cases = [("as tried", node.body + node.orelse), ("", node.finalbody)]
            cases += [("where that failed", h.body) for h in node.handlers]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            cases = [("", node.body)]
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            cases = [("in a loop", node.body + node.orelse)]
        elif type(node).__name__ == "Match":
            cases = [("if %s is %s" % (shown(node.subject), shown(c.pattern)), c.body) for c in node.cases]
        else:
            return
        for case, body in cases:
            self.block(body, prefix, (when + " " + case).strip(), cls, seen)

    def function(self, node, prefix, when, cls, seen):
        top = cls is None
        kind, bound = "function" if top else "method", not top
        marks = [last(d) for d in node.decorator_list]
        name, others = node.name, []
        for d, mark in zip(node.decorator_list, marks):
            if not top and mark in ("property", "cached_property", "abstractproperty"):
                kind = "property"
            elif not top and mark in ("setter", "deleter", "getter") and isinstance(d, ast.Attribute):
                kind, name = "property", name + "." + mark
            elif not top and mark == "staticmethod":
                kind, bound = "static method", False
            elif not top and mark == "classmethod":
                kind = "class method"
            else:
                others.append("@" + shown(d))
        if isinstance(node, ast.AsyncFunctionDef):
            kind = "async " + kind
        returns = annotation(node.returns)
        if node.name == "__init__" and returns == "None":
            returns = ""
        value = " ".join(others + (["-> " + returns] if returns else []))
        if kind.endswith("property"):
            members = None
        else:
            members = parameters(node.args, bound)
        if top and node.name == "__getattr__":
            self.undecided.append("names are made at run time, by __getattr__")
        self.declare(prefix, name, node, when, top, kind, "", value, members, seen)
        if cls is not None and node.name == "__init__" and seen and node.args.args:
            self.instance(node, prefix, when, node.args.args[0].arg)

    def instance(self, init, prefix, when, me):
        """The attributes that every instance has."""
        known = set()
        for node in ast.walk(init):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
            flat = [e for t in targets for e in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
            for t in flat:
                if (isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == me
                        and t.attr not in known and self.offers and is_public(t.attr)):
                    known.add(t.attr)
                    self.decl(prefix + t.attr, node, when, "attribute")

    def klass(self, node, prefix, when, top, seen):
        members = {}
        for base in node.bases:
            members["base " + shown(base)] = member()
        for k in node.keywords:
            members["keyword " + (k.arg or "**")] = member(shown(k.value))
        marks = [last(d) for d in node.decorator_list]
        value = " ".join("@" + shown(d) for d in node.decorator_list)
        for n in node.body:  # how one is made
            if isinstance(n, ast.FunctionDef) and n.name == "__init__":
                members.update(parameters(n.args, True))
        placed = "dataclass" in marks or "NamedTuple" in [last(b) for b in node.bases]
        named = "BaseModel" in [last(b) for b in node.bases] or "TypedDict" in [last(b) for b in node.bases]
        if placed or named:
            place = 0
            for n in node.body:
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and last(n.annotation) != "ClassVar":
                    # the value is that of the attribute
                    members["field " + n.target.id] = member(str(place) if placed else "", "", n.value is None)
                    place += 1
        inner = self.declare(prefix, node.name, node, when, top, "class", "", value, members, seen)
        self.block(node.body, prefix + node.name + ".", "", node, inner)

    def variable(self, node, prefix, when, cls, seen):
        top = cls is None
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        note = annotation(getattr(node, "annotation", None))
        value = note + (" = " + shown(node.value) if node.value is not None else "")
        for name in [n for t in targets for n in names_in(t)]:
            if name == "__all__" or name in ("__slots__", "__doc__"):
                continue
            self.declare(prefix, name, node, when, top, "variable" if top else "attribute", "", value.strip(), None, seen)

    def imported(self, node, prefix, when):
        """What is imported to be used from here."""
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        of = ("." * node.level + (node.module or "")) if isinstance(node, ast.ImportFrom) else ""
        for a in node.names:
            if a.name == "*":
                self.undecided.append("it imports all of %s" % of)
                continue
            name = a.asname or a.name.split(".")[0]
            again = a.asname == a.name or (self.package and relative)
            if self.all is not None and name in self.all or self.all is None and again:
                if self.public(name, True):
                    self.decl(prefix + name, node, when, "import", "%s %s" % (of, a.name))


def read(path, content):
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        source = content.decode(encoding)
        if source.startswith("\ufeff"):
            source = source[1:]
        tree = ast.parse(content, filename=path)
        compile(content, path, "exec", dont_inherit=True)
        module = Module(path, source.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " "))
        module.read(tree)
    except SyntaxError as e:
        return {"faults": [{"line": e.lineno or 1, "why": "%s (Python %s)" % (e.msg, sys.version.split()[0])}]}
    except (ValueError, LookupError) as e:
        return {"faults": [{"line": 1, "why": str(e)}]}
    except (RecursionError, MemoryError, OverflowError) as e:
        return {"unread": "Python gave up: %s" % type(e).__name__}
    return {"symbols": module.symbols, "decls": module.decls, "undecided": module.undecided}


def main():
    asked = json.load(sys.stdin.buffer if hasattr(sys.stdin, "buffer") else sys.stdin)
    answers = [read(f["path"], base64.b64decode(f["content"] or "")) for f in asked["files"]]
    sys.stdout.write(json.dumps({"files": answers}))


main()
