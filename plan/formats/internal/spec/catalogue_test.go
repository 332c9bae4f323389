package spec

import (
	flags "flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flags.Bool("update", false, "write golden files")

func sorted[T any](list []T, cmp func(a, b T) int) []T {
	slices.SortStableFunc(list, cmp)
	return list
}

// The page of the rules is what the table says.
func TestRulesPage(t *testing.T) {
	page := rulesPage(t)
	const path = "../../../../docs/spec-rules.md"
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page {
		t.Errorf("%s is out of date: go test ./plan/formats/internal/spec -run TestRulesPage -update", path)
	}
}

func rulesPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, r := range rules() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", r.code, r.code, r.severity)
	}
	why := reasons(t)
	for i, broken := range breaches(t) {
		r := rules()[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", r.code, strings.ToUpper(string(r.severity)[:1])+string(r.severity)[1:],
			why[r.code])
		for _, side := range [...]string{markdownSide, tomlSide} {
			for _, e := range broken.Edits {
				if e.Side == side {
					b.WriteString(fenced("Bad", side, e.Bad) + fenced("Good", side, e.Good))
				}
			}
		}
	}
	return b.String()
}

// reasons are the first paragraphs of what the functions of the rules say in
// their comments, by code.
func reasons(t *testing.T) map[string]string {
	files, err := filepath.Glob("rules*.go")
	if err != nil {
		t.Fatal(err)
	}
	said, by := map[string]string{}, map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				text, _, _ := strings.Cut(n.Doc.Text(), "\n\n")
				said[n.Name.Name] = strings.Join(strings.Fields(text), " ")
			case *ast.CompositeLit:
				if len(n.Elts) != 3 || n.Type != nil {
					continue
				}
				if code, ok := n.Elts[0].(*ast.BasicLit); ok {
					for n := range ast.Preorder(n.Elts[2]) {
						if id, ok := n.(*ast.Ident); ok {
							by[strings.Trim(code.Value, `"`)] = id.Name
						}
					}
				}
			}
		}
	}
	why := map[string]string{}
	for _, r := range rules() {
		if why[r.code] = said[by[r.code]]; why[r.code] == "" {
			t.Errorf("nothing says why %s is a rule", r.code)
		}
	}
	return why
}

func fenced(title, side, text string) string {
	switch text {
	case wholeFile:
		return fmt.Sprintf("\n%s: the %s file is there.\n", title, side)
	case "":
		return fmt.Sprintf("\n%s: it is not there, in %s.\n", title, side)
	}
	lines := strings.Split(strings.Trim(strings.ToValidUTF8(text, "\uFFFD"), "\n"), "\n")
	if len(lines) > 16 {
		lines = append(lines[:16], "…")
	}
	return fmt.Sprintf("\n%s:\n\n````%s\n%s\n````\n", title, side, strings.Join(lines, "\n"))
}

const pageHead = `# What a SPEC pair is checked for

A SPEC plan is a pair of files: ` + "`spec_NAME.md`" + ` for people and ` + "`parameters_NAME.toml`" + ` for machines. Each half alone, and both
against each other, are checked for what follows. An error refuses the plan, a warning is recorded, a note informs. This
page is written from the table of the rules.

Each rule shows what breaks it and what mends it, as pieces of one example. Texts are compared without backquotes and bold face, with runs of blanks
as one and without one final period. Ids are compared as text; step 2.3 of task 2 is its step 3.

| code | severity |
|---|---|
`
