package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// A seen diagnostic is what the tests of the catalogue compare.
type seen struct {
	Code     string
	Severity plan.Severity
	Pos      plan.Position
}

func check(t *testing.T, markdown, toml string) []plan.Diagnostic {
	t.Helper()
	var m, p *plan.Text
	if markdown != "" {
		m = &plan.Text{Path: "spec_limiter.md", Text: []byte(markdown)}
	}
	if toml != "" {
		p = &plan.Text{Path: "parameters_limiter.toml", Text: []byte(toml)}
	}
	d, err := read(m, p)
	if err != nil {
		t.Fatal(err)
	}
	return d.Found
}

func place(t *testing.T, m Mark, markdown, toml string) plan.Position {
	t.Helper()
	name, text := "spec_limiter.md", markdown
	if m.Side == tomlSide {
		name, text = "parameters_limiter.toml", toml
	}
	at := strings.Index(text, m.Text)
	if at < 0 {
		t.Fatalf("no %q in the %s example", m.Text, m.Side)
	}
	before := text[:at]
	return plan.Position{File: name, Line: strings.Count(before, "\n") + 1, Column: at - strings.LastIndex(before, "\n")}
}

// Every rule finds its bad example, and nothing else, where it says; taking the edits back mends it.
func TestRules(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.Code, func(t *testing.T) {
			markdown, toml := example(r.speclets)
			if found := check(t, markdown, toml); len(found) > 0 {
				t.Fatalf("the good example: %v", found)
			}
			for _, e := range r.Edits {
				half := &markdown
				if e.Side == tomlSide {
					half = &toml
				}
				if e.Good == wholeFile {
					*half = e.Bad
					continue
				}
				if strings.Count(*half, e.Good) == 0 {
					t.Fatalf("no %q in the %s example", e.Good, e.Side)
				}
				*half = strings.Replace(*half, e.Good, e.Bad, 1)
			}
			var want, got []seen
			for _, m := range append([]Mark{r.At}, r.Also...) {
				want = append(want, seen{r.Code, r.Severity, place(t, m, markdown, toml)})
			}
			for _, d := range check(t, markdown, toml) {
				got = append(got, seen{d.Code, d.Severity, d.Pos})
				if d.Hint == "" || d.Message == "" {
					t.Errorf("no hint: %v", d)
				}
			}
			less := func(a, b seen) int { return strings.Compare(b.Pos.File, a.Pos.File) }
			if diff := cmp.Diff(sorted(want, less), sorted(got, less)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
