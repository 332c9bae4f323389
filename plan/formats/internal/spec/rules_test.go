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
	d, err := read(texts(markdown, toml))
	if err != nil {
		t.Fatal(err)
	}
	return d.Found
}

// texts are the halves that are there.
func texts(markdown, toml string) (m, p *plan.Text) {
	if markdown != "" {
		m = &plan.Text{Path: "spec_limiter.md", Text: []byte(markdown)}
	}
	if toml != "" {
		p = &plan.Text{Path: "parameters_limiter.toml", Text: []byte(toml)}
	}
	return m, p
}

func place(t *testing.T, side, piece, markdown, toml string) plan.Position {
	t.Helper()
	name, text := "spec_limiter.md", markdown
	if side == tomlSide {
		name, text = "parameters_limiter.toml", toml
	}
	at := strings.Index(text, piece)
	if at < 0 {
		t.Fatalf("no %q in the %s example", piece, side)
	}
	before := text[:at]
	return plan.Position{File: name, Line: strings.Count(before, "\n") + 1,
		Column: at - strings.LastIndex(before, "\n")}
}

// Every rule finds its bad example, and nothing else, where it says; taking the
// edits back mends it.
func TestRules(t *testing.T) {
	for i, b := range breaches(t) {
		r := rules()[i]
		t.Run(r.code, func(t *testing.T) {
			markdown, toml := example(b.Speclets)
			if found := check(t, markdown, toml); len(found) > 0 {
				t.Fatalf("the good example: %v", found)
			}
			markdown, toml = b.broken(t)
			var want, got []seen
			for _, m := range b.At {
				want = append(want, seen{r.code, r.severity, place(t, m.Side, m.Text, markdown, toml)})
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

// A backup without an id of its own takes none that another has; one that is
// written twice is refused, in either file.
func TestBackupIDs(t *testing.T) {
	const head = "## Goal\nMove\n\n### Task [1]: T\n- **Step [1]:** S\n  - **Primary method:** M\n"
	for _, tt := range []struct {
		markdown, toml string
		ids            string
		twice          int
	}{
		{markdown: head + "  - **Backup [2]:** A\n  - **Backup:** B\n", ids: "2 3"},
		{markdown: head + "  - **Backup:** A\n  - **Backup:** B\n", ids: "1 2"},
		{toml: "[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\n[[tasks.steps.backups]]\nid = 2\ndescription = \"A\"\n" +
			"[[tasks.steps.backups]]\ndescription = \"B\"\n", ids: "2 3"},
		{markdown: head + "  - **Backup [1]:** A\n  - **Backup [1]:** B\n", ids: "1 1", twice: 1},
		{toml: "[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\n[[tasks.steps.backups]]\nid = 1\ndescription = \"A\"\n" +
			"[[tasks.steps.backups]]\nid = \"1\"\ndescription = \"B\"\n", ids: "1 1", twice: 1},
	} {
		d, err := read(texts(tt.markdown, tt.toml))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, b := range d.Plan.Tasks[0].Steps[0].Backups {
			ids = append(ids, b.ID)
		}
		twice := 0
		for _, f := range d.Found {
			if f.Code == "backup-duplicate-id" && f.Severity == plan.Error && f.Message == "step 1.1 has backup 1 twice" {
				twice++
			}
		}
		if got := strings.Join(ids, " "); got != tt.ids || twice != tt.twice {
			t.Errorf("%q: backups %s, %d twice; want %s, %d", tt.markdown+tt.toml, got, twice, tt.ids, tt.twice)
		}
	}
}
