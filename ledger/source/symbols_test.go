package source_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
)

func TestSymbolsOfChanges(t *testing.T) {
	tests := []struct {
		name          string
		before, after source.Version
		want          []string
		broken        []string
	}{
		{"every kind", nil, source.Version{"s/a.go": `package s
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
		{"in the root and in depth", nil, source.Version{"a.go": "package a\nvar X int", "b/c/d.go": "package c\nvar Y int"},
			[]string{"+.X:2", "+b/c.Y:2"}, nil},
		{"tests count", nil, source.Version{"server/limit_test.go": "package server_test\nfunc TestLimit() {}"}, []string{"+server.TestLimit:2"}, nil},
		{"a body is no symbol", source.Version{"a.go": "package a\nfunc F() {}"}, source.Version{"a.go": "package a\n\nfunc F() { return }"}, nil, nil},
		{"lost and found", source.Version{"a.go": "package a\nfunc F() {}\nvar Y int"}, source.Version{"a.go": "package a\nfunc G() {}\nvar Y int"}, []string{"-.F:2", "+.G:2"}, nil},
		{"moved within a folder", source.Version{"a.go": "package a\nfunc F() {}"},
			source.Version{"b.go": "package a\nfunc F() {}"}, nil, nil},
		{"moved between folders", source.Version{"x/a.go": "package a\nfunc F() {}"}, source.Version{"y/a.go": "package a\nfunc F() {}"}, []string{"-x.F:2", "+y.F:2"}, nil},
		{"method moved to another type", source.Version{"a.go": "package a\nfunc (A) F() {}"}, source.Version{"a.go": "package a\nfunc (B) F() {}"}, []string{"-.A.F:2", "+.B.F:2"}, nil},
		{"one name for several systems", nil, source.Version{"a_linux.go": "package a\nfunc F() {}", "a_windows.go": "package a\n\nfunc F() {}"}, []string{"+.F:2"}, nil},
		{"lost on one of two changed systems", source.Version{"a_linux.go": "package a\nfunc F() {}", "a_windows.go": "package a\nfunc F() {}"},
			source.Version{"a_linux.go": "package a", "a_windows.go": "package a\n\nfunc F() {}"}, nil, nil},
		{"broken", source.Version{"a.go": "package a\nfunc F() {}"}, source.Version{"a.go": "package a\nfunc G() {}\nfunc ("},
			[]string{"-.F:2", "+.G:2"}, []string{"a.go"}},
		{"no Go at all", nil, source.Version{"a.go": "\x00\xff", "b.txt": "package b\nvar B int"}, nil, []string{"a.go"}},
		{"line directives do not lie", nil, source.Version{"a.go": "package a\n//line evil.go:1000\nvar X int"}, []string{"+.X:3"}, nil},
		{"deleted", source.Version{"a.go": "package a\nvar X int"}, nil, []string{"-.X:2"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := ledger.Diff(tt.before.Tree(t), tt.after.Tree(t))
			both := func(ctx context.Context, e ledger.Entry) (io.ReadCloser, error) {
				if old, ok := tt.before[e.Path]; ok && e.Digest == ledger.Sum([]byte(old)) {
					return tt.before.Open(ctx, e)
				}
				return tt.after.Open(ctx, e)
			}
			r := &source.Reader{Languages: []source.Language{golang.Language{}}}
			made, err := r.Compare(t.Context(), changes, both)
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := r.Changed(t.Context(), changes, both)
			if err != nil {
				t.Fatal(err)
			}
			found := made.Symbols
			var broken []string
			for _, p := range pairs {
				if len(p.Undecided()) > 0 {
					broken = append(broken, p.Path)
				}
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
