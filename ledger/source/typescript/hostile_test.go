package typescript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/typescript"
)

// Whatever files hold, each is answered for by itself: read, with faults, or with
// why nobody read it.
func TestHostileFiles(t *testing.T) {
	deep := func(text string) string { return "export const x = " + strings.Repeat(text, 50000) }
	const fine, faulty, unread = "fine", "faulty", "unread"
	tests := []struct{ name, path, text, want string }{
		{"parentheses", "m.ts", deep("("), unread},
		{"lists", "m.js", deep("["), unread},
		{"elements", "m.tsx", deep("<a>"), unread},
		{"templates", "m.ts", deep("`${"), unread},
		{"calls", "m.js", "module.exports = a" + strings.Repeat(".b()", 50000), unread},
		{"functions of functions", "m.ts", "export const x = " + strings.Repeat("() => ", 300) + "1", fine},
		{"objects of functions", "m.ts", "export const x = " + strings.Repeat("{ f() { return ", 100) + "1" + strings.Repeat("} }", 100), fine},
		{"bytes", "m.ts", "\x00\x01\x02\xff\xfe", unread},
		{"zeros", "m.js", strings.Repeat("\x00", 1000), faulty},
		{"another encoding", "m.js", "// caf\xe9\n", unread},
		{"no program", "m.ts", "<?xml version=\"1.0\"?><TS></TS>", unread},
		{"another language", "m.js", "/**\n * @flow\n */\nexport const x: number = 1", unread},
		{"a byte order mark", "m.ts", "\ufeffexport const a = 1\r\n", fine},
		{"a shebang", "m.ts", "#!/usr/bin/env node\nexport const a = 1\n", fine},
		{"escapes", "m.ts", "export const \\u{61}bc = '\\ud800'", fine},
		{"octal numbers, where they are allowed", "m.js", "exports.a = '\\033' + 010", fine},
		{"octal numbers, where they are not", "m.mjs", "export const a = 010", faulty},
		{"names of objects", "m.js", "exports.__proto__ = 1; exports.constructor = 2; exports.toString = {__proto__: {}}", fine},
		{"members of objects", "m.ts", "export interface __proto__ { __proto__: 1; constructor: 2 }\nexport class C { constructor() {} __proto__() {} }", fine},
		{"what would end a program", "m.js", "process.exit(3); throw 1; while (true) {}", fine},
		{"many names in one statement", "m.ts", "export const a0 = 1" + strings.Repeat(", a1 = 1", 20000), fine},
		{"nothing", "m.ts", "", fine},
		{"4 MiB", "m.ts", strings.Repeat("export const a = 1\n", source.Max/19), fine},
	}
	var inputs []source.Input
	for _, tt := range tests {
		inputs = append(inputs, source.Input{Path: tt.path, Content: []byte(tt.text)})
	}
	for i, f := range read(t, inputs...) {
		got := fine
		switch {
		case f.Unread != "":
			got = unread
		case len(f.Faults) > 0:
			got = faulty
		}
		if got != tests[i].want {
			t.Errorf("%s: %s, want %s: %s %v", tests[i].name, got, tests[i].want, f.Unread, f.Faults)
		}
		for _, s := range f.Symbols {
			if !strings.HasPrefix(s.Name, "m.") || s.Line < 1 {
				t.Fatalf("%s: %+v", tests[i].name, s)
			}
		}
	}
}

// A parser that is another one than was found is not loaded, and neither is one
// that is none.
func TestParsersThatAreNone(t *testing.T) {
	p := parser(t)
	none, strange := p, filepath.Join(t.TempDir(), "none.js")
	none.Script = "/no/such/typescript.js"
	if err := os.WriteFile(strange, []byte("module.exports = {}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]typescript.Parser{"no such file": none, "has no parser": {Node: p.Node, Script: strange},
		"not started": {}, "no/such/node": {Node: "/no/such/node", Script: strange}} {
		_, err := p.Languages()[0].Read(t.Context(), []source.Input{{Path: "m.ts"}})
		if err == nil || !strings.Contains(err.Error(), want) && want != "not started" {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestFind holds that packages of a project, and those without a parser that can
// be called, are passed over.
func TestFind(t *testing.T) {
	p := parser(t)
	project, modules := t.TempDir(), t.TempDir()
	bin := filepath.Join(project, "node_modules", ".bin")
	install := func(modules, version string) {
		lib := filepath.Join(modules, "typescript", "lib")
		for _, err := range []error{os.MkdirAll(lib, 0o755), os.MkdirAll(bin, 0o755),
			os.WriteFile(filepath.Join(modules, "typescript", "package.json"), []byte(`{"name": "typescript", "version": "`+version+`"}`), 0o644),
			os.WriteFile(filepath.Join(lib, "typescript.js"), []byte("module.exports = {}"), 0o644),
			os.WriteFile(filepath.Join(lib, "tsc"), []byte("#!/usr/bin/env node\n"), 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	install(filepath.Join(project, "node_modules"), "5.9.3")
	if err := os.Symlink("../typescript/lib/tsc", filepath.Join(bin, "tsc")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for version, found := range map[string]bool{"5.0.0": true, "4.7.2": true, "6.0.3": true, "4.6.9": false, "7.0.2": false, "x": false} {
		install(modules, version)
		t.Setenv("NODE_PATH", modules+string(os.PathListSeparator)+"relative"+string(os.PathListSeparator)+filepath.Dir(filepath.Dir(filepath.Dir(p.Script))))
		got, ok := typescript.Find()
		if want := filepath.Join(modules, "typescript", "lib", "typescript.js"); !ok || found != (got.Script == want) || !found && got.Script != p.Script {
			t.Errorf("%s: found %+v", version, got)
		}
		if !found {
			continue
		}
		if err := os.WriteFile(got.Script, []byte("module.exports = {changed: 1}"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := got.Languages()[0].Read(t.Context(), []source.Input{{Path: "m.ts"}})
		if err == nil || !strings.Contains(err.Error(), "is another one than when it was found") {
			t.Errorf("%s: %v, want that it was changed", version, err)
		}
	}
	t.Setenv("PATH", bin)
	if got, ok := typescript.Find(); ok {
		t.Errorf("without node: %+v", got)
	}
}

// Whatever a file holds, it is answered for, and nothing of it is run.
func FuzzRead(f *testing.F) {
	all := parser(f).Languages()
	f.Add("a/m.ts", []byte("export class C<T> extends B implements I { constructor(private a: T, b = 1) { super() } get x() { return 1 } }"))
	f.Add("a/m.js", []byte("exports.f = exports.g = (a, {b, ...c}, ...d) => a\nmodule.exports = {...x, f, [k]: 1}"))
	f.Add("a/m.d.ts", []byte("declare namespace A.B { let x: A.C }\ndeclare global { var y: 1 }\nexport as namespace Z\nexport = A"))
	f.Add("a/m.tsx", []byte("export * as d from 'a'\nimport x = require('y')\nexport { x as default }\nexport const e = <p>{1}</p>, { f, g: [h] } = e"))
	f.Add("a/m.mjs", []byte("throw 1"))
	f.Fuzz(func(t *testing.T, file string, content []byte) {
		for _, l := range all {
			if !l.Reads(file) {
				continue
			}
			files, err := l.Read(t.Context(), []source.Input{{Path: file, Content: content}})
			if err != nil {
				t.Fatalf("%q: %v", content, err)
			}
			if strings.Contains(files[0].Unread, "TypeScript gave up: ") && !strings.Contains(files[0].Unread, "nested too deeply") {
				t.Errorf("%q: %s", content, files[0].Unread)
			}
		}
	})
}
