package python_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/python"
)

// language is Python where the machine has it.
func language(t testing.TB) python.Language {
	t.Helper()
	l, ok := python.Find()
	if !ok {
		t.Skip("no python3")
	}
	return l
}

// What a change of a module is to those who use it.
func TestDifferences(t *testing.T) {
	const same, adds, alters, breaks, undecided = "same", "adds", "alters", "breaks", "undecided"
	tests := []struct{ name, before, after, want string }{
		{"a body", "def f():\n    return 1\n", "def f():\n    return 2\n", same},
		{"comments and layout", "def f(a,b): pass\n", "# f\ndef f(a, b):\n    pass\n", same},
		{"a function comes", "", "def f(): pass\n", adds},
		{"a function goes", "def f(): pass\n", "", breaks},
		{"a function is renamed", "def f(): pass\n", "def g(): pass\n", breaks},
		{"a private one is renamed", "def _f(): pass\n", "def _g(): pass\n", same},
		{"a method is renamed", "class C:\n    def m(self): pass\n", "class C:\n    def n(self): pass\n", breaks},
		{"a private method is renamed", "class C:\n    def _m(self): pass\n", "class C:\n    def _n(self): pass\n", same},
		{"a call method goes", "class C:\n    def __call__(self): pass\n", "class C: pass\n", breaks},
		{"a class becomes a function", "class C: pass\n", "def C(): pass\n", breaks},
		{"a function becomes async", "def f(): pass\n", "async def f(): pass\n", breaks},
		{"a method becomes a property", "class C:\n    def m(self): pass\n", "class C:\n    @property\n    def m(self): pass\n", breaks},
		{"self is renamed", "class C:\n    def m(self, a): pass\n", "class C:\n    def m(this, a): pass\n", same},
		{"a parameter is renamed", "def f(a): pass\n", "def f(b): pass\n", breaks},
		{"a parameter by place alone is renamed", "def f(a, /): pass\n", "def f(b, /): pass\n", same},
		{"a parameter comes", "def f(a): pass\n", "def f(a, b): pass\n", breaks},
		{"a parameter that need not be given comes", "def f(a): pass\n", "def f(a, b=1): pass\n", adds},
		{"one comes before others", "def f(a): pass\n", "def f(b=1, a=2): pass\n", breaks},
		{"parameters change places", "def f(a, b): pass\n", "def f(b, a): pass\n", breaks},
		{"a parameter must be named", "def f(a): pass\n", "def f(*, a): pass\n", breaks},
		{"a default comes", "def f(a): pass\n", "def f(a=1): pass\n", adds},
		{"a default goes", "def f(a=1): pass\n", "def f(a): pass\n", breaks},
		{"a default changes", "def f(a=1): pass\n", "def f(a=2): pass\n", alters},
		{"an annotation changes", "def f(a: int): pass\n", "def f(a: str): pass\n", alters},
		{"an annotation is quoted", "def f(a: C) -> C: pass\n", "def f(a: 'C') -> \"C\": pass\n", same},
		{"init returns nothing", "class C:\n    def __init__(self): pass\n", "class C:\n    def __init__(self) -> None: pass\n", same},
		{"init asks for more", "class C: pass\n", "class C:\n    def __init__(self, a): pass\n", breaks},
		{"a decorator comes", "def f(): pass\n", "@cached\ndef f(): pass\n", alters},
		{"a value changes", "X = 1\n", "X = 2\n", alters},
		{"an attribute is renamed", "class C:\n    def __init__(self):\n        self.a = 1\n", "class C:\n    def __init__(self):\n        self.b = 1\n", breaks},
		{"a base goes", "class C(A): pass\n", "class C: pass\n", breaks},
		{"a method of a private base goes", "class _B:\n    def m(self): pass\nclass C(_B): pass\n", "class _B: pass\nclass C(_B): pass\n", breaks},
		{"a dataclass asks for more", "@dataclass\nclass C:\n    a: int\n", "@dataclass\nclass C:\n    a: int\n    b: int\n", breaks},
		{"a dataclass may be given more", "@dataclass\nclass C:\n    a: int\n", "@dataclass\nclass C:\n    a: int\n    b: int = 0\n", adds},
		{"an export goes", "__all__ = ['f', 'g']\ndef f(): pass\ndef g(): pass\n", "__all__ = ['f']\ndef f(): pass\ndef g(): pass\n", breaks},
		{"what is not exported goes", "__all__ = ['f']\ndef f(): pass\ndef g(): pass\n", "__all__ = ['f']\ndef f(): pass\n", same},
		{"an export is added", "__all__ = ['f']\ndef f(): pass\n", "__all__ = ['f']\n__all__ += ['g']\ndef f(): pass\ndef g(): pass\n", adds},
		{"exports are computed", "def f(): pass\n", "__all__ = [n for n in dir()]\ndef f(): pass\n", undecided},
		{"all is imported", "", "from os import *\n", undecided},
		{"names are made", "", "globals()['x'] = 1\n", undecided},
		{"names are made in a function", "def _f():\n    return 1\n", "def _f():\n    return globals()\n", same},
		{"an import again goes", "from os import path as path\n", "", breaks},
		{"an import goes", "import os\n", "", same},
		{"a function is there in some cases", "def f(): pass\n", "if X:\n    def f(): pass\n", breaks},
		{"a name is deleted", "x = 1\n", "x = 1\ndel x\n", breaks},
		{"a file that does not parse", "def f(): pass\n", "def f(:\n", undecided},
		{"a wrong indentation", "def f(): pass\n", "def f():\n    a = 1\n      b = 2\n", undecided},
		{"what the compiler refuses", "def f(): pass\n", "def f(): pass\nreturn 1\n", undecided},
		{"bytes that are no text", "def f(): pass\n", "x = '\xff'\n", undecided},
	}
	var inputs []source.Input
	for _, tt := range tests {
		inputs = append(inputs, source.Input{Path: "p/m.py", Content: []byte(tt.before)},
			source.Input{Path: "p/m.py", Content: []byte(tt.after)})
	}
	files, err := language(t).Read(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		before, after := &files[2*i], &files[2*i+1]
		got := same
		for _, d := range source.Differences(&before.Surface, &after.Surface) {
			got = max(got, []string{"zadds", "zbalters", "zcbreaks"}[d.Effect])
		}
		got = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(got, "zb"), "zc"), "z")
		if len(before.Undecided())+len(after.Undecided()) > 0 {
			got = undecided
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s: %v %v", tt.name, got, tt.want,
				source.Differences(&before.Surface, &after.Surface), after.Undecided())
		}
	}
}

// Names are as programs import them, and found where they are looked for.
func TestNames(t *testing.T) {
	l := language(t)
	tests := []struct{ file, want string }{
		{"m.py", "m.C.f"}, {"a/b/m.py", "a.b.m.C.f"}, {"src/a/m.py", "a.m.C.f"}, {"x/src/a/m.py", "a.m.C.f"},
		{"a/__init__.py", "a.C.f"}, {"src/a/__init__.pyi", "a.C.f"}, {"a/b/c/src/m.py", "m.C.f"},
	}
	var inputs []source.Input
	for _, tt := range tests {
		inputs = append(inputs, source.Input{Path: tt.file, Content: []byte("class C:\n    def f(self): pass\n")})
	}
	read, err := l.Read(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		file, want := tt.file, tt.want
		if read[i].Declares(want) == nil {
			t.Errorf("%s: %v, want %s", file, read[i].Symbols, want)
		}
		matches := func(p string) bool { ok, err := path.Match(p, file); return ok && err == nil }
		if !slices.ContainsFunc(l.Places(want), matches) {
			t.Errorf("%s is not looked for in %s: %q", want, file, l.Places(want))
		}
	}
	for _, p := range []string{"a.b/m.py", "m.pyx", "m.txt", "a/m.test.py"} {
		if l.Reads(p) {
			t.Errorf("%s is read", p)
		}
	}
	for _, s := range []string{"", "m", "a/b.C", "a..b", ".f."} {
		if got := l.Places(s); len(got) > 0 {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// Tests and private modules offer nothing, and have symbols.
func TestWhatIsOfferedToNobody(t *testing.T) {
	var inputs []source.Input
	for _, p := range []string{"test_a.py", "a_test.py", "conftest.py", "tests/a.py", "a/_m.py", "_a/m.py", "a/__main__.py"} {
		inputs = append(inputs, source.Input{Path: p, Content: []byte("def f(): pass\n")})
	}
	files, err := language(t).Read(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if len(f.Surface.Decls) > 0 || len(f.Symbols) != 1 {
			t.Errorf("%s: %v, %v", f.Path, f.Surface, f.Symbols)
		}
	}
}

// A symbol's text is the whole declaration, with what is said above it.
func TestText(t *testing.T) {
	files, err := language(t).Read(t.Context(), []source.Input{{Path: "m.py",
		Content: []byte("import os\n\n# C is.\n@d\nclass C:\n    x = 1\n\ny = 2\n")}})
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Symbol{{Name: "m.C", Line: 5, Text: "# C is.\n@d\nclass C:\n    x = 1\n"},
		{Name: "m.C.x", Line: 6, Text: "    x = 1\n"}, {Name: "m.y", Line: 8, Text: "y = 2\n"}}
	if diff := cmp.Diff(want, files[0].Symbols); diff != "" {
		t.Error(diff)
	}
}

// A program that is none, and one that says nonsense, read nothing and say so.
func TestProgramsThatAreNoPython(t *testing.T) {
	for _, program := range []string{"/no/such/program", "/bin/true", "/bin/false", "/bin/echo"} {
		_, err := python.Language{Program: program}.Read(t.Context(), []source.Input{{Path: "m.py"}})
		if err == nil {
			t.Errorf("%s: no error", program)
		}
	}
}

// Whatever a file holds, it is answered for, and nothing of it is run.
func FuzzRead(f *testing.F) {
	l := language(f)
	f.Add([]byte("def f(a, *b, c=1, **d): pass\nclass C(B, m=1):\n    x: int = 2\n"))
	f.Add([]byte("__all__ = ['a'] + b\nimport os as os\ndel os\n"))
	f.Add([]byte("raise SystemExit\n"))
	f.Add([]byte("# coding: utf-16\n"))
	f.Add([]byte("\x00"))
	f.Add([]byte(strings.Repeat("(", 3000)))
	f.Add([]byte("x = " + strings.Repeat("-", 20000) + "1\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		files, err := l.Read(t.Context(), []source.Input{{Path: "a/m.py", Content: content}})
		if err != nil {
			t.Fatalf("%q: %v", content, err)
		}
		for _, s := range files[0].Symbols {
			if !strings.HasPrefix(s.Name, "a.m.") || s.Line < 1 {
				t.Errorf("%q: %+v", content, s)
			}
		}
	})
}

// TestFind holds that scripts which look for another Python are passed over.
func TestFind(t *testing.T) {
	l := language(t)
	shims := t.TempDir()
	if err := os.WriteFile(filepath.Join(shims, "python3"), []byte("#!/bin/sh\nexec python3.99 \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", shims)
	if got, ok := python.Find(); ok {
		t.Errorf("found %s", got.Program)
	}
	t.Setenv("PATH", shims+string(os.PathListSeparator)+filepath.Dir(l.Program))
	if got, ok := python.Find(); !ok || got != l {
		t.Errorf("found %+v, not %+v", got, l)
	}
}
