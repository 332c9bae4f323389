package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
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
	if len(heard) != 2 || !strings.Contains(heard[1], `"a:2" is cited: lines of the file: 1`) {
		t.Errorf("the builder heard %q", heard)
	}
}

// TestProgramReviewerConforms: a program that reviews keeps what reviewers
// promise.
func TestProgramReviewerConforms(t *testing.T) {
	x := &review.Program{Label: "ops", Run: `cat >/dev/null; echo '{"verdict":"reject","rationale":"no"}'`}
	exectest.RunReviewer(t, x, func() review.Request {
		return review.Request{Goal: "Try", Dir: t.TempDir(), Runner: &process.Runner{}}
	})
}
