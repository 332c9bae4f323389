package exec_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// No step runs for ever: one that neither its plan nor its task's estimate
// gives a time ends after the default, and the failure says what ended, after
// how long, and how to give it longer.
func TestEveryStepHasATimeout(t *testing.T) {
	for name, tt := range map[string]struct {
		declares, estimate string
		took               time.Duration
		says               []string
	}{
		"nothing said": {"", "", plan.DefaultTimeout,
			[]string{"step 1.1 gave no answer", "within 30m0s", "give it a timeout in the plan, or its task an estimate"}},
		"an estimate": {"", `estimate = "1h"`, 2 * time.Hour,
			[]string{"step 1.1 gave no answer", "within 2h0m0s", "twice the estimate of its task", "raise the estimate"}},
		"a timeout": {`timeout = "3h"`, `estimate = "1h"`, 3 * time.Hour,
			[]string{"step 1.1 gave no answer", "within 3h0m0s", "the timeout of the step"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var took time.Duration
				hang := exec.Func(func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
					begin := time.Now()
					<-ctx.Done()
					took = time.Since(begin)
					return exec.Outcome{}, ctx.Err()
				})
				text := twoSteps(tt.declares)
				if tt.estimate != "" {
					text = strings.Replace(text, "[[tasks]]", "[[tasks]]\n"+tt.estimate, 1)
				}
				b := exectest.New(t, text, workspace, exectest.Script{"1.1": hang, "1.2": goodScript["1.2"]})
				b.Controller.Preset = "contract"
				run := b.Run(t)
				run.Want(t, history.NotAchieved)
				f := failureOf(run.Report.Run.Step("1.1"))
				if f == nil || f.Class != history.TimedOut || took != tt.took {
					t.Fatalf("after %v: %+v", took, f)
				}
				for _, word := range tt.says {
					if !strings.Contains(f.Reasons[0], word) {
						t.Errorf("%q does not say %q", f.Reasons[0], word)
					}
				}
			})
		})
	}
}
