package typescript_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/typescript"
)

// parser is the one of the machine, where it has one.
func parser(t testing.TB) typescript.Parser {
	t.Helper()
	p, ok := typescript.Find()
	if !ok {
		t.Skip("no node with a typescript package that a script can call: NODE_PATH may say where one is")
	}
	return p
}

// read reads files, those of each language at once.
func read(t testing.TB, inputs ...source.Input) []source.File {
	t.Helper()
	out := make([]source.File, len(inputs))
	for _, l := range parser(t).Languages() {
		var own []source.Input
		var at []int
		for i, in := range inputs {
			if l.Reads(in.Path) {
				own, at = append(own, in), append(at, i)
			}
		}
		files, err := l.Read(t.Context(), own)
		if err != nil {
			t.Fatal(err)
		}
		for n, i := range at {
			out[i] = files[n]
		}
	}
	return out
}

// A change is one of a file, and what it is to those who use that.
type change struct{ name, before, after, want string }

const same, adds, alters, breaks, undecided = "same", "adds", "alters", "breaks", "undecided"

// judge holds what becomes of files of a path against what is wanted. A break
// that is sure outranks what is undecided.
func judge(t *testing.T, of map[string][]change) {
	t.Helper()
	var inputs []source.Input
	var all []change
	for file, changes := range of { // in any order
		for _, c := range changes {
			inputs = append(inputs, source.Input{Path: file, Content: []byte(c.before)},
				source.Input{Path: file, Content: []byte(c.after)})
		}
		all = append(all, changes...)
	}
	files := read(t, inputs...)
	for i, c := range all {
		file := inputs[2*i].Path
		pair := source.Pair{Path: file, Before: &files[2*i], After: &files[2*i+1]}
		differ := source.Differences(&pair.Before.Surface, &pair.After.Surface)
		effect := -1
		for _, d := range differ {
			effect = max(effect, int(d.Effect))
		}
		got := []string{same, adds, alters, breaks}[effect+1]
		if got != breaks && len(pair.Undecided()) > 0 || len(pair.After.Faults) > 0 {
			got = undecided
		}
		if got != c.want {
			t.Errorf("%s: %s: %s, want %s: %+v, undecided %q", file, c.name, got, c.want, differ, pair.Undecided())
		}
	}
}

// What a change of a TypeScript file is to those who use it.
func TestDifferences(t *testing.T) {
	judge(t, map[string][]change{"p/m.ts": {
		{"a body", "export function f(): number { return 1 }", "export function f(): number { return 2 }", same},
		{"comments and layout", "export function f(a:number,b:string):void {}", "/** f */\nexport function f(\n  a: number, // a\n  b: string,\n): void {}\n", same},
		{"a function comes", "", "export function f() {}", adds},
		{"a function goes", "export function f() {}", "export {}", breaks},
		{"a function is renamed", "export function f() {}", "export function g() {}", breaks},
		{"one that is not exported is renamed", "function f() {}\nexport {}", "function g() {}\nexport {}", same},
		{"it is exported no more", "export function f() {}", "function f() {}\nexport {}", breaks},
		{"a parameter is renamed", "export function f(a: number) {}", "export function f(b: number) {}", same},
		{"a parameter comes", "export function f(a: number) {}", "export function f(a: number, b: number) {}", breaks},
		{"a parameter that need not be given comes", "export function f(a: number) {}", "export function f(a: number, b?: number) {}", adds},
		{"a parameter with a default comes", "export function f(a: number) {}", "export function f(a: number, b = 1) {}", adds},
		{"a parameter need not be given", "export function f(a: number) {}", "export function f(a?: number) {}", adds},
		{"a parameter must be given", "export function f(a = 1) {}", "export function f(a: number) {}", breaks},
		{"a parameter goes", "export function f(a: number, b: number) {}", "export function f(a: number) {}", breaks},
		{"a parameter has another type", "export function f(a: number) {}", "export function f(a: string) {}", breaks},
		{"a default changes", "export function f(a = 1) {}", "export function f(a = 2) {}", alters},
		{"another result", "export function f(): number { return 1 }", "export function f(): string { return '' }", breaks},
		{"a result that shows", "export function f() { return 1 }", "export function f() { return 2 }", same},
		{"another result that shows", "export function f() { return 1 }", "export function f() { return 'a' }", breaks},
		{"a result that is inferred", "export function f() { return g(1) }", "export function f() { return g(2) }", undecided},
		{"a result that is inferred from the same", "export function f() { return g(1) }\nexport const a = 1",
			"export function f() {\n  // 1\n  return g(1);\n}\nexport const a = 2", alters},
		{"a parameter beside a result that is inferred", "export function f() { return g(1) }", "export function f(a: number) { return g(2) }", breaks},
		{"a result is written down", "export function f() { return g(1) }", "export function f(): number { return g(1) }", undecided},
		{"a function becomes async", "export function f() { return 1 }", "export async function f() { return 1 }", breaks},
		{"a promise is given by an async function", "export function f(): Promise<number> { return p }", "export async function f(): Promise<number> { return 1 }", same},
		{"a function becomes a constant", "export function f(a: number): void {}", "export const f = (a: number): void => {}", same},
		{"an overload comes", "export function f(a: number): void\nexport function f(a: any): void {}", "export function f(a: number): void\nexport function f(a: string): void\nexport function f(a: any): void {}", same},
		{"an overload goes", "export function f(a: number): void\nexport function f(a: string): void\nexport function f(a: any): void {}", "export function f(a: number): void\nexport function f(a: any): void {}", breaks},
		{"a type parameter is renamed", "export function f<T extends A>(a: T[]): T { return a[0] }", "export function f<U extends A>(a: Array<U>): U { return a[0] }", same},
		{"a constraint", "export function f<T>(a: T): void {}", "export function f<T extends object>(a: T): void {}", breaks},
		{"a method is renamed", "export class C { m(): void {} }", "export class C { n(): void {} }", breaks},
		{"a private method is renamed", "export class C { private m() {} #p = 1 }", "export class C { private n() {} #q = 1 }", same},
		{"a method becomes private", "export class C { m(): void {} }", "export class C { private m(): void {} }", breaks},
		{"a method comes", "export class C {}", "export class C { m(): void {} }", adds},
		{"a method is static", "export class C { m(): void {} }", "export class C { static m(): void {} }", breaks},
		{"a property has another type", "export class C { a: number = 1 }", "export class C { a: string = '' }", breaks},
		{"a property becomes readonly", "export class C { a: number = 1 }", "export class C { readonly a: number = 1 }", breaks},
		{"a property is readonly no more", "export class C { readonly a: number = 1 }", "export class C { a: number = 1 }", adds},
		{"a property becomes a pair of accessors", "export class C { a: number = 1 }", "export class C { get a(): number { return 1 } set a(v: number) {} }", same},
		{"a constructor asks for more", "export class C {}", "export class C { constructor(a: number) {} }", breaks},
		{"a property of a constructor goes", "export class C { constructor(public a: number) {} }", "export class C { constructor(a: number) {} }", breaks},
		{"a base goes", "export class C extends B {}", "export class C {}", breaks},
		{"a method of a base goes", "class B { m(): void {} }\nexport class C extends B {}", "class B {}\nexport class C extends B {}", breaks},
		{"a class becomes abstract", "export class C {}", "export abstract class C {}", breaks},
		{"more is asked of subclasses", "export abstract class C {}", "export abstract class C { abstract m(): void }", breaks},
		{"a class becomes a function", "export class C {}", "export function C() {}", breaks},
		{"an interface asks for more", "export interface I { a: number }", "export interface I { a: number; b: string }", breaks},
		{"an interface may have more", "export interface I { a: number }", "export interface I { a: number, b?: string }", adds},
		{"a property of an interface changes", "export interface I { a: number }", "export interface I { a: string }", breaks},
		{"a property of an interface goes", "export interface I { a: number; b: string }", "export interface I { a: number }", breaks},
		{"an interface in another order", "export interface I { a: number; m(x: string): void }", "export interface I { m(y: string): void, a: number }", same},
		{"a type changes", "export type T = number", "export type T = string", breaks},
		{"a union in another order", "export type T = 'a' | 'b'", "export type T =\n  | \"b\"\n  | \"a\"", same},
		{"a union grows", "export type T = 'a'", "export type T = 'a' | 'b'", breaks},
		{"a type that a function names changes", "interface O { a: number }\nexport function f(o: O): void {}", "interface O { a: string }\nexport function f(o: O): void {}", breaks},
		{"a type that nobody names changes", "interface O { a: number }\nexport function f(): void {}", "interface O { a: string }\nexport function f(): void {}", same},
		{"an enum grows at its end", "export enum E { A, B }", "export enum E { A, B, C }", adds},
		{"an enum grows in the middle", "export enum E { A, B }", "export enum E { A, C, B }", alters},
		{"an enum loses", "export enum E { A, B }", "export enum E { A }", breaks},
		{"a value changes", "export const X = 1", "export const X = 2", alters},
		{"a value is spelled otherwise", "export const X = 1000, Y = 'a'", "export const X = 1_000, Y = \"a\"", same},
		{"a value of another type", "export const X = 1", "export const X = 'a'", breaks},
		{"a constant becomes a variable", "export const X: number = 1", "export let X: number = 1", breaks},
		{"a value that is inferred", "export const X = f(1)", "export const X = f(2)", undecided},
		{"an object loses", "export const X = { a: 1, b() {} }", "export const X = { a: 1 }", breaks},
		{"an object wins", "export const X = { a: 1 }", "export const X = { a: 1, b: 2 }", adds},
		{"default comes", "export {}", "export default function f() {}", adds},
		{"default goes", "export default function f() {}", "function f() {}\nexport {}", breaks},
		{"default is renamed inside", "export default class A { m(): void {} }", "class B { m(): void {} }\nexport default B", same},
		{"default loses a method", "export default class A { m(): void {} }", "export default class A {}", breaks},
		{"default is another", "export default function f(): void {}", "export default class f {}", breaks},
		{"named becomes default", "export function f() {}", "export default function f() {}", breaks},
		{"a list of exports", "export function f() {}", "function f() {}\nexport { f }", same},
		{"exported by another name", "function f() {}\nexport { f as g }", "function f() {}\nexport { f as h }", breaks},
		{"a re-export comes", "export {}", "export { a } from './a'", adds},
		{"a re-export goes", "export { a, b } from './a'", "export { a } from './a'", breaks},
		{"a re-export of another file", "export { a } from './a'", "export { a } from './b'", undecided},
		{"a declaration moves to another file", "export function a(): void {}", "export { a } from './a'", undecided},
		{"an import is exported", "import { a } from './a'\nexport { a }", "export { a } from './a'", same},
		{"all of a file", "export * from './a'", "export * from './b'", undecided},
		{"all of a file stays", "export * from './a'\nexport const x = 1", "export * from './a'\nexport const x = 2", alters},
		{"all of a file by name", "export * as a from './a'", "export {}", breaks},
		{"a namespace loses", "export namespace N { export function f(): void {} }", "export namespace N { function f(): void {} }", breaks},
		{"another assignment", "class A {}\nexport = A", "function A() {}\nexport = A", breaks},
		{"a script loses", "function f() {}\nfunction g() {}", "function f() {}", breaks},
		{"a program does not offer", "#!/usr/bin/env node\nfunction f() {}", "#!/usr/bin/env node\n", same},
		{"a file that does not parse", "export function f() {}", "export function f( {", undecided},
		{"CRLF and a byte order mark", "export function f(): void {\n}\n", "\ufeffexport function f(): void {\r\n}\r\n", same},
		{"unicode escapes", "export function abc(): void {}", "export function \\u0061bc(): void {}", same},
		{"destructured", "export const { a, b } = f()", "export const { a } = f()", breaks},
		{"decorators", "@d export class C { @e m(): void {} }", "@d @x export class C { m(): void {} }", same},
	}, "p/m.d.ts": {
		{"a declaration goes", "declare function f(): void\ndeclare const a: number", "declare function f(): void", breaks},
		{"one of a module goes", "import a from 'a'\nexport declare function f(): void", "import a from 'a'", breaks},
		{"one of another module goes", "declare module 'x' { function f(): void }", "declare module 'x' { }", breaks},
		{"a type that is given changes", "declare module 'x' { function f(): void }", "declare module 'x' { function f(): string }", breaks},
	}, "p/m.tsx": {
		{"a body of a component", "export function C(p: { a: string }) { return <p>{p.a}</p> }", "export function C(p: { a: string }) { return <b>{p.a}</b> }", same},
		{"more is asked of its users", "export function C(p: { a: string }) { return <p/> }", "export function C(p: { a: string; b: string }) { return <p/> }", breaks},
	}})
}

// What a change of a JavaScript file is to those who use it.
func TestDifferencesOfJavaScript(t *testing.T) {
	judge(t, map[string][]change{"p/m.js": {
		{"a body", "export function f() { return g(1) }", "export function f() { return h(2) }", same},
		{"a function is renamed", "export function f() {}", "export function g() {}", breaks},
		{"a parameter comes", "export function f(a) {}", "export function f(a, b) {}", breaks},
		{"a parameter that need not be given comes", "export function f(a) {}", "export function f(a, b = 1) {}", adds},
		{"and one that a comment says", "export function f(a) {}", "/** @param a\n * @param {string} [b] */\nexport function f(a, b) {}", adds},
		{"what is taken out of an argument", "export function f({ a, b }) {}", "export function f({ a, c }) {}", breaks},
		{"a function becomes async", "export function f() {}", "export async function f() {}", breaks},
		{"a value changes", "export const X = f(1)", "export const X = f(2)", alters},
		{"a value of another type", "export const X = 1", "export const X = 'a'", breaks},
		{"a value that does not show its type", "export const X = 1", "export const X = f()", undecided},
		{"the body of a function in a call", "export const h = wrap(async (r) => { a(r) })", "export const h = wrap(async (r) => { b(r) })", same},
		{"a method is renamed", "export class C { m() {} }", "export class C { n() {} }", breaks},
		{"a private method is renamed", "export class C { #m() {} }", "export class C { #n() {} }", same},
		{"default goes", "export default class {}", "export const a = 1", breaks},
		{"exports.f comes", "exports.f = function () {}", "exports.f = function () {}\nexports.g = (a) => a", adds},
		{"exports.f goes", "exports.f = function () {}\nexports.g = f", "exports.f = function () {}", breaks},
		{"a parameter of exports.f comes", "exports.f = function () {}", "exports.f = function (a) {}", breaks},
		{"module.exports loses", "function f() {}\nmodule.exports = { f, g: 1 }", "function f() {}\nmodule.exports = { f }", breaks},
		{"module.exports is spelled otherwise", "function f() {}\nmodule.exports = { f }", "exports.f = f\nfunction f() {}", same},
		{"a class of CommonJS loses a method", "class C { m() {} }\nmodule.exports = C", "class C { }\nmodule.exports = C", breaks},
		{"a prototype loses a method", "function C() {}\nC.prototype.m = function () {}\nmodule.exports = C", "function C() {}\nmodule.exports = C", breaks},
		{"exports are made in a loop", "for (const k of ks) exports[k] = 1", "for (const k of others) exports[k] = 1", undecided},
		{"and stay so", "for (const k of ks) exports[k] = 1\nfunction f() {}", "for (const k of ks) exports[k] = 1\nfunction g() {}", same},
		{"all of another file", "module.exports = require('./a')", "module.exports = require('./b')", alters},
		{"CommonJS becomes a module", "exports.f = function () {}", "export function f() {}", breaks},
		{"a program that requires", "const fs = require('fs')\nfunction f() {}", "const fs = require('fs')\nfunction g() {}", same},
		{"types do not parse", "export const x = 1", "export const x: number = 1", undecided},
		{"a file that does not parse", "export function f() {}", "export function f( {", undecided},
		{"JSX", "export const C = () => <p>a</p>", "export const C = () => <p>b</p>", same},
	}, "p/m.mjs": {{"a module offers what it exports", "function f() {}", "function g() {}", same}},
		"p/m.cjs": {{"so does CommonJS", "function f() {}", "function g() {}", same}},
	})
}

// Names are as plans write them, and found where they are looked for.
func TestNames(t *testing.T) {
	tests := []struct{ file, want string }{
		{"m.ts", "m.C.f"}, {"src/a/m.tsx", "src/a/m.C.f"}, {"src/a.b.mts", "src/a.b.C.f"}, {"a/index.cts", "a/index.C.f"},
		{"a/m.d.ts", "a/m.C.f"}, {"a/m.d.mts", "a/m.C.f"}, {"a/[id].ts", "a/[id].C.f"},
		{"m.js", "m.C.f"}, {"a/m.jsx", "a/m.C.f"}, {"a/m.mjs", "a/m.C.f"}, {"a/m.cjs", "a/m.C.f"},
	}
	var inputs []source.Input
	for _, tt := range tests {
		inputs = append(inputs, source.Input{Path: tt.file, Content: []byte("class C {\n  f() {}\n}\n")})
	}
	files := read(t, inputs...)
	reader := source.Reader{Languages: parser(t).Languages()}
	for i, tt := range tests {
		if files[i].Declares(tt.want) == nil {
			t.Errorf("%s: %v, want %s", tt.file, files[i], tt.want)
		}
		matches := func(p string) bool { ok, err := path.Match(p, tt.file); return ok && err == nil }
		if !slices.ContainsFunc(reader.Places(tt.want), matches) {
			t.Errorf("%s is not looked for in %s: %q", tt.want, tt.file, reader.Places(tt.want))
		}
	}
	for _, s := range []string{"", "m", "a/m", "a/m."} {
		if got := reader.Places(s); len(got) > 0 {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// A symbol's text is the whole declaration, with what is said right above it.
func TestSymbols(t *testing.T) {
	text := "// license\n\n/** C is. */\nexport class C {\n  a = 1\n  constructor(private b: string) {}\n}\n" +
		"export default () => {}\nexport { x, y as z } from './x'\nenum E { A }\nconst p = 1, q = 2\nnamespace N { type T = 1 }\n"
	common := "exports.f = () => 1\nmodule.exports.g = g\nfunction g() {}\ng.prototype.m = 1\n"
	files := read(t, source.Input{Path: "m.ts", Content: []byte(text)}, source.Input{Path: "m.js", Content: []byte(common)})
	from := "export { x, y as z } from './x'"
	want := []source.Symbol{
		{Name: "m.C", Line: 4, Text: "/** C is. */\nexport class C {\n  a = 1\n  constructor(private b: string) {}\n}"},
		{Name: "m.C.a", Line: 5, Text: "a = 1"}, {Name: "m.C.constructor", Line: 6, Text: "constructor(private b: string) {}"},
		{Name: "m.C.b", Line: 6, Text: "private b: string"}, {Name: "m.default", Line: 8, Text: "export default () => {}"},
		{Name: "m.x", Line: 9, Text: from}, {Name: "m.z", Line: 9, Text: from}, {Name: "m.E", Line: 10, Text: "enum E { A }"},
		{Name: "m.E.A", Line: 10, Text: "A"}, {Name: "m.p", Line: 11, Text: "const p = 1, q = 2"},
		{Name: "m.q", Line: 11, Text: "const p = 1, q = 2"}, {Name: "m.N", Line: 12, Text: "namespace N { type T = 1 }"},
		{Name: "m.N.T", Line: 12, Text: "type T = 1"},
	}
	if diff := cmp.Diff(want, files[0].Symbols); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, s := range files[1].Symbols {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "m.g m.g.m m.f" {
		t.Errorf("%q", got)
	}
}

// Tests offer nothing, and have symbols.
func TestWhatIsOfferedToNobody(t *testing.T) {
	var inputs []source.Input
	for _, p := range []string{"a.test.ts", "a.spec.tsx", "tests/a.ts", "__tests__/a.js", "a/__mocks__/b.ts", "node_modules/a/b.js"} {
		inputs = append(inputs, source.Input{Path: p, Content: []byte("export function f() {}\n")})
	}
	for _, f := range read(t, inputs...) {
		if len(f.Surface.Decls) > 0 || len(f.Symbols) != 1 {
			t.Errorf("%s: %v, %v", f.Path, f.Surface, f.Symbols)
		}
	}
}
