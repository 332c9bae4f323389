package otel_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The page names each span, attribute and metric, and nothing else.
func TestNamesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	documented, there := map[string]bool{}, map[string]bool{}
	for _, name := range regexp.MustCompile("`(planlock\\.[a-z.]+)`").FindAllSubmatch(page, -1) {
		documented[string(name[1])] = true
	}
	source, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(source, func(n ast.Node) bool {
		value, ok := n.(*ast.BasicLit)
		if !ok {
			return true
		}
		name, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		if name != "github.com/planlock/planlock/exec/otel" && !documented[name] {
			t.Errorf("docs/telemetry.md does not name %s", name)
		}
		there[name] = true
		return true
	})
	for name := range documented {
		if !there[name] {
			t.Errorf("docs/telemetry.md names %s, which there is not", name)
		}
	}
}
