package exec_test

import (
	"errors"
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

// What is watched by its stamps is not kept, so a clone would not have it: the
// run is refused before it has begun.
func TestIsolatedRunCannotHaveStamps(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\nstamps = [\"cache/**\"]\n\n[[tasks]]", 1)
	b := exectest.New(t, text, exectest.Files{"secret/key": "k\n", "b.txt": "b\n", "cache/d/f": "x"}, goodScript)
	b.Controller.Isolate = true
	var refused *exec.RefusedError
	if run := b.Run(t); !errors.As(run.Err, &refused) || !strings.Contains(refused.Error(), `"cache" is watched`) ||
		refused.Run != "" {
		t.Fatalf("error is %v", run.Err)
	}
	if list, err := os.ReadDir(filepath.Join(b.Controller.Dir, ".planlock", "runs")); len(list) > 0 {
		t.Errorf("it began: %v, %v", list, err)
	}
	b.Controller.Isolate = false
	b.Run(t).Want(t, history.Achieved)
}
