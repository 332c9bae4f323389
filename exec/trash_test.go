package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// TestWhatWasHeldOpenIsToldAtTheEnd has somebody open a file before a delivery
// takes it out of the workspace, and write to it afterwards. The end of the run
// names it, and so does that of the next one, a day later, which empties the
// rest of the trash.
func TestWhatWasHeldOpenIsToldAtTheEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open is not replaced there")
	}
	var held *os.File
	var warnings []string
	var b *exectest.Bench
	late := true
	script := exectest.Script{"1.1": goodScript["1.1"], "1.2": exectest.All(
		func(context.Context, exec.Work) (_ exec.Outcome, err error) {
			held, err = os.OpenFile(filepath.Join(b.Dir, "a.txt"), os.O_RDWR|os.O_APPEND, 0)
			return exec.Outcome{}, err
		}, goodScript["1.2"])}
	b = exectest.New(t, twoSteps(), workspace, script)
	b.Controller.Observe = func(_ context.Context, e event.Event) {
		switch {
		case e.Kind == event.Warning:
			warnings = append(warnings, e.Text)
		case e.Kind == event.Judging && e.Phase == gate.Final && late:
			if _, err := held.WriteString("late\n"); err != nil {
				t.Error(err)
			}
		}
	}
	b.Run(t).Want(t, history.Achieved)
	must(t, held.Close())
	told := func(when string) (kept string) {
		t.Helper()
		for _, w := range warnings {
			if rest, ok := strings.CutPrefix(w, "a.txt: somebody wrote to it while it was replaced; what they wrote is kept in "); ok {
				kept = rest
			}
		}
		text, err := os.ReadFile(filepath.Join(b.Dir, filepath.FromSlash(strings.Trim(kept, `"`))))
		if kept == "" || err != nil || string(text) != "one\nlate\n" {
			t.Errorf("%s: told was %q, and kept is %q, %v", when, warnings, text, err)
		}
		return kept
	}
	kept := told("at the end")
	if got, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("a.txt holds %q, %v", got, err)
	}

	trash := filepath.Join(b.Dir, ".planlock", "trash")
	before, err := os.ReadDir(trash)
	must(t, err)
	yesterday := time.Now().Add(-25 * time.Hour)
	must(t, filepath.WalkDir(trash, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, yesterday, yesterday)
	}))
	warnings, late = nil, false
	must(t, os.Remove(filepath.Join(b.Dir, "a.txt")))
	b.Run(t).Want(t, history.Achieved)
	must(t, held.Close())
	if again := told("a day later"); again != kept {
		t.Errorf("it is kept in %s, and was in %s", again, kept)
	}
	for _, e := range before {
		_, err := os.Stat(filepath.Join(trash, e.Name()))
		if holds := strings.Contains(kept, e.Name()); holds != (err == nil) {
			t.Errorf("%s of yesterday is there: %v; it has what was written late: %v", e.Name(), err == nil, holds)
		}
	}
}
