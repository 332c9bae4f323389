package exec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// TestCachesAreOfTheRun lets a step write into the folders for caches and
// temporary files, and looks at what judges, the next step and the user find.
func TestCachesAreOfTheRun(t *testing.T) {
	home, temp := ofUser(t)
	const there = `test -e $TMPDIR/mark; test -e $GOCACHE/mark; test -e $XDG_CACHE_HOME/mark`
	const nothing = `test ! -e $TMPDIR/mark && test ! -e $GOCACHE/mark && test ! -e $XDG_CACHE_HOME/mark`
	text := strings.Replace(twoSteps(), "invariants = []",
		`invariants = [{ id = "I1", text = "nothing of the step", check = { kind = "command", run = "`+nothing+`" } }]`, 1)
	script := exectest.Script{
		"1.1": exectest.All(goodScript["1.1"], inShell(`mkdir -p $GOCACHE; touch $TMPDIR/mark $GOCACHE/mark $XDG_CACHE_HOME/mark; `+there+
			`; ! touch `+temp+`/mark 2>&-; ! touch `+home+`/.cache/mark 2>&-`)),
		"1.2": exectest.All(goodScript["1.2"], inShell(there)),
	}
	exectest.Run(t, text, workspace, script).Want(t, history.Achieved)
	for _, dir := range []string{temp, filepath.Join(home, ".cache")} {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			t.Errorf("in %s there are %v", dir, entries)
		}
	}
}

// TestCachesOfARepeatedStep: a step that must do the same each time finds nothing that
// another one left in caches, whichever of its commands looks.
func TestCachesOfARepeatedStep(t *testing.T) {
	ofUser(t)
	text := strings.Replace(twoSteps(), "id = 2\n", "id = 2\ndeterministic = true\n", 1)
	const nothing = `test ! -e $XDG_CACHE_HOME/mark`
	exectest.Run(t, text, workspace, exectest.Script{
		"1.1": exectest.All(goodScript["1.1"], inShell(`touch $XDG_CACHE_HOME/mark`)),
		"1.2": exectest.All(goodScript["1.2"], inShell(nothing), inShell(nothing)),
	}).Want(t, history.Achieved)
}

// ofUser gives the user of a test folders for a home and for temporary files.
func ofUser(t *testing.T) (home, temp string) {
	if reached, err := process.Reach(process.Sandbox{}); err != nil || reached.Landlock == 0 {
		t.Skip("this machine confines no writes")
	}
	home, temp = t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temp)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("GOCACHE", "")
	return home, temp
}

// inShell runs a script where a step runs its commands.
func inShell(script string) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		r, err := w.Runner.Run(ctx, gate.Command{Run: "set -e; " + script})
		if err == nil && r.Exit != 0 {
			err = fmt.Errorf("%s: status %d: %s", script, r.Exit, r.Output)
		}
		return exec.Outcome{}, err
	}
}
