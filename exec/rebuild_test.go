package exec_test

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
	"github.com/planlock/planlock/plan/native"
)

// TestRebuiltElsewhere stops a run in its second step, after whose first nothing
// is left but contents and journals, and goes on with it in a folder that is not
// there yet: it ends with the tree of a run that nobody stopped, and no step was
// completed twice.
func TestRebuiltElsewhere(t *testing.T) {
	whole := exectest.New(t, twoSteps(), workspace, goodScript)
	whole.Run(t).Want(t, history.Achieved)
	blobs, runs, papers := &checkpoint.Memory{}, &checkpoint.MemoryRuns{}, &checkpoint.MemoryPapers{}
	ctx, stop := context.WithCancel(t.Context())
	tried := map[string]int{}
	executor := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		tried[string(w.Step.Address)]++
		if w.Step.Address == "1.2" && tried["1.2"] == 1 {
			must(t, exectest.Put(w.Dir, "half.txt", "half"))
			stop()
			return exec.Outcome{}, context.Cause(ctx)
		}
		return goodScript.Execute(ctx, w)
	})
	text := twoSteps()
	files := exectest.Files{}
	for name, content := range workspace {
		files[name] = content
	}
	files["plan.toml"] = text
	b := exectest.New(t, text, files, executor)
	read, err := native.ReadFile(filepath.Join(b.Dir, "plan.toml"))
	must(t, err)
	b.Draft = read
	b.Controller.Blobs, b.Controller.Runs, b.Controller.Papers = blobs, runs, papers
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was stopped: %v\n%s", err, report)
	}
	id := report.Run.Started.Run

	there := filepath.Join(t.TempDir(), "on", "another", "machine")
	ws := exec.Workspace{Dir: there, Blobs: blobs, Runs: runs, Papers: papers}
	must(t, ws.Rebuild(t.Context(), id))
	if _, err := os.Stat(filepath.Join(there, "half.txt")); err == nil {
		t.Error("half of a step is there")
	}
	if err := ws.Rebuild(t.Context(), id); !errors.Is(err, exec.ErrNotEmpty) {
		t.Errorf("rebuilt over files: %v", err)
	}
	must(t, os.RemoveAll(b.Dir)) // the first machine is gone
	draft, err := native.ReadFile(filepath.Join(there, "plan.toml"))
	must(t, err)
	b.Dir, b.Draft, b.Controller.Dir = there, draft, there
	report, err = b.Controller.Resume(t.Context(), b.Lock(t), id)
	if err != nil || report.Status() != history.Achieved {
		t.Fatalf("resumed: %v\n%s", err, report)
	}
	if tried["1.1"] != 1 || tried["1.2"] != 2 {
		t.Errorf("tried: %v", tried)
	}
	must(t, os.Remove(filepath.Join(there, "plan.toml")))
	if got, want := b.Tree(t).Digest(), whole.Tree(t).Digest(); got != want {
		t.Errorf("the tree is %s, want %s", got.Short(), want.Short())
	}
	if _, err := ws.Verify(t.Context(), id); err != nil {
		t.Error(err)
	}
	// A lock serves one run, whoever asks.
	var refused *exec.RefusedError
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("the lock served once more: %v", err)
	}
}

// TestStrangersFolder: a run that works in its workspace itself does not go on in a
// folder that is somebody else's: going on would undo what lies there.
func TestStrangersFolder(t *testing.T) {
	runs := &checkpoint.MemoryRuns{}
	ctx, stop := context.WithCancel(t.Context())
	b := exectest.New(t, twoSteps()+"\n[sandbox]\nlayer = \"in-place\"\n", workspace,
		exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			stop()
			return exec.Outcome{}, context.Cause(ctx)
		}))
	b.Controller.Blobs, b.Controller.Runs = &checkpoint.Memory{}, runs
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was stopped: %v\n%s", err, report)
	}
	b.Controller.Dir = t.TempDir()
	must(t, exectest.Put(b.Controller.Dir, "keep.txt", "mine"))
	var refused *exec.RefusedError
	if _, err := b.Controller.Resume(t.Context(), locked, report.Run.Started.Run); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "is not its workspace") {
		t.Errorf("resumed elsewhere: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(b.Controller.Dir, "keep.txt")); string(text) != "mine" {
		t.Errorf("keep.txt: %q %v", text, err)
	}
}
