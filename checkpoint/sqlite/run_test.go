package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// TestRun stops a run in its middle, takes everything away that it had in the
// workspace, and has another controller and another opening of the file go on.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	killed := errors.New("killed by the test")
	script := exectest.Script{
		"1.1": exectest.Write("greeting.txt", "Hello\n"),
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			stop(killed)
			return exectest.Write("greeting.txt", "Hello rea")(ctx, w)
		},
	}
	bench := exectest.New(t, "../../examples/embedded/plan.toml", exectest.Files{"notes/mine": "n\n"}, script)
	dir := t.TempDir()
	store := open(t, dir)
	bench.Controller.Blobs, bench.Controller.Runs = store.Blobs(), store.Runs()
	locked := bench.Lock(t)
	report, err := bench.Controller.Run(ctx, locked)
	if err == nil || report == nil || report.Status() == history.Achieved {
		t.Fatalf("the run was not stopped: %v\n%s", err, report)
	}
	run := report.Run.Started.Run
	if err := errors.Join(store.Close(), os.RemoveAll(filepath.Join(bench.Dir, exec.Own))); err != nil {
		t.Fatal(err)
	}

	store = open(t, dir)
	script["1.2"] = exectest.Write("greeting.txt", "Hello reader\n")
	again := *bench.Controller
	again.Blobs, again.Runs = store.Blobs(), store.Runs()
	report, err = again.Resume(t.Context(), locked, run)
	result := &exectest.Result{Report: report, Err: err, Dir: bench.Dir}
	result.Want(t, history.Achieved)
	if got := result.Read(t, "greeting.txt"); got != "Hello reader\n" {
		t.Errorf("greeting.txt holds %q", got)
	}
	if report, err := again.Run(t.Context(), locked); err == nil || !strings.Contains(err.Error(), run) {
		t.Errorf("the lock served a second run: %v\n%s", err, report)
	} else {
		t.Log(err)
	}
	for l, err := range store.Runs().List(t.Context(), checkpoint.Which{}) {
		if err != nil || l != (checkpoint.Listed{Run: run, State: checkpoint.Sealed}) {
			t.Errorf("listed %+v, %v", l, err)
		}
	}
}
