package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// What an irreversible step that failed did in the workspace is undone like
// that of any other, and the report says so, and of what not.
func TestFailedIrreversibleStepIsReportedAsItIs(t *testing.T) {
	b := exectest.New(t, strings.Replace(steps("", "a"), `rollback = "reversible"`, `rollback = "irreversible"`, 1),
		nil,
		exectest.Script{"1.1": exectest.All(exectest.Write("a", "a\n"), exectest.Fail("no"))})
	before := b.Tree(t).Digest()
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if got := b.Tree(t).Digest(); got != before {
		t.Errorf("the workspace has tree %s, and had %s", got, before)
	}
	said := strings.Join(strings.Fields(run.Report.String()), " ")
	for _, want := range []string{"1.1 Write a undone", "The tree was restored to the checkpoint before 1.1", "what it did outside of the workspace is not undone"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, run.Report)
		}
	}
}

// TestItDidHappen: of an irreversible step that was cut off somebody can say that
// it did happen. Nothing runs again; what it left is judged, and completes the
// step only if it holds.
func TestItDidHappen(t *testing.T) {
	for content, want := range map[string]history.Status{"a\n": history.Achieved, "": history.NotAchieved} {
		t.Run(fmt.Sprintf("left %q", content), func(t *testing.T) {
			text := strings.Replace(steps("", "a"), `rollback = "reversible"`, `rollback = "irreversible"`, 1)
			ran := 0
			ctx, cancel := context.WithCancelCause(t.Context())
			b := exectest.New(t, text, nil, exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				ran++
				if _, err := exectest.Write("a", content)(ctx, w); err != nil {
					return exec.Outcome{}, err
				}
				cancel(errors.New("the power went"))
				<-ctx.Done()
				return exec.Outcome{}, context.Cause(ctx)
			}})
			locked := b.Lock(t)
			if report, err := b.Controller.Run(ctx, locked); err == nil {
				t.Fatalf("it was not cut off\n%s", report)
			}
			b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
				if _, offered := q.Choice("y"); !offered {
					return ask.Answer{}, ask.ErrNoAnswer
				}
				return answer(q, "y"), nil
			})
			report, err := b.Controller.Resume(t.Context(), locked, "")
			if report == nil || report.Run.Ended == nil || report.Run.Ended.Status != want || ran != 1 {
				t.Errorf("it ran %d times: %v\n%s", ran, err, report)
			}
		})
	}
}
