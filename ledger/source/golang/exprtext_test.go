package golang

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"
)

// What fits on one line is written as gofmt writes it.
func TestExprText(t *testing.T) {
	for _, text := range []string{
		"x", `"a"`, "a.B", "*T", "**T", "(a)", "-a", "!a", "&a", "a + b", "a[i]", "A[B, C]", "a[1:]", "a[:2]", "a[i:j:k]",
		"f()", "f(a, b)", "f(a...)", "x.(T)", "x.(type)", "T{}", "[]int{}", "[...]int{}",
		"[]byte", "[4]byte", "[N][M]T", "map[string][]int", "chan int", "chan<- int", "<-chan int", "chan (<-chan int)",
		"chan<- (chan int)", "chan chan int", "[]func()", "func()", "func(int, ...string) error", "func() (int, error)", "func(func(int) bool)",
		"struct{}", "struct{ A int }", "interface{}", "interface{ M(int) string }", "interface{ ~int | ~string }",
		"func() {}", "A[B].C", "(*T)(nil)", "(func())(nil)", "a.B[C]{}",
	} {
		x, err := parser.ParseExpr(text)
		if err != nil {
			if x, err = typeIn(text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		var want strings.Builder
		if err := printer.Fprint(&want, token.NewFileSet(), x); err != nil {
			t.Fatal(err)
		}
		if got := exprText(x); got != want.String() && got != text {
			t.Errorf("got %s, want %s", got, want.String())
		}
	}
}

// typeIn reads what is no expression by itself.
func typeIn(text string) (ast.Expr, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\nfunc f() { switch "+text+" {} }", 0)
	if err != nil {
		return nil, err
	}
	body := f.Decls[0].(*ast.FuncDecl).Body.List[0]
	return body.(*ast.TypeSwitchStmt).Assign.(*ast.ExprStmt).X, nil
}

// What differs is written differently.
func TestExprTextTellsApart(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{
		"struct{ A func() }", "interface{ A() }", "struct{ A, B int }", "struct{ A int; B int8 }", "struct { A int `x` }",
		"chan (<-chan int)", "chan<- chan int", "[1]int", "[2]int", "[]int", "func(int) int", "func(int, int)",
		"func(...int)", "func([]int)", "a[1:2]", "a[1:2:2]", "f(a)", "f(a...)", "x.(T)", "interface{ int | string }",
		"interface{ int; string }", "map[string]int", "*T", "T",
	} {
		x, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := exprText(x)
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s are both %s", other, text, got)
		}
		seen[got] = text
	}
}
