package exec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/plan"
)

// TestTwoFailuresOfferNoRollback: the third failure in a row offers a rollback,
// the second does not. Offered is not done.
func TestTwoFailuresOfferNoRollback(t *testing.T) {
	script := exectest.Script{}
	for _, a := range []plan.Address{"1.1", "2.1", "3.1"} {
		script[a] = exectest.Fail("no")
	}
	b := exectest.New(t, rowOf(3, `execution = { default_mode = "collaborative" }`, ""), nil, script)
	offered := map[plan.Address]bool{}
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		if q.Kind == ask.Confirmation {
			return answer(q, "y")
		}
		_, offered[q.Step] = q.Choice("b")
		return answer(q, "?") // nobody decides: the step has failed, and the run goes on
	})
	run := b.Run(t)
	if diff := cmp.Diff(map[plan.Address]bool{"1.1": false, "2.1": false, "3.1": true}, offered); diff != "" {
		t.Errorf("a rollback is offered (-want +got):\n%s", diff)
	}
	if n := len(run.Report.Run.RolledBack); n != 0 {
		t.Errorf("rolled back %d times, and nobody said so", n)
	}
}
