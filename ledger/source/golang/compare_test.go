package golang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger/source"
)

func surfaceOf(t *testing.T, src string) *source.Surface {
	t.Helper()
	if !strings.Contains(src, "package ") {
		src = "package p\n" + src
	}
	f := Read("p.go", []byte(src))
	if len(f.Faults) > 0 {
		t.Fatalf("%s: %v", src, f.Faults)
	}
	return &f.Surface
}

func TestCompare(t *testing.T) {
	const (
		same  = "same"
		added = "added"
		alter = "altered"
		broke = "broken"
	)
	tests := []struct {
		name, before, after, want string
	}{
		// functions
		{"function added", "", "func F() {}", added},
		{"function removed", "func F() {}", "", broke},
		{"unexported function removed", "func f() {}", "", same},
		{"body", "func F() int { return 1 }", "func F() int { return 2 }", same},
		{"comment and formatting", "func F( a int )  { }", "// F does.\nfunc F(a int) {\n}", same},
		{"comment in a type", "func F(s struct{ A int }) {}", "func F(s struct {\n\t// A is.\n\tA int // now\n}) {}",
			same},
		{"parameter renamed", "func F(a, b int) {}", "func F(x int, y int) {}", same},
		{"result named", "func F() error { return nil }", "func F() (err error) { return nil }", same},
		{"parameter added", "func F(a int) {}", "func F(a int, b int) {}", broke},
		{"parameter changed", "func F(a int) {}", "func F(a int64) {}", broke},
		{"parameter variadic", "func F(a int) {}", "func F(a ...int) {}", broke},
		{"slice for variadic", "func F(a ...int) {}", "func F(a []int) {}", broke},
		{"result added", "func F() {}", "func F() error { return nil }", broke},
		{"type parameter renamed", "func F[T any](x T) []T { return nil }", "func F[E any](y E) []E { return nil }",
			same},
		{"constraint", "func F[T any](x T) {}", "func F[T comparable](x T) {}", broke},
		{"type parameter added", "func F(x int) {}", "func F[T any](x int) {}", broke},
		{"type parameters swapped", "func F[A, B any](a A, b B) {}", "func F[B, A any](a A, b B) {}", broke},
		{"function to variable", "func F() {}", "var F = func() {}", broke},
		{"import renamed", "import \"io\"\nfunc F(r io.Reader) {}", "import stdio \"io\"\nfunc F(r stdio.Reader) {}",
			same},
		{"import swapped", "import rand \"math/rand\"\nfunc F(r *rand.Rand) {}", "import rand \"math/rand/v2\"\nfunc F(r *rand.Rand) {}", broke},
		{"parenthesised function type", "func F(f func(a int) error) {}", "func F(f func(int) (err error)) {}", same},
		// methods
		{"method added", "type T int", "type T int\nfunc (T) M() {}", added},
		{"method removed", "type T int\nfunc (T) M() {}", "type T int", broke},
		{"method changed", "type T int\nfunc (T) M() {}", "type T int\nfunc (T) M(int) {}", broke},
		{"receiver to pointer", "type T int\nfunc (t T) M() {}", "type T int\nfunc (t *T) M() {}", broke},
		{"receiver from pointer", "type T int\nfunc (t *T) M() {}", "type T int\nfunc (t T) M() {}", added},
		{"method of an unexported type", "type t int\nfunc (t) M() {}", "type t int", same},
		{"generic receiver renamed", "type L[T any] struct{}\nfunc (l L[T]) M(x T) {}", "type L[E any] struct{}\nfunc (q L[E]) M(y E) {}", same},
		// structs
		{"field added", "type S struct{ A int }", "type S struct{ A int; B string }", added},
		{"unexported field added", "type S struct{ A int }", "type S struct{ A int; b string }", same},
		{"field removed", "type S struct{ A, B int }", "type S struct{ A int }", broke},
		{"field changed", "type S struct{ A int }", "type S struct{ A string }", broke},
		{"fields regrouped and moved", "type S struct{ A, B int }", "type S struct{ B int; A int }", same},
		{"tag", "type S struct{ A int }", "type S struct{ A int `json:\"a\"` }", alter},
		{"tag of a field that others cannot see", "type S struct{ a int }", "type S struct{ a int `json:\"a\"` }", same},
		{"embedded removed", "type S struct{ base; A int }\ntype base struct{}", "type S struct{ A int }\ntype base struct{}", broke},
		{"field named like a type parameter", "type S[T any] struct{ T T }", "type S[E any] struct{ T E }", same},
		// interfaces
		{"method asked for", "type I interface{ A() }", "type I interface{ A(); B() }", broke},
		{"method no longer asked for", "type I interface{ A(); B() }", "type I interface{ A() }", broke},
		{"method of an interface changed", "type I interface{ A() }", "type I interface{ A() error }", broke},
		{"sealed interface grows", "type I interface{ a(); A() }", "type I interface{ a(); A(); B() }", added},
		{"interface unsealed", "type I interface{ a(); A() }", "type I interface{ A() }", broke},
		{"parameters of an interface renamed", "type I interface{ A(x int) }", "type I interface{ A(y int) }", same},
		{"union", "type N interface{ ~int | ~string }", "type N interface{ ~int }", broke},
		// other types
		{"underlying", "type T int", "type T int64", broke},
		{"alias to definition", "type T = int", "type T int", broke},
		{"struct to interface", "type T struct{}", "type T interface{}", broke},
		{"type removed", "type T int", "", broke},
		// values
		{"constant value", "const C = 1", "const C = 2", alter},
		{"constant kind", "const C = 1", "const C = \"a\"", broke},
		{"constant typed", "const C int = 1", "const C int64 = 1", broke},
		{"constant by expression", "const C = 8", "const C = 1 << 3", alter},
		{"iota moved", "const (\n\tA = iota\n\tB\n)", "const (\n\tA = iota\n\tX\n\tB\n)", alter + "," + added},
		{"constant regrouped", "const A = 1\nconst B = 2", "const (\n\tA = 1\n\tB = 2\n)", same},
		{"variable text", "import \"errors\"\nvar Err = errors.New(\"a\")", "import \"errors\"\nvar Err = errors.New(\"b\")", alter},
		{"variable made otherwise", "var V = f(1)", "var V = g(1)", broke},
		{"variable type", "var V int", "var V string", broke},
		{"composite", "var V = []int{1}", "var V = []int{1, 2}", same},
		{"composite type", "var V = []int{1}", "var V = [...]int{1}", broke},
		{"several from one call", "var A, B = f()", "var B, A = f()", broke + "," + broke},
		// variants
		{"one of two variants changed", "func F() {}\nfunc F() {}", "func F() {}\nfunc F(int) {}", same},
		{"package main", "package main\nfunc F() {}", "package main", same},
	}
	effects := []string{added, alter, broke}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range source.Differences(surfaceOf(t, tt.before), surfaceOf(t, tt.after)) {
				got = append(got, effects[d.Effect])
			}
			if len(got) == 0 {
				got = []string{same}
			}
			if g := strings.Join(got, ","); g != tt.want {
				t.Errorf("got %s, want %s\nbefore: %s\nafter:  %s", g, tt.want, tt.before, tt.after)
			}
		})
	}
}

func TestCompareSaysWhatAndWhere(t *testing.T) {
	before := surfaceOf(t, "type S struct {\n\tA int\n\tB string\n}\nfunc Gone() {}")
	after := surfaceOf(t, "\n\ntype S struct {\n\tA string\n}")
	want := []source.Difference{
		{Name: ".Gone", Effect: source.Breaks, What: "function removed", Before: "function func()", Path: "p.go", Line: 6},
		{Name: ".S", Effect: source.Breaks, What: "struct lost or changed field A, field B",
			Before: "struct{A int; B string}", After: "struct{A string}", Path: "p.go", Line: 4},
	}
	if diff := cmp.Diff(want, source.Differences(before, after)); diff != "" {
		t.Error(diff)
	}
}

func TestTexts(t *testing.T) {
	src := "package p\n\n// F does.\nfunc F() {}\n\nfunc (l *L[T]) M() int { return 1 }\n\nconst (\n\tA = iota\n\tB // last\n)\n\ntype (\n\t// X is.\n\tX int\n)\n\nvar a, b = 1, 2\n"
	got := Read("x/p.go", []byte(src)).Symbols
	want := []source.Symbol{
		{Name: "x.F", Line: 4, Text: "// F does.\nfunc F() {}"},
		{Name: "x.L.M", Line: 6, Text: "func (l *L[T]) M() int { return 1 }"},
		{Name: "x.A", Line: 9, Text: "const 0 A = iota"}, {Name: "x.B", Line: 10, Text: "const 1 B"},
		{Name: "x.X", Line: 15, Text: "// X is.\ntype X int"},
		{Name: "x.a", Line: 18, Text: "var a, b = 1, 2"}, {Name: "x.b", Line: 18, Text: "var a, b = 1, 2"},
	}
	// The comment of F belongs to its node already.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzSurface(f *testing.F) {
	for _, s := range []string{"package p\nfunc F[T any](x ...T) (a, b error)", "package p; type S struct{ a.B; *C; D, E int }", "package p\nconst ( A = iota; B )\nvar X, Y = f()",
		"package p\nfunc (", "package p\nfunc () M() {}", "package p\nfunc (x [3]T) M() {}", "package p; var X = &[]int{}[0]", "\xff\x00", "package p\n//line x:1\nfunc F() {}"} {
		f.Add(s)
	}
	f.Add("package a\nfunc () M() {}\nfunc (a, b) N()")
	f.Fuzz(func(t *testing.T, src string) {
		a, b := Read("x/p.go", []byte(src)), Read("x/p.go", []byte(src))
		if d := cmp.Diff(a.Faults, b.Faults); d != "" {
			t.Fatalf("read twice: %s", d)
		}
		if d := source.Differences(&a.Surface, &b.Surface); len(d) != 0 {
			t.Fatalf("a file differs from itself: %+v", d)
		}
		for _, s := range a.Symbols {
			if !strings.HasPrefix(s.Name, "x.") || s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}
