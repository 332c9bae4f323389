package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// version is one state of some files: contents by path.
type version map[string]string

func (v version) tree(t testing.TB) *ledger.Tree {
	t.Helper()
	folders := make(map[string]bool)
	var entries []ledger.Entry
	for name, content := range v {
		entries = append(entries, fileOf(name, content))
		for d := path.Dir(name); d != "." && !folders[d]; d = path.Dir(d) {
			folders[d] = true
			entries = append(entries, ledger.Entry{Path: d, Kind: ledger.Dir, Mode: 0o755})
		}
	}
	tree, err := ledger.NewTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// fileOf is the entry of a file.
func fileOf(name, content string) ledger.Entry {
	return ledger.Entry{Path: name, Kind: ledger.File, Mode: 0o644, Size: int64(len(content)),
		Digest: ledger.Sum([]byte(content))}
}

func (v version) open(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
	content, ok := v[e.Path]
	if !ok {
		return nil, fmt.Errorf("no content of %q", e.Path)
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

func TestSymbols(t *testing.T) {
	tests := []struct {
		name          string
		before, after version
		want          []string
		broken        []string
	}{
		{"every kind", nil, version{"s/a.go": `package s
import "fmt"
const A, _ = 1, 2
var (
	B int
	c, D = 1, 2
)
type T[P any] struct{ F int }
type U = int
func F() { type inner int; fmt.Println() }
func init() {}
func _() {}
func (T[P]) M() {}
func (t *T[P]) N() {}
func (t (*U)) O() {}
func (*T[P]) _() {}
type I interface{ Method() }
`}, []string{"+s.A:3", "+s.B:5", "+s.D:6", "+s.F:10", "+s.I:17", "+s.T:8", "+s.T.M:13", "+s.T.N:14", "+s.U:9", "+s.U.O:15", "+s.c:6"}, nil},
		{"in the root and in depth", nil, version{"a.go": "package a\nvar X int", "b/c/d.go": "package c\nvar Y int"},
			[]string{"+.X:2", "+b/c.Y:2"}, nil},
		{"tests count", nil, version{"server/limit_test.go": "package server_test\nfunc TestLimit() {}"}, []string{"+server.TestLimit:2"}, nil},
		{"a body is no symbol", version{"a.go": "package a\nfunc F() {}"}, version{"a.go": "package a\n\nfunc F() { return }"}, nil, nil},
		{"lost and found", version{"a.go": "package a\nfunc F() {}\nvar Y int"}, version{"a.go": "package a\nfunc G() {}\nvar Y int"}, []string{"-.F:2", "+.G:2"}, nil},
		{"moved within a folder", version{"a.go": "package a\nfunc F() {}"},
			version{"b.go": "package a\nfunc F() {}"}, nil, nil},
		{"moved between folders", version{"x/a.go": "package a\nfunc F() {}"}, version{"y/a.go": "package a\nfunc F() {}"}, []string{"-x.F:2", "+y.F:2"}, nil},
		{"method moved to another type", version{"a.go": "package a\nfunc (A) F() {}"}, version{"a.go": "package a\nfunc (B) F() {}"}, []string{"-.A.F:2", "+.B.F:2"}, nil},
		{"one name for several systems", nil, version{"a_linux.go": "package a\nfunc F() {}", "a_windows.go": "package a\n\nfunc F() {}"}, []string{"+.F:2"}, nil},
		{"lost on one of two changed systems", version{"a_linux.go": "package a\nfunc F() {}", "a_windows.go": "package a\nfunc F() {}"},
			version{"a_linux.go": "package a", "a_windows.go": "package a\n\nfunc F() {}"}, nil, nil},
		{"broken", version{"a.go": "package a\nfunc F() {}"}, version{"a.go": "package a\nfunc G() {}\nfunc ("},
			[]string{"-.F:2", "+.G:2"}, []string{"a.go"}},
		{"no Go at all", nil, version{"a.go": "\x00\xff", "b.txt": "package b\nvar B int"}, nil, []string{"a.go"}},
		{"line directives do not lie", nil, version{"a.go": "package a\n//line evil.go:1000\nvar X int"}, []string{"+.X:3"}, nil},
		{"deleted", version{"a.go": "package a\nvar X int"}, nil, []string{"-.X:2"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := ledger.Diff(tt.before.tree(t), tt.after.tree(t))
			found, broken, err := symbols(t.Context(), changes, tt.before.open, tt.after.open)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range found {
				mark := "+"
				if s.Op == ledger.Deleted {
					mark = "-"
				}
				got = append(got, fmt.Sprintf("%s%s:%d", mark, s.Name, s.Line))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.broken, broken); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzGoSymbols(f *testing.F) {
	f.Add([]byte("package a\nfunc (t *T[P]) M() {}\nvar _, b = 1, 2"))
	f.Add([]byte("package a\nfunc () M() {}\nfunc (a, b) N()"))
	f.Fuzz(func(t *testing.T, content []byte) {
		symbols, _ := goSymbols("x/y.go", content)
		for _, s := range symbols {
			if !strings.HasPrefix(s.Name, "x.") || s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}

func BenchmarkSymbols(b *testing.B) {
	content, err := os.ReadFile("source.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := goSymbols("source.go", content); err != nil {
			b.Fatal(err)
		}
	}
}

// A content that is not what its entry says is an error, and never read as
// source or counted.
func TestContentMustMatchItsEntry(t *testing.T) {
	want := version{"a.go": "package a\n"}
	changes := ledger.Diff(ledger.Empty(), want.tree(t))
	for _, other := range []version{{"a.go": "package b\n"}, {"a.go": "package"}, {"a.go": "package a\n\n"}} {
		if _, _, err := symbols(t.Context(), changes, nil, other.open); !errors.Is(err, ledger.ErrContent) {
			t.Errorf("symbols of %q: %v", other["a.go"], err)
		}
		if _, _, err := countChanges(t.Context(), changes, nil, other.open); !errors.Is(err, ledger.ErrContent) {
			t.Errorf("lines of %q: %v", other["a.go"], err)
		}
	}
	if _, _, err := countChanges(t.Context(), changes, nil, version{}.open); err == nil ||
		!strings.Contains(err.Error(), `"a.go"`) {
		t.Errorf("got %v", err)
	}
}
