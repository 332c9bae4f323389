package exec_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/gate/review/external"
	"github.com/planlock/planlock/internal/process"
)

// TestBuilderAndReviewer lets a reviewer reject a task, and the builder hear
// of it.
func TestBuilderAndReviewer(t *testing.T) {
	var heard []string
	second := review.Func{Label: "second", Ask: func(_ context.Context, r review.Request) (review.Review, error) {
		cited := []string{"a:2", "a:1"}[r.Retry]
		return review.Review{Verdict: "pass",
			Criteria: []review.Criterion{{Number: 1, Met: true, Citations: []string{cited}}}}, nil
	}}
	builder := exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		heard = append(heard, strings.Join(w.Feedback, "\n"))
		return exectest.Write("a", []string{"one\n", "two\n"}[w.Attempt-1])(ctx, w)
	}}
	b := exectest.Around(t, steps("", "a\nacceptance_criteria = [\"it says two\"]\n---\n"), nil, exec.Controller{
		Executors: exec.Executors{"script": builder}, Gates: append(builtin.Gates(), review.Work(second))})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	reviews := run.Report.Run.Step("1.1").Reviews()
	if len(reviews) != 1 || !reviews[0].Counts() || reviews[0].Gate != "work-review-second" {
		t.Errorf("%+v", reviews)
	}
	if len(heard) != 2 || !strings.Contains(heard[1], `"a:2" is cited: lines of the file: 1`) {
		t.Errorf("the builder heard %q", heard)
	}
}

// TestReviewedTask: what counts is what the task changed, in any of its steps,
// and nothing that another task did; the reviewer knows the run, and why the
// attempt before failed.
func TestReviewedTask(t *testing.T) {
	var asked []review.Request
	second := review.Func{Label: "second", Ask: func(_ context.Context, r review.Request) (review.Review, error) {
		if asked = append(asked, r); len(asked) == 1 {
			return review.Review{Verdict: "fail", Findings: []string{"not yet"}}, nil
		}
		return review.Review{Verdict: "pass", Citations: []string{"a:1", "b:1", "c:1"}}, nil
	}}
	b := exectest.Around(t, steps("", "a\n", `b
[[tasks.steps]]
id = 2
description = "Write more"
run = "true"
artifacts = { create = ["c"] }
postconditions = [{ kind = "file_exists", path = "c" }]
`), nil, exec.Controller{
		Executors: exec.Executors{"script": exectest.Script{"1.1": exectest.Write("a", "one\n"), "2.1": exectest.Write("b", "two\n"),
			"2.2": exectest.Write("c", "three\n")}},
		Gates: append(builtin.Gates(), afterTask(review.Work(second), "2"))})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if len(asked) != 2 || asked[1].Run != run.Report.Run.Started.Run ||
		!slices.Contains(asked[1].Feedback, "work-review-second: not yet") {
		t.Errorf("asked %+v", asked)
	}
	var shows []gate.Shown
	for _, c := range run.Report.Run.Step("2.2").Reviews()[0].Criteria[0].Citations {
		shows = append(shows, c.Shows)
	}
	if want := []gate.Shown{"", gate.ShowsChange, gate.ShowsChange}; !slices.Equal(shows, want) {
		t.Errorf("citations show %q, want %q", shows, want)
	}
}

// afterTask is a gate that is asked about one task only.
func afterTask(g gate.Gate, task string) gate.Gate {
	return gate.New(g.Info(), func(ctx context.Context, pass *gate.Pass) error {
		if pass.Task == nil || pass.Task.ID != task {
			return nil
		}
		return g.Judge(ctx, pass)
	})
}

// TestProgramReviewerConforms: a program that reviews keeps what reviewers
// promise.
func TestProgramReviewerConforms(t *testing.T) {
	x := &external.Program{Label: "ops", Run: `cat >/dev/null; echo '{"verdict":"reject","rationale":"no"}'`}
	exectest.RunReviewer(t, x, func() review.Request {
		return review.Request{Goal: "Try", Dir: t.TempDir(), Runner: &process.Runner{}}
	})
}
