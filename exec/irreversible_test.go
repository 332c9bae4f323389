package exec_test

import (
	"strings"
	"testing"

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
