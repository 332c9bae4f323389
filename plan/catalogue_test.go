package plan_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
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
	for _, f := range d.Check(plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}) {
		t.Errorf("%v", f)
	}
	for _, a := range d.SelfCheck(plan.CheckOptions{}) {
		if !a.Yes || len(a.Evidence) == 0 {
			t.Errorf("%s: %v %q", a.Question, a.Yes, a.Evidence)
		}
	}
}

// An example is a piece of a plan that breaks a rule, and the piece that does
// not.
type example struct {
	Bad, Good string
	Whole     bool // Bad is a whole file
}

// examples are those of testdata/rules/codes.toml, by code. What TOML cannot hold is
// escaped there.
func examples(t testing.TB) map[string]example {
	t.Helper()
	all := map[string]example{}
	if err := toml.Unmarshal([]byte(readText(t, "testdata/rules/codes.toml")), &all); err != nil {
		t.Fatal(err)
	}
	for code, e := range all {
		e.Bad = strings.ReplaceAll(e.Bad, `\xff`, "\xff")
		all[code] = e
	}
	return all
}

// bad is the complete plan with the bad piece in it.
func (e example) bad(base string) string {
	if e.Whole {
		return e.Bad
	}
	return e.with(base, e.Bad)
}

// with puts a piece into the complete plan, where the good one stands.
func (e example) with(base, piece string) string {
	if e.Good != "" && strings.Contains(base, e.Good) {
		return strings.Replace(base, e.Good, piece, 1)
	}
	return base + piece
}

// rare are the codes that no short example draws; TestRareCodes has them.
var rare = []string{"approval-failed", "defaults-too-large", "gate-argument-invalid", "gate-argument-unknown",
	"gate-unknown", "too-complex", "too-many"}

func TestCatalogueExamples(t *testing.T) {
	base := limitsPlan(t)
	o := plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}
	all := examples(t)
	if len(all)+len(rare) != len(plan.Codes()) {
		t.Errorf("%d codes have %d examples and %d exceptions", len(plan.Codes()), len(all), len(rare))
	}
	for _, c := range plan.Codes() {
		if slices.Contains(rare, c.Code) {
			continue
		}
		t.Run(c.Code, func(t *testing.T) {
			e, ok := all[c.Code]
			if !ok {
				t.Fatal("there is no example")
			}
			found := mustRead(t, e.bad(base)).Check(o)
			at := slices.IndexFunc(found, func(d plan.Diagnostic) bool { return d.Code == c.Code })
			if at < 0 {
				t.Fatalf("the bad example does not draw it; it draws %q", codesOf(found))
			}
			if f := found[at]; f.Severity != c.Severity || f.Hint == "" && c.Code != "value-range" ||
				f.Pos.Line < 1 || f.Pos.Column < 1 {
				t.Errorf("%+v", f)
			}
			good := base
			if !e.Whole {
				good = e.with(base, e.Good)
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
	golden(t, "../docs/diagnostics.md", []byte(diagnosticsPage(examples(t))))
}

func diagnosticsPage(examples map[string]example) string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

What ` + "`planlock check`" + ` can say of a native plan. An **error** refuses the plan, a **warning** is recorded and the
plan goes on, a **note** informs. Codes are stable: scripts may rely on them.

Each example is a piece of a plan that draws the diagnostic, and the piece that does not. The page is
made from the rules of package plan by ` + "`go test ./plan -update`" + `, and a test runs every example.

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
		switch e := examples[c.Code]; {
		case e.Whole:
			fence("A file that draws it:", e.Bad)
		case e.Bad == "" && e.Good != "":
			fence("Drawn where this is missing:", e.Good)
		default:
			fence("Draws it:", e.Bad)
			fence("Does not:", e.Good)
		}
	}
	return b.String()
}
