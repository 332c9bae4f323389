package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// listPlan is a plan of two tasks as a front end would hand it over.
func listPlan(text string) Parts {
	return Parts{
		Format: SpecKit,
		Files:  []Text{{Path: "tasks.md", Text: []byte(text)}, {Path: "more.md", Text: []byte("x\ny\n")}},
		Plan: Plan{Goal: "lists", Tasks: []Task{
			{ID: "T1", Title: "first", Files: []string{"a.go"}, AcceptanceCriteria: []string{"it builds"}},
			{ID: "T2", Title: "second", DependsOn: []string{"T1"}, Steps: []Step{{ID: "1", Description: "do it"}, {ID: "2", Run: "make"}}},
		}},
		Places: map[string]Position{
			"tasks[0]": {"tasks.md", 2, 1}, "tasks[1]": {"more.md", 1, 1}, "tasks[1].steps[1]": {"more.md", 2, 3}},
	}
}

func TestAssembleCompletes(t *testing.T) {
	d := Assemble(listPlan("# T\n- [ ] T1 first\n"))
	p := d.Plan
	if p.Profile != Observe || p.Schema != 1 {
		t.Errorf("profile %q, schema %d", p.Profile, p.Schema)
	}
	if !d.Implied(0) || d.Implied(1) {
		t.Errorf("implied: %v %v, want true false", d.Implied(0), d.Implied(1))
	}
	want := Step{ID: "1", Address: "T1.1", Description: "first", Prompt: "first\n\nFiles:\n- a.go\n\nIt is done when:\n- it builds"}
	if diff := cmp.Diff(want, p.Tasks[0].Steps[0]); diff != "" {
		t.Error(diff)
	}
	if s := p.Tasks[1].Steps; s[0].Prompt != "do it" || s[1].Prompt != "" || s[1].Address != "T2.2" {
		t.Errorf("steps: %+v", s)
	}
	if found := d.Check(CheckOptions{}); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	if _, err := Lock(d, LockOptions{}); err != nil {
		t.Error(err)
	}
}

func TestAssembledPlaces(t *testing.T) {
	d := Assemble(listPlan("# T\n- [ ] T1 first\n"))
	for key, want := range map[string]Position{
		"tasks[0].steps[0].description": {"tasks.md", 2, 1},
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
	if got := d.Line(Position{"more.md", 2, 1}); got != "y" {
		t.Errorf("line of the second file: %q", got)
	}
	var b strings.Builder
	(Diagnostic{Code: "c", Severity: Error, Message: "m", Pos: Position{"tasks.md", 2, 3}}).Format(&b, d)
	if want := "tasks.md:2:3: error: m [c]\n      2 | - [ ] T1 first\n        |   ^^^^^^^^^^^^\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestAssembledRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Parts)
		want  string
	}{
		{"no tasks", func(p *Parts) { p.Plan.Tasks = nil }, "nothing to carry out"},
		{"cycle", func(p *Parts) { p.Plan.Tasks[0].DependsOn = []string{"T2"} }, "T1 → T2 → T1"},
		{"address twice", func(p *Parts) { p.Plan.Tasks[1].Steps[1].ID = "1" }, "two steps T2.1"},
		{"id", func(p *Parts) { p.Plan.Tasks[0].ID = "a/../b" }, "cannot be addressed"},
		{"hidden", func(p *Parts) { p.Plan.Tasks[1].Steps[1].Run = "make\u202e" }, "not seen"},
		{"path", func(p *Parts) { p.Plan.Tasks[1].Steps[1].Artifacts = &Artifacts{Create: []string{"../x"}} }, "not a path"},
		{"no text", func(p *Parts) { p.Plan.Tasks[1].Steps[1].Run = "" }, "neither a method nor a text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := listPlan("x\n")
			c.spoil(&p)
			d := Assemble(p)
			found := d.Check(CheckOptions{})
			if len(found) != 1 || found[0].Code != CannotRun || found[0].Severity != Warning || !strings.Contains(found[0].Message, c.want) || found[0].Hint == "" {
				t.Errorf("found %v", found)
			}
			var refused *CheckError
			if _, err := Lock(d, LockOptions{}); !errors.As(err, &refused) {
				t.Errorf("lock: %v", err)
			}
		})
	}
}

func TestAssembledErrorsOfTheFormatRefuse(t *testing.T) {
	p := listPlan("x\n")
	p.Found = []Diagnostic{{Code: "goal-missing", Severity: Error, Message: "m", Pos: Position{"tasks.md", 1, 1}}}
	var refused *CheckError
	if _, err := Lock(Assemble(p), LockOptions{}); !errors.As(err, &refused) {
		t.Errorf("lock: %v", err)
	}
}

func TestAssembledIsBrokenOnlySaysWhatWasFound(t *testing.T) {
	d := Assemble(Parts{Format: Unknown, Broken: true, Found: []Diagnostic{{Code: "format-unknown", Severity: Error, Message: "m"}}})
	if found := d.Check(CheckOptions{}); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if a := d.SelfCheck(CheckOptions{}); a[0].Yes {
		t.Error("a broken plan cannot be carried out")
	}
}

// TestAssembledPlanThatMoves locks a plan that comes from a folder of files, and changes the folder.
func TestAssembledPlanThatMoves(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tasks.txt")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reads := 0
	var read func() (*Draft, error)
	read = func() (*Draft, error) {
		reads++
		names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil || len(names) == 0 {
			return nil, os.ErrNotExist
		}
		p := Parts{Format: SpecKit, Reread: read}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, Text{name, text})
			p.Plan.Tasks = append(p.Plan.Tasks, Task{ID: filepath.Base(name), Title: strings.TrimSpace(string(text))})
		}
		return Assemble(p), nil
	}
	write("tasks.txt", "one\n")
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{file, dir} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	lock := func() *Locked {
		d, err := read()
		if err != nil {
			t.Fatal(err)
		}
		l, err := Lock(d, LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	moved := func(l *Locked) bool {
		var e *LockError
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
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if !moved(l) {
		t.Error("a file that is gone was not noticed")
	}
}

func TestAssembleCapsWhatWasFound(t *testing.T) {
	p := listPlan("x\n")
	for i := range 3000 {
		p.Found = append(p.Found, Diagnostic{Code: "c", Severity: Warning, Pos: Position{"tasks.md", i + 1, 1}})
	}
	d := Assemble(p)
	if n := len(d.Found); n != maxFindings+1 || d.Found[n-1].Code != "too-many" || d.Found[n-1].Severity != Warning {
		t.Errorf("%d found, the last %v", n, d.Found[n-1])
	}
}
