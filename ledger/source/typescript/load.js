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
    throw new Error(path + " is another one than when it was first read");
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
