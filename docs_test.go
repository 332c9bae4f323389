package planlock_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// TestLinksLeadSomewhere follows every relative link of every page.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		root := goldmark.New().Parser().Parse(text.NewReader(source))
		err = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			link, ok := n.(*ast.Link)
			if !ok || !entering {
				return ast.WalkContinue, nil
			}
			to, err := url.Parse(string(link.Destination))
			if err != nil || to.Scheme != "" || to.Path == "" {
				return ast.WalkContinue, err
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(to.Path))); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, link.Destination)
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// TestReadmeQuotesTheExamples holds the programs in the README to those that
// run.
func TestReadmeQuotesTheExamples(t *testing.T) {
	readme := fenced(t, "README.md")
	code := map[string]string{}
	for _, name := range []string{"simple.go", "composed.go", "embedded_test.go"} {
		source, err := os.ReadFile(filepath.Join("examples", "embedded", name))
		if err != nil {
			t.Fatal(err)
		}
		code[name] = string(source)
	}
	for _, block := range readme["go"] {
		for _, part := range strings.Split(strings.TrimSpace(block), "\n\n") {
			found := false
			for _, source := range code {
				found = found || strings.Contains(source, part)
			}
			if !found {
				t.Errorf("the README quotes a program that is none of examples/embedded:\n%s", part)
			}
		}
	}
	if len(readme["go"]) == 0 {
		t.Error("the README quotes no program")
	}
}

// TestReadmePlanHolds checks the plan that the README shows.
func TestReadmePlanHolds(t *testing.T) {
	blocks := fenced(t, "README.md")["toml"]
	if len(blocks) != 1 {
		t.Fatalf("the README shows %d plans, want 1", len(blocks))
	}
	draft, err := native.Read("README.md", []byte(blocks[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range draft.Check(plan.CheckOptions{}) {
		if d.Severity == plan.Error {
			t.Errorf("%s [%s]", d.Message, d.Code)
		}
	}
}

// fenced are the code blocks of a page, by language.
func fenced(t *testing.T, page string) map[string][]string {
	t.Helper()
	source, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	root := goldmark.New().Parser().Parse(text.NewReader(source))
	err = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := n.(*ast.FencedCodeBlock); ok && entering {
			language := string(block.Language(source))
			blocks[language] = append(blocks[language], string(block.Lines().Value(source)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// pages are all documents, those of test data left out.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "service" || strings.HasPrefix(d.Name(), ".") &&
			path != "."):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
