package ledger

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func created(path string) Change {
	e := file(path, path)
	return Change{Path: path, Op: Created, After: &e}
}

func modified(path string) Change {
	a, b := file(path, "before"), file(path, "after")
	return Change{Path: path, Op: Modified, Before: &a, After: &b}
}

func deleted(path string) Change {
	e := file(path, path)
	return Change{Path: path, Op: Deleted, Before: &e}
}

func folderChange(path string, op Op) Change {
	e := dir(path)
	if op == Created {
		return Change{Path: path, Op: op, After: &e}
	}
	return Change{Path: path, Op: op, Before: &e}
}

func TestReconcile(t *testing.T) {
	fifo := Entry{Path: "fifo", Kind: Special, Mode: 0o600}
	add, remove := Symbol{Name: "s.A", Op: Created, Path: "s/a.go", Line: 3}, Symbol{Name: "s.B", Op: Deleted, Path: "s/b.go", Line: 4}
	tests := []struct {
		name     string
		declared Declared
		changes  []Change
		symbols  []Symbol
		want     string
	}{
		{"nothing", Declared{}, nil, nil, "expected   nothing\nhappened   nothing"},
		{"as declared", Declared{Create: []string{"a"}, Modify: []string{"b"}, Delete: []string{"c"}},
			[]Change{created("a"), modified("b"), deleted("c")}, nil,
			"expected   create a\n           modify b\n           delete c\nhappened   create a\n           modify b\n           delete c"},
		{"undeclared", Declared{Modify: []string{"server/server.go"}},
			[]Change{modified("internal/auth/token.go"), modified("server/server.go")}, nil,
			"expected   modify server/server.go\nhappened   modify server/server.go\n           modify internal/auth/token.go  ← not declared"},
		{"missing and extra, all of them", Declared{Create: []string{"x", "y"}},
			[]Change{created("b"), created("a")}, nil,
			"expected   create x  ← did not happen\n           create y  ← did not happen\nhappened   create a  ← not declared\n           create b  ← not declared"},
		{"created was there before", Declared{Create: []string{"a"}}, []Change{modified("a")}, nil,
			"expected   create a  ← did not happen\nhappened   modify a  ← not declared"},
		{"modified is gone", Declared{Modify: []string{"a"}}, []Change{deleted("a")}, nil,
			"expected   modify a  ← did not happen\nhappened   delete a  ← not declared"},
		{"glob", Declared{Create: []string{"gen/**"}},
			[]Change{folderChange("gen", Created), created("gen/a"), created("gen/b/c")}, nil,
			"expected   create gen\n           create gen/a\n           create gen/b/c\nhappened   create gen\n           create gen/a\n           create gen/b/c"},
		{"glob without a match", Declared{Create: []string{"gen/*.go"}}, []Change{created("gen/a/b.go")}, nil,
			"expected   create gen/*.go    ← did not happen\nhappened   create gen/a/b.go  ← not declared"},
		{"parents come with a path", Declared{Create: []string{"a/b/c"}},
			[]Change{folderChange("a", Created), folderChange("a/b", Created), created("a/b/c")}, nil,
			"expected   create a\n           create a/b\n           create a/b/c\nhappened   create a\n           create a/b\n           create a/b/c"},
		{"parents go with a path", Declared{Delete: []string{"a/b"}},
			[]Change{folderChange("a", Deleted), deleted("a/b")}, nil,
			"expected   delete a\n           delete a/b\nhappened   delete a\n           delete a/b"},
		{"folders beside it do not", Declared{Create: []string{"a/b"}}, []Change{folderChange("a", Created), created("a/b"), folderChange("a/empty", Created)}, nil,
			"expected   create a\n           create a/b\nhappened   create a\n           create a/b\n           create a/empty  ← not declared"},
		{"a parent that was a file is not covered", Declared{Create: []string{"a/b"}}, []Change{modified("a"), created("a/b")}, nil,
			"expected   create a/b\nhappened   create a/b\n           modify a  ← not declared"},
		{"a parent of an undeclared path is not covered", Declared{},
			[]Change{folderChange("a", Created), created("a/b")}, nil,
			"expected   nothing\nhappened   create a    ← not declared\n           create a/b  ← not declared"},
		{"a name that looks like a glob", Declared{Create: []string{"app/[id].ts"}}, []Change{created("app/[id].ts")},
			nil,
			"expected   create app/[id].ts\nhappened   create app/[id].ts"},
		{"a planted FIFO", Declared{}, []Change{{Path: "fifo", Op: Created, After: &fifo}}, nil,
			"expected   nothing\nhappened   create fifo  ← not declared"},
		{"symbols not accounted", Declared{}, nil, []Symbol{add, remove}, "expected   nothing\nhappened   nothing"},
		{"a public symbol that came along", Declared{Public: true}, nil, []Symbol{{Name: "s.C", Op: Created, Path: "s/a.go", Line: 3, Public: true}, add},
			"expected   nothing\nhappened   add symbol s.C (s/a.go:3)  ← not declared"},
		{"symbols none", Declared{SymbolsAdd: []string{}}, nil, []Symbol{add, remove},
			"expected   nothing\nhappened   add symbol s.A (s/a.go:3)     ← not declared\n           remove symbol s.B (s/b.go:4)  ← not declared"},
		{"symbols as declared", Declared{SymbolsAdd: []string{"s.A"}, SymbolsRemove: []string{"s.B"}}, nil,
			[]Symbol{add, remove},
			"expected   add symbol s.A\n           remove symbol s.B\nhappened   add symbol s.A (s/a.go:3)\n           remove symbol s.B (s/b.go:4)"},
		{"a lost symbol beside a declared one", Declared{SymbolsAdd: []string{"s.A", "s.C"}}, nil,
			[]Symbol{add, remove},
			"expected   add symbol s.A\n           add symbol s.C                ← did not happen\nhappened   add symbol s.A (s/a.go:3)\n           remove symbol s.B (s/b.go:4)  ← not declared"},
		{"hostile names", Declared{}, []Change{created("a\x1b[2J\nb"), created("\u202egnp")}, nil,
			"expected   nothing\nhappened   create \"a\\x1b[2J\\nb\"  ← not declared\n           create \"\\u202egnp\"    ← not declared"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Reconcile(tt.declared, tt.changes, tt.symbols)
			if diff := cmp.Diff(tt.want, a.String()); diff != "" {
				t.Error(diff)
			}
			holds := len(a.Missing)+len(a.Extra)+len(a.SymbolsExtra) == 0
			if a.Holds() != holds {
				t.Errorf("Holds is %v", a.Holds())
			}
			data, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			var back Account
			if err := json.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(a, back); diff != "" {
				t.Errorf("%s\n%s", data, diff)
			}
		})
	}
}

func TestJSONIsExact(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, s := range samples {
		for _, e := range s.entries {
			e.ModTime = when
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var back Entry
			if err := json.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
			if back != e {
				t.Errorf("%s: got %+v, want %+v", data, back, e)
			}
		}
	}
	sym := Symbol{Name: "\xff.A", Op: Created, Path: "\xff/a.go", Line: 1}
	data, _ := json.Marshal(sym)
	var back Symbol
	if err := json.Unmarshal(data, &back); err != nil || back != sym {
		t.Errorf("%s: got %+v, %v", data, back, err)
	}
}

func TestJSONForms(t *testing.T) {
	a, b := file("a", "x"), Entry{Path: "a", Kind: Link, Target: "\xff"}
	var got string
	for _, v := range []any{
		a, b, dir("d"), file("\xfe", ""), Change{Path: "a", Op: Modified, Before: &a, After: &b},
		Expectation{Op: Created, Path: "x"}, Expectation{Op: Deleted, Symbol: "s.A"},
		Symbol{Name: "s.A", Op: Created, Path: "s/a.go", Line: 3}, LineCount{1, 2}, Declared{SymbolsRemove: []string{}},
	} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got += string(data) + "\n"
	}
	golden(t, "forms.jsonl", got)
}

func TestJSONRefusesModes(t *testing.T) {
	for _, mode := range []string{"9", "-1", "10000", "rw"} {
		var e Entry
		if err := json.Unmarshal(fmt.Appendf(nil, `{"path":"a","kind":"file","mode":%q}`, mode), &e); err == nil {
			t.Errorf("mode %q was read as %v", mode, e.Mode)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	for _, good := range []string{"a", "a/b.go", "**", "a/**", "**/*.go", "src/[a-z]?.{go,mod}", ".gitignore", "a b", "é", "app/[id]/page.ts", "..a", "a/..b", "{a,b}{c,d}/*.{go,mod}"} {
		if err := CheckPattern(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "/a", "./a", "a/./b", "../a", "a/..", "a/../../b", "a//b", "a/", "a\\b", "C:/a", "a\x00b", "a\r", "a ", " a", "a\nb",
		"\xff", "\u200ba", "\u202eb", "a[", "{a", strings.Repeat("{a,b}", 10), string(make([]byte, maxPattern+1))} {
		if err := CheckPattern(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"src", "src", true}, {"src", "src/a", false}, {"src", "src-evil", false},
		{"src/**", "src/a/b", true}, {"src/**", "src-evil/a", false}, {"src/**", "src", true},
		{"*.go", "a.go", true}, {"*.go", "b/a.go", false}, {"**/*.go", "a.go", true}, {"**/*.go", "b/c/a.go", true},
		{"*", ".hidden", true}, {"*", "\xff", true}, {"**", "a\nb/\xff\xfe", true}, {"?", "\xff", true},
		{"A", "a", false}, {"a[", "a[", true}, {"a[", "a", false},
		{"app/[id]/p", "app/[id]/p", true},
	}
	for _, tt := range tests {
		if got := Match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.path, got)
		}
	}
}
