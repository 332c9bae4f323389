package planlock_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A rule is a row of one of the tables in docs/rules: what a way of working
// asks for, where that is, and which tests prove it.
type rule struct {
	page, id, text, where string
	tests                 []string          // "exec/internal/modes TestTriggers/rate"
	only                  map[string]string // where a test runs only in some cases: "torture", "root" or "user"
	differs               string            // why the design answers it otherwise
}

// rulesIn reads the tables in docs/rules, and that in docs/torture.md. A row
// has four columns: id, rule, where, proof. Where names files, separated by
// commas. The proof is tests, separated by commas, each as `package Test` or
// `package Test/part`, with "(torture)" behind those that run only with that
// tag, and "(root)" or "(user)" behind those that are skipped for anybody else;
// or it begins with "differs:".
func rulesIn(t *testing.T) []rule {
	t.Helper()
	pages, err := filepath.Glob("docs/rules/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	var all []rule
	for _, page := range append(pages, "docs/torture.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if !strings.HasPrefix(line, "| ") || cells[0] == "id" || len(cells[0]) < 2 || strings.Trim(cells[0][1:], "0123456789") != "" {
				continue
			}
			if len(cells) != 4 {
				t.Errorf("%s: row %s has %d columns, want 4", page, cells[0], len(cells))
				continue
			}
			r := rule{page: page, id: cells[0], text: cells[1], where: cells[2], only: map[string]string{}}
			if why, ok := strings.CutPrefix(cells[3], "differs:"); ok {
				r.differs = strings.TrimSpace(why)
			} else {
				for _, name := range strings.Split(cells[3], ",") {
					name = strings.Trim(strings.TrimSpace(name), "`")
					for _, only := range []string{"torture", "root", "user"} {
						if test, ok := strings.CutSuffix(name, " ("+only+")"); ok {
							name, r.only[test] = test, only
						}
					}
					r.tests = append(r.tests, name)
				}
			}
			all = append(all, r)
		}
	}
	return all
}

// declaredTests are the names of all tests of a folder, with the text of the
// files that they stand in.
func declaredTests(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = string(text)
			}
		}
	}
	return found
}

// TestRulesAreProved holds every row of the tables against the code: the files
// are there, and so are the tests.
func TestRulesAreProved(t *testing.T) {
	rules := rulesIn(t)
	if len(rules) < 200 {
		t.Errorf("the tables have %d rows, want over 200", len(rules))
	}
	seen := map[string]bool{}
	tests := map[string]map[string]string{}
	for _, r := range rules {
		at := fmt.Sprintf("%s: %s", r.page, r.id)
		if seen[r.id] {
			t.Errorf("%s stands there twice", at)
		}
		seen[r.id] = true
		if len(r.text) < 10 {
			t.Errorf("%s says nothing", at)
		}
		for _, file := range strings.Split(r.where, ",") {
			if file = strings.Trim(strings.TrimSpace(file), "`"); file != "-" || r.differs == "" {
				if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
		}
		if r.tests == nil {
			if len(r.differs) < 20 {
				t.Errorf("%s does not say why the design differs", at)
			}
			continue
		}
		for _, name := range r.tests {
			dir, test, ok := strings.Cut(name, " ")
			if !ok {
				t.Errorf("%s: %q is not a package and a test", at, name)
				continue
			}
			if tests[dir] == nil {
				tests[dir] = declaredTests(t, filepath.FromSlash(dir))
			}
			test, part, _ := strings.Cut(test, "/")
			text, ok := tests[dir][test]
			if !ok {
				t.Errorf("%s: %s has no test %s", at, dir, test)
			}
			if words := strings.ReplaceAll(path.Base(part), "_", " "); part != "" && !strings.Contains(text, words) &&
				!strings.Contains(text, path.Base(part)) &&
				!scripted(dir, part) && !ofTheSources(dir, words) {
				t.Errorf("%s: the file of %s in %s knows no %q", at, test, dir, part)
			}
		}
	}
}

// scripted reports whether a part of a test is a script.
func scripted(dir, part string) bool {
	_, err := os.Stat(filepath.Join(filepath.FromSlash(dir), "testdata", "script", part+".txtar"))
	return err == nil
}

// ofTheSources reports whether the sources of a package know a name: some tests
// go through a list that their package has.
func ofTheSources(dir, name string) bool {
	files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), strconv.Quote(name))
	})
}

// TestRulesRan holds the tables against a record of tests that ran, in the form
// of go test -json, whose file PLANLOCK_RAN names. Every test that the tables
// name must have passed.
func TestRulesRan(t *testing.T) {
	name := os.Getenv("PLANLOCK_RAN")
	if name == "" {
		t.Skip("PLANLOCK_RAN names no record of go test -json")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	passed := map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Action == "pass" && e.Test != "" {
			dir := strings.TrimPrefix(strings.TrimPrefix(e.Package, "github.com/planlock/planlock"), "/")
			passed[dir+" "+e.Test] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, r := range rulesIn(t) {
		for _, test := range r.tests {
			if only := r.only[test]; only == "torture" || only == "root" && os.Geteuid() != 0 || only == "user" &&
				os.Geteuid() == 0 {
				continue
			}
			test = strings.ReplaceAll(strings.TrimPrefix(test, ". "), "./", "")
			if !passed[test] && !passed[" "+test] {
				missing = append(missing, fmt.Sprintf("%s (%s)", test, r.id))
			}
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("%d tests that the tables name did not pass:\n%s", len(missing),
			strings.Join(slices.Compact(missing), "\n"))
	}
}
