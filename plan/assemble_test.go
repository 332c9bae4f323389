package plan_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
)

// listPlan is a plan of two tasks as a front end would hand it over.
func listPlan(text string) plan.Parts {
	return plan.Parts{
		Format: "spec-kit",
		Files:  []plan.Text{{Path: "tasks.md", Text: []byte(text)}, {Path: "more.md", Text: []byte("x\ny\n")}},
		Plan: plan.Plan{Goal: "lists", Tasks: []plan.Task{
			{ID: "T1", Title: "first", Files: []string{"a.go"}, AcceptanceCriteria: []string{"it builds"}},
			{ID: "T2", Title: "second", DependsOn: []string{"T1"},
				Steps: []plan.Step{{ID: "1", Description: "do it"}, {ID: "2", Run: "make"}}},
		}},
		Position: plan.Places{
			"tasks[0]": {File: "tasks.md", Line: 2, Column: 1}, "tasks[1]": {File: "more.md", Line: 1, Column: 1}, "tasks[1].steps[1]": {File: "more.md", Line: 2, Column: 3}}.Position,
	}
}

func TestAssembleCompletes(t *testing.T) {
	d := plan.Assemble(listPlan("# T\n- [ ] T1 first\n"))
	p := d.Plan
	if p.Profile != plan.Observe || p.Schema != 1 {
		t.Errorf("profile %q, schema %d", p.Profile, p.Schema)
	}
	if !d.Implied(0) || d.Implied(1) {
		t.Errorf("implied: %v %v, want true false", d.Implied(0), d.Implied(1))
	}
	want := plan.Step{ID: "1", Address: "T1.1", Description: "first", Prompt: "first\n\nFiles:\n- a.go\n\nIt is done when:\n- it builds"}
	if diff := cmp.Diff(want, p.Tasks[0].Steps[0]); diff != "" {
		t.Error(diff)
	}
	if s := p.Tasks[1].Steps; s[0].Prompt != "do it" || s[1].Prompt != "" || s[1].Address != "T2.2" {
		t.Errorf("steps: %+v", s)
	}
	if found := d.Check(plan.CheckOptions{}); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	if _, err := plan.Lock(d, plan.LockOptions{}); err != nil {
		t.Error(err)
	}
}

func TestAssembledPlaces(t *testing.T) {
	d := plan.Assemble(listPlan("# T\n- [ ] T1 first\n"))
	for key, want := range map[string]plan.Position{
		"tasks[0].steps[0].description": {File: "tasks.md", Line: 2, Column: 1},
		"tasks[1].steps[1].backups[0]":  {"more.md", 2, 3},
		"tasks[1].steps[7]":             {"more.md", 1, 1},
		"goal":                          {"tasks.md", 1, 1},
		"":                              {"tasks.md", 1, 1},
		"]][":                           {"tasks.md", 1, 1},
	} {
		if got := d.Position(key); got != want {
			t.Errorf("%q is at %v, want %v", key, got, want)
		}
	}
	if got := d.Line(plan.Position{File: "more.md", Line: 2, Column: 1}); got != "y" {
		t.Errorf("line of the second file: %q", got)
	}
	var b strings.Builder
	(plan.Diagnostic{Code: "c", Severity: plan.Error, Message: "m",
		Pos: plan.Position{File: "tasks.md", Line: 2, Column: 3}}).Format(&b, d)
	if want := "tasks.md:2:3: error: m [c]\n      2 | - [ ] T1 first\n        |   ^^^^^^^^^^^^\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestAssembledRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*plan.Parts)
		want  string
	}{
		{"no tasks", func(p *plan.Parts) { p.Plan.Tasks = nil }, "nothing to carry out"},
		{"cycle", func(p *plan.Parts) { p.Plan.Tasks[0].DependsOn = []string{"T2"} }, "T1 → T2 → T1"},
		{"address twice", func(p *plan.Parts) { p.Plan.Tasks[1].Steps[1].ID = "1" }, "two steps T2.1"},
		{"id", func(p *plan.Parts) { p.Plan.Tasks[0].ID = "a/../b" }, "cannot be addressed"},
		{"hidden", func(p *plan.Parts) { p.Plan.Tasks[1].Steps[1].Run = "make\u202e" }, "not seen"},
		{"path",
			func(p *plan.Parts) { p.Plan.Tasks[1].Steps[1].Artifacts = &plan.Artifacts{Create: []string{"../x"}} }, "not a path"},
		{"no text", func(p *plan.Parts) { p.Plan.Tasks[1].Steps[1].Run = "" }, "neither a method nor a text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := listPlan("x\n")
			c.spoil(&p)
			d := plan.Assemble(p)
			found := d.Check(plan.CheckOptions{})
			if len(found) != 1 || found[0].Code != "cannot-run" || found[0].Severity != plan.Warning ||
				!strings.Contains(found[0].Message, c.want) || found[0].Hint == "" {
				t.Errorf("found %v", found)
			}
			var refused *plan.CheckError
			if _, err := plan.Lock(d, plan.LockOptions{}); !errors.As(err, &refused) {
				t.Errorf("lock: %v", err)
			}
		})
	}
}

func TestAssembledErrorsOfTheFormatRefuse(t *testing.T) {
	p := listPlan("x\n")
	p.Found = []plan.Diagnostic{{Code: "goal-missing", Severity: plan.Error, Message: "m", Pos: plan.Position{File: "tasks.md", Line: 1, Column: 1}}}
	var refused *plan.CheckError
	if _, err := plan.Lock(plan.Assemble(p), plan.LockOptions{}); !errors.As(err, &refused) {
		t.Errorf("lock: %v", err)
	}
}

func TestAssembledIsBrokenOnlySaysWhatWasFound(t *testing.T) {
	d := plan.Assemble(plan.Parts{Format: plan.Unknown, Broken: true,
		Found: []plan.Diagnostic{{Code: "format-unknown", Severity: plan.Error, Message: "m"}}})
	if found := d.Check(plan.CheckOptions{}); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if a := d.SelfCheck(plan.CheckOptions{}); a[0].Yes {
		t.Error("a broken plan cannot be carried out")
	}
}

// TestAssembledPlanThatMoves locks a plan that comes from a folder of files,
// and changes the folder.
func TestAssembledPlanThatMoves(t *testing.T) {
	dir := t.TempDir()
	tasks := filepath.Join(dir, "tasks.txt")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reads := 0
	var read func() (*plan.Draft, error)
	read = func() (*plan.Draft, error) {
		reads++
		names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil || len(names) == 0 {
			return nil, os.ErrNotExist
		}
		p := plan.Parts{Format: "spec-kit"}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, plan.Text{Path: name, Text: text})
			p.Plan.Tasks = append(p.Plan.Tasks, plan.Task{ID: filepath.Base(name),
				Title: strings.TrimSpace(string(text))})
		}
		d := plan.Assemble(p)
		d.From(file.Watch(file.Around(d.Files), read))
		return d, nil
	}
	write("tasks.txt", "one\n")
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{tasks, dir} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	lock := func() *plan.Locked {
		d, err := read()
		if err != nil {
			t.Fatal(err)
		}
		l, err := plan.Lock(d, plan.LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	moved := func(l *plan.Locked) bool {
		var e *plan.LockError
		return errors.As(l.Verify(), &e)
	}
	l := lock()
	before := reads
	if moved(l) || reads != before {
		t.Errorf("a plan that lies still was read %d times", reads-before)
	}
	write("tasks.txt", "one\n\n")
	if moved(l) {
		t.Error("another blank line is no other meaning")
	}
	write("more.txt", "two\n")
	if !moved(l) {
		t.Error("a file that was added was not noticed")
	}
	l = lock()
	write("tasks.txt", "three\n")
	var e *plan.LockError
	if !errors.As(l.Verify(), &e) || len(e.Files) != 1 || !strings.Contains(e.Error(), "other than they were: "+tasks) {
		t.Errorf("of two files that one was edited is told as %v", e)
	}
	l = lock()
	if err := os.Remove(tasks); err != nil {
		t.Fatal(err)
	}
	if !moved(l) {
		t.Error("a file that is gone was not noticed")
	}
}

func TestAssembleCapsWhatWasFound(t *testing.T) {
	p := listPlan("x\n")
	for i := range 3000 {
		p.Found = append(p.Found, plan.Diagnostic{Code: "c", Severity: plan.Warning,
			Pos: plan.Position{File: "tasks.md", Line: i + 1, Column: 1}})
	}
	d := plan.Assemble(p)
	if n := len(d.Found); n != plan.MaxFindings+1 || d.Found[n-1].Code != "too-many" ||
		d.Found[n-1].Severity != plan.Warning {
		t.Errorf("%d found, the last %v", n, d.Found[n-1])
	}
}
