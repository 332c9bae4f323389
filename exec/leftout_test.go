package exec_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// TestAFailedStepLeftOutIsALack: a step that failed and was left out then keeps the
// run from ACHIEVED, whether it is critical or not, and its task from being
// completed.
func TestAFailedStepLeftOutIsALack(t *testing.T) {
	for _, critical := range []string{"true", "false"} {
		t.Run("critical_flag = "+critical, func(t *testing.T) {
			text := strings.Replace(threeTasks("", halting), "create = [\"3.txt\"] }",
				"create = [\"3.txt\"] }\ncritical_flag = "+critical, 1)
			text = strings.ReplaceAll(text, "on_failure = \"retry\"\nmax_retries = 0\n", "on_failure = \"ask\"\n")
			b := exectest.New(t, text, nil, exectest.Script{"1.1": allThree["1.1"], "2.1": allThree["2.1"], "3.1": exectest.Fail("no")})
			b.Controller.Escalator = choose(map[ask.Kind]string{ask.StepFailed: "k"})
			run := b.Run(t)
			run.Want(t, history.Partial)
			if got := strings.Join(run.Report.Run.Ended.Reasons, "; "); !strings.Contains(got, "step 3.1") {
				t.Errorf("it ended %q, and does not say that 3.1 was left out", got)
			}
			if got := run.Report.Run.Task("3").Status(); got == history.Completed {
				t.Errorf("task 3 is %s", got)
			}
		})
	}
}
