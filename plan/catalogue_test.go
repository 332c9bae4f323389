package plan_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

var update = flag.Bool("update", false, "write golden files and generated pages again")

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(readText(t, path), string(got)); diff != "" {
		t.Errorf("%s is out of date; run  go test ./plan/... -update\n%s", path, diff)
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func limitsPlan(t testing.TB) string {
	t.Helper()
	return readText(t, "testdata/limits.toml")
}

func mustRead(t testing.TB, text string) *plan.Draft {
	t.Helper()
	d, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func codesOf(list []plan.Diagnostic) []string {
	var codes []string
	for _, d := range list {
		codes = append(codes, d.Code)
	}
	return codes
}

func TestThePlanOfTheExamplesIsComplete(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	for _, f := range d.Check(plan.CheckOptions{Executors: []string{"shell"}}) {
		t.Errorf("%v", f)
	}
	for _, a := range d.SelfCheck(plan.CheckOptions{}) {
		if !a.Yes || len(a.Evidence) == 0 {
			t.Errorf("%s: %v %q", a.Question, a.Yes, a.Evidence)
		}
	}
}

// example puts a piece of a plan into the complete plan.
func example(base, good, piece string) string {
	if good != "" && strings.Contains(base, good) {
		return strings.Replace(base, good, piece, 1)
	}
	return base + piece
}

func TestCatalogueExamples(t *testing.T) {
	base := limitsPlan(t)
	o := plan.CheckOptions{Executors: []string{"shell"}}
	for _, c := range plan.Codes() {
		t.Run(c.Code, func(t *testing.T) {
			if c.Bad == "" && c.Good == "" {
				t.Skip("no short example; TestRareCodes has it")
			}
			bad, good := example(base, c.Good, c.Bad), example(base, c.Good, c.Good)
			if c.Whole {
				bad, good = c.Bad, base
			}
			found := mustRead(t, bad).Check(o)
			at := slices.IndexFunc(found, func(d plan.Diagnostic) bool { return d.Code == c.Code })
			if at < 0 {
				t.Fatalf("the bad example does not draw it; it draws %q", codesOf(found))
			}
			if f := found[at]; f.Severity != c.Severity || f.Hint == "" && c.Code != "value-range" ||
				f.Pos.Line < 1 || f.Pos.Column < 1 {
				t.Errorf("%+v", f)
			}
			if slices.Contains(codesOf(mustRead(t, good).Check(o)), c.Code) {
				t.Errorf("the good example draws it too")
			}
		})
	}
}

func TestCatalogueIsSound(t *testing.T) {
	for i, c := range plan.Codes() {
		if c.Why == "" || c.Severity == "" || strings.Trim(c.Code, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%+v", c)
		}
		if i > 0 && plan.Codes()[i-1].Code == c.Code {
			t.Errorf("%s stands twice", c.Code)
		}
	}
	for _, q := range plan.QuestionCodes() {
		known := slices.ContainsFunc(plan.Codes(),
			func(c plan.Code) bool { return c.Code == q[1] && c.Severity == plan.Error })
		if !known {
			t.Errorf("question %s: code %q is no error of the catalogue", q[0], q[1])
		}
	}
}

func TestDiagnosticsPage(t *testing.T) {
	golden(t, "../docs/diagnostics.md", []byte(diagnosticsPage()))
}

func diagnosticsPage() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

What ` + "`planlock check`" + ` can say of a native plan. An **error** refuses the plan, a **warning** is recorded and the
plan goes on, a **note** informs. Codes are stable: scripts may rely on them.

Each example is a piece of a plan that draws the diagnostic, and the piece that does not. The page is
made from the table in package plan by ` + "`go test ./plan -update`" + `, and a test runs every example.

| code | severity |
|---|---|
`)
	for _, c := range plan.Codes() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.Code, c.Code, c.Severity)
	}
	for _, c := range plan.Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", c.Code, strings.ToUpper(string(c.Severity[:1]))+string(c.Severity[1:]),
			c.Why)
		fence := func(label, text string) {
			if text != "" {
				text = strings.ReplaceAll(text, "\xff", `\xff`)
				fmt.Fprintf(&b, "\n%s\n\n```toml\n%s\n```\n", label, strings.Trim(text, "\n"))
			}
		}
		switch {
		case c.Whole:
			fence("A file that draws it:", c.Bad)
		case c.Bad == "" && c.Good != "":
			fence("Drawn where this is missing:", c.Good)
		default:
			fence("Draws it:", c.Bad)
			fence("Does not:", c.Good)
		}
	}
	return b.String()
}
