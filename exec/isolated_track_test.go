package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// The clone of an isolated run begins with what the plan only watches, as the
// workspace does.
func TestIsolatedRunHasWhatIsTracked(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\ntrack = [\"cache\"]\n\n[[tasks]]", 1)
	b := exectest.New(t, text, exectest.Files{"secret/key": "k\n", "b.txt": "b\n", "cache/f": "x"}, goodScript)
	b.Controller.Isolate = true
	var warned []string
	b.Controller.Observe = warnings(func(text string) { warned = append(warned, text) })
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if len(warned) > 0 {
		t.Errorf("delivering it undoes nothing of anybody's, and it warns: %q", warned)
	}
	if got := run.Read(t, "cache/f"); got != "x" {
		t.Errorf("cache/f holds %q", got)
	}
}

// What is watched by its stamps is not kept; the clone has it all the same, and
// nothing that is done to it there leaves the clone.
func TestIsolatedRunHasWhatIsWatchedByItsStamps(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\nstamps = [\"cache/**\"]\n\n[[tasks]]", 1)
	for _, isolated := range []bool{true, false} {
		b := exectest.New(t, text, exectest.Files{"secret/key": "k\n", "b.txt": "b\n", "cache/d/f": "x"}, exectest.Script{
			"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if text, err := os.ReadFile(filepath.Join(w.Dir, "cache", "d", "f")); string(text) != "x" {
					t.Errorf("isolated %v: the step finds %q, %v", isolated, text, err)
				}
				return goodScript["1.1"](ctx, w)
			}, "1.2": goodScript["1.2"]})
		b.Controller.Isolate = isolated
		run := b.Run(t)
		run.Want(t, history.Achieved)
		if got := run.Read(t, "cache/d/f"); got != "x" {
			t.Errorf("isolated %v: cache/d/f holds %q", isolated, got)
		}
	}
}
