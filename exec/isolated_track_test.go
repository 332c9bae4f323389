package exec_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// The clone of an isolated run begins with what the plan only watches, as the workspace does.
func TestIsolatedRunHasWhatIsTracked(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\ntrack = [\"cache\"]\n\n[[tasks]]", 1)
	b := exectest.New(t, text, exectest.Files{"secret/key": "k\n", "b.txt": "b\n", "cache/f": "x"}, goodScript)
	b.Controller.Isolate = true
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if got := run.Read(t, "cache/f"); got != "x" {
		t.Errorf("cache/f holds %q", got)
	}
}
