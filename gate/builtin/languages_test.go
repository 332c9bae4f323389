package builtin_test

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/python"
	"github.com/planlock/planlock/ledger/source/typescript"
	"github.com/planlock/planlock/plan"
)

// A reading gives trials whose files are read in some languages.
type reading struct{ *source.Reader }

// class has a step declare a class.
func (r reading) class(c plan.SemanticChange) func(*gate.Pass) {
	return func(p *gate.Pass) { p.Sources, p.Step.SemanticChange = r.Reader, c }
}

// protects has a plan protect a symbol.
func (r reading) protects(name string) func(*gate.Pass) {
	return func(p *gate.Pass) {
		p.Sources, p.Plan.NonGoals = r.Reader, []plan.NonGoal{{ID: "N1", Text: "leave it", Symbols: []string{name}}}
	}
}

// try reads all files of some trials at once, which starts a parser once, and has
// gates judge them, by their names.
func (r reading) try(t *testing.T, gates map[string][]trial) {
	t.Helper()
	var entries []ledger.Entry
	contents := map[ledger.Digest]string{}
	for _, trials := range gates { // in any order
		for _, tt := range trials {
			for _, side := range []files{tt.before, tt.after} {
				for path, text := range side {
					e := ledger.Entry{Path: path, Kind: ledger.File, Size: int64(len(text)), Digest: ledger.Sum([]byte(text))}
					entries, contents[e.Digest] = append(entries, e), text
				}
			}
		}
	}
	_, err := r.Read(t.Context(), entries, func(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(contents[e.Digest])), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		try(t, name, gates[name])
	}
}

// Ten changes of what a Python module offers, and what it protects, are judged
// as those of Go are.
func TestPython(t *testing.T) {
	l, ok := python.Find()
	if !ok {
		t.Skip("no python3")
	}
	r := reading{&source.Reader{Languages: []source.Language{l}}}
	class, protects := r.class, r.protects
	one := func(text string) files { return files{"src/app/user.py": text} }
	const user = "class User:\n    def name(self, short=False):\n        return 1\n"
	failed, pass := []string{"fail", "semantic-class src/app/user.py:2"}, []string{"pass"}
	r.try(t, map[string][]trial{"syntax": {
		{"a file that parses", nil, one(user), class(""), pass},
		{"a syntax error", one(user), one("class User:\n    def name(self:\n"), class(""), []string{"fail", "syntax src/app/user.py:2"}},
		{"a wrong indentation", one(user), one("def f():\n    a = 1\n      b = 2\n"), class(""), []string{"fail", "syntax src/app/user.py:3"}},
	}, "semantic-class": {
		{"a body", one(user), one("class User:\n    def name(self, short=False):\n        return 2\n"), class(plan.Preserving), pass},
		{"a method is renamed", one(user), one("class User:\n    def label(self, short=False):\n        return 1\n"),
			class(plan.Preserving), []string{"fail", "semantic-class src/app/user.py:2", "semantic-class src/app/user.py:2"}},
		{"and that is not modifying", one(user), one("class User:\n    def label(self, short=False):\n        return 1\n"),
			class(plan.Modifying), failed},
		{"a parameter comes", one(user), one("class User:\n    def name(self, long, short=False):\n        return 1\n"), class(plan.Extending), failed},
		{"a default changes", one(user), one("class User:\n    def name(self, short=True):\n        return 1\n"), class(plan.Modifying), pass},
		{"and that is not extending", one(user), one("class User:\n    def name(self, short=True):\n        return 1\n"), class(plan.Extending), failed},
		{"a removed export", one("__all__ = ['a', 'b']\ndef a(): pass\ndef b(): pass\n"), one("__all__ = ['a']\ndef a(): pass\ndef b(): pass\n"),
			class(plan.Preserving), []string{"fail", "semantic-class src/app/user.py:3"}},
		{"a syntax error", one(user), one("class User:\n    def name(self:\n"), class(plan.Preserving),
			[]string{"fail", "semantic-class src/app/user.py:1", "semantic-class src/app/user.py:2", "unread src/app/user.py"}},
	}, "non-goals": {
		{"a protected class", one(user), one(user + "    x = 1\n"), protects("app.user.User"),
			[]string{"fail", "non-goal src/app/user.py:4", "non-goal src/app/user.py:1"}},
		{"beside a protected class", one(user), one(user + "\n\ndef f(): pass\n"), protects("app.user.User"), pass},
		{"a file that may hold it and does not parse", one(user), one(user + "def f(:\n"), protects("app.user.User"),
			[]string{"fail", "non-goal src/app/user.py:1", "non-goal src/app/user.py:2", "unread src/app/user.py"}},
	}})
}

// Ten changes of what a TypeScript file offers, and what it protects, are judged
// as those of Go are.
func TestTypeScript(t *testing.T) {
	p, ok := typescript.Find()
	if !ok {
		t.Skip("no node with a typescript package")
	}
	r := reading{&source.Reader{Languages: p.Languages()}}
	class, protects := r.class, r.protects
	const path = "src/user.ts"
	one := func(text string) files { return files{path: text} }
	const user = "export class User {\n  name(short = false): string { return 'a' }\n}\n"
	const two = "export function a(): void {}\nexport function b(): void {}\n"
	changed := func(old, new string) files { return one(strings.Replace(user, old, new, 1)) }
	failed, pass := []string{"fail", "semantic-class src/user.ts:2"}, []string{"pass"}
	renamed := changed("name", "label")
	r.try(t, map[string][]trial{"syntax": {
		{"a file that parses", nil, one(user), class(""), pass},
		{"a syntax error", one(user), changed("short = false): string", "short: "), class(""), []string{"fail", "syntax src/user.ts:2"}},
	}, "semantic-class": {
		{"a body", one(user), changed("'a'", "'b'"), class(plan.Preserving), pass},
		{"a method is renamed", one(user), renamed, class(plan.Preserving), append(failed, failed[1])},
		{"and that is not modifying", one(user), renamed, class(plan.Modifying), failed},
		{"a parameter comes", one(user), changed("short", "long: boolean, short"), class(plan.Extending), failed},
		{"a default changes", one(user), changed("false", "true"), class(plan.Modifying), pass},
		{"and that is not extending", one(user), changed("false", "true"), class(plan.Extending), failed},
		{"a type changes", one(user), changed("string", "number"), class(plan.Modifying), failed},
		{"a removed export", one(two), one("export function a(): void {}\nfunction b(): void {}\n"), class(plan.Preserving), failed},
		{"an added export", one(user), one(user + "export const x = 1\n"), class(plan.Extending), pass},
		{"and that is not preserving", one(user), one(user + "export const x = 1\n"), class(plan.Preserving), []string{"fail", "semantic-class src/user.ts:4"}},
		{"a default export goes", one("\nexport default " + user[7:]), one(user), class(plan.Modifying), []string{"fail", "semantic-class src/user.ts:2", "semantic-class src/user.ts:3"}},
		{"a re-export goes", one("export { a } from './a'\nexport { b } from './a'\n"), one("export { a } from './a'\n"), class(plan.Preserving), failed},
		{"another file is exported", one("export * from './a'\n"), one("export * from './b'\n"), class(plan.Preserving), []string{"fail", "unread src/user.ts"}},
		{"and that is modifying", one("export * from './a'\n"), one("export * from './b'\n"), class(plan.Modifying), pass},
		{"a file that is not UTF-8", one(user), one(user + "// \xff\n"), class(plan.Preserving), []string{"fail", "semantic-class src/user.ts:1", "semantic-class src/user.ts:2", "unread src/user.ts"}},
	}, "non-goals": {
		{"a protected class", one(user), changed("{\n", "{\n  x = 1\n"), protects("src/user.User"), []string{"fail", "non-goal src/user.ts:2", "non-goal src/user.ts:1"}},
		{"the body of a protected method", one(user), changed("'a'", "'b'"), protects("src/user.User.name"), []string{"fail", "non-goal src/user.ts:2"}},
		{"beside a protected class", one(user), one(user + "function f() {}\n"), protects("src/user.User"), pass},
		{"a file that may hold it and does not parse", one(user), one(user + "function f( {\n"), protects("src/user.User"), []string{"fail", "unread src/user.ts"}},
	}})
}

// And so are those of a JavaScript file.
func TestJavaScript(t *testing.T) {
	p, ok := typescript.Find()
	if !ok {
		t.Skip("no node with a typescript package")
	}
	r := reading{&source.Reader{Languages: p.Languages()}}
	class, protects := r.class, r.protects
	const path = "lib/user.js"
	one := func(text string) files { return files{path: text} }
	const user = "class User {\n  name(short = false) { return 'a' }\n}\nmodule.exports = { User, LIMIT: 1 }\n"
	changed := func(old, new string) files { return one(strings.Replace(user, old, new, 1)) }
	failed, pass := []string{"fail", "semantic-class lib/user.js:2"}, []string{"pass"}
	exports := []string{"fail", "semantic-class lib/user.js:4"}
	renamed := changed("name", "label")
	r.try(t, map[string][]trial{"syntax": {
		{"a file that parses", nil, one(user), class(""), pass},
		{"a syntax error", one(user), changed("short = false) {", "short = { "), class(""), []string{"fail", "syntax lib/user.js:2"}},
		{"types", one(user), changed("short = false", "short: boolean"), class(""), []string{"fail", "syntax lib/user.js:2"}},
	}, "semantic-class": {
		{"a body", one(user), changed("'a'", "f(1)"), class(plan.Preserving), pass},
		{"a method is renamed", one(user), renamed, class(plan.Preserving), append(failed, failed[1])},
		{"and that is not modifying", one(user), renamed, class(plan.Modifying), failed},
		{"a parameter comes", one(user), changed("short", "long, short"), class(plan.Extending), failed},
		{"a default changes", one(user), changed("false", "true"), class(plan.Extending), failed},
		{"a removed export", one(user), changed("User, ", ""), class(plan.Preserving), []string{"fail", "semantic-class lib/user.js:1", "semantic-class lib/user.js:2"}},
		{"an added export", one(user), changed("LIMIT", "MORE: 2, LIMIT"), class(plan.Extending), pass},
		{"and that is not preserving", one(user), changed("LIMIT", "MORE: 2, LIMIT"), class(plan.Preserving), exports},
		{"a value changes", one(user), changed("1", "2"), class(plan.Modifying), pass},
		{"a value of another type", one(user), changed("1", "'a'"), class(plan.Modifying), exports},
		{"a default export goes", one("export default 1\n"), one("export const x = 1\n"), class(plan.Modifying), []string{"fail", "semantic-class lib/user.js:1"}},
		{"a re-export of another file", one("export { a } from './a'\n"), one("export { a } from './b'\n"), class(plan.Extending), []string{"fail", "unread lib/user.js"}},
	}, "non-goals": {
		{"a protected method", one(user), changed("'a'", "'b'"), protects("lib/user.User"), []string{"fail", "non-goal lib/user.js:1", "non-goal lib/user.js:2"}},
		{"beside a protected class", one(user), changed("1", "2"), protects("lib/user.User"), pass},
	}})
}
