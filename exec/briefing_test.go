package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// decidedFirst is twoSteps behind a task in which a person decides.
func decidedFirst() string {
	return strings.Replace(twoSteps("constraints = [\"size\", \"style.quotes\"]\ncomponents = [\"notes\"]"), "[[tasks]]\nid = 1\n", `
[constraints]
size = "at most 2 lines"
[constraints.style]
quotes = ["single", "none"]
[components]
notes = "what people read"

[[tasks]]
id = "choose"
description = "Choose a name"
kind = "checkpoint:decision"
[[tasks.steps]]
id = 1
description = "Choose the name of the file"
prompt = "a.txt or b.txt?"
artifacts = { create = ["name.txt"] }
postconditions = [{ kind = "file_exists", path = "name.txt" }]

[[tasks]]
id = 1
acceptance_criteria = ["it has two lines"]
`, 1)
}

// TestBriefing: whoever carries out a step is told what binds it, what became of
// the steps before, and what people decided, the failed step of another task too.
func TestBriefing(t *testing.T) {
	briefed := map[string]exec.Briefing{}
	script := exectest.Script{
		"1.1": exectest.Write("a.txt", "one\n"),
		"1.2": exectest.Attempts(exectest.Fail("no ink"), exectest.Fail("no ink"), goodScript["1.2"]),
	}
	b := exectest.New(t, decidedFirst(), workspace, nil)
	b.Controller.Hints = []string{"write slowly"}
	b.Controller.Executors = exec.Executors{"script": exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		briefed[fmt.Sprintf("%s#%d", w.Step.Address, w.Attempt)] = w.Briefing
		if diff := cmp.Diff([]string{"it has two lines"}, w.Task.AcceptanceCriteria); diff != "" {
			t.Error(diff)
		}
		return script.Execute(ctx, w)
	})}
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		if q.Kind != ask.Checkpoint {
			a := answer(q, "p")
			a.Reason = "fetch some"
			return a
		}
		a := answer(q, "y")
		a.Reason = "a.txt"
		return a
	})
	b.Run(t).Want(t, history.Achieved)
	chosen := []string{"checkpoint choose.1 (Choose the name of the file): it is settled: a.txt (a person)"}
	settled := "choose.1 skipped: Choose the name of the file · settled in answer to q1: a.txt"
	want := map[string]exec.Briefing{
		"1.1#1": {Constraints: []string{"size: at most 2 lines", "style.quotes: single, none"},
			Components: []string{"notes: what people read"},
			Earlier:    []string{settled}, Decisions: chosen, Hints: []string{"write slowly"}},
		"1.2#3": {Earlier: []string{settled, "1.1 completed: Write the first line · created a.txt (1 file +1)"},
			Decisions: chosen, Hints: []string{"write slowly"}},
	}
	for at, want := range want {
		if diff := cmp.Diff(want, briefed[at], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
}

// TestBriefingIsBounded however many steps there are, and however long their
// titles.
func TestBriefingIsBounded(t *testing.T) {
	var last exec.Briefing
	text, long := twoSteps(), strings.Repeat("x", 1000)
	for i := range 60 {
		text += fmt.Sprintf("[[tasks.steps]]\nid = %d\ndescription = %q\nrun = \"true\"\n"+
			"artifacts = { create = [\"f%[1]d\"] }\npostconditions = [{ kind = \"file_exists\", path = \"f%[1]d\" }]\n", i+3, long)
	}
	b := exectest.New(t, text, workspace, nil)
	b.Controller.Executors = exec.Executors{"script": exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		last = w.Briefing
		if do := goodScript[w.Step.Address]; do != nil {
			return do(ctx, w)
		}
		return exectest.Write("f"+w.Step.ID, "x")(ctx, w)
	})}
	b.Run(t).Want(t, history.Partial) // nothing proves what they wrote
	if n := len(strings.Join(last.Earlier, "")); len(last.Earlier) != 51 || last.Earlier[0] != "and 11 before these" || n > 50*500 {
		t.Errorf("%d lines, %d bytes: %q", len(last.Earlier), n, last.Earlier[0])
	}
}

// TestNotesAreBounded however much an executor says, and in however many phases.
func TestNotesAreBounded(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.2": goodScript["1.2"],
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			o, err := goodScript["1.1"](ctx, w)
			o.Decisions = []string{"a.txt it is"}
			for range 2 * exec.MaxNotes {
				o.Insights = append(o.Insights, strings.Repeat("é", 5000))
			}
			return o, err
		}})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	said := run.Report.Run.Step("1.1").Last().Said
	if n := len(strings.Join(said.Insights, "")); len(said.Insights) != exec.MaxNotes || n > exec.MaxNotes*1100 {
		t.Errorf("%d insights of %d bytes", len(said.Insights), n)
	}
	if diff := cmp.Diff([]string{"a.txt it is"}, said.Decisions); diff != "" {
		t.Error(diff)
	}
}

// TestDeafExecutorsAreNamedOnce has a plan that names no executor, so that the
// default one is needed by that name, too.
func TestDeafExecutorsAreNamedOnce(t *testing.T) {
	run := exectest.New(t, twoSteps(), workspace, goodScript).Run(t)
	deaf := run.Report.Run.Roles.Deaf
	if len(deaf) > len(slices.Compact(slices.Sorted(slices.Values(deaf)))) {
		t.Errorf("got %q", deaf)
	}
}
