package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// TestFoldersOfRuns: commands of jobs write in no folder of the worker's user, find
// what earlier ones of their run left in caches, and nothing of another run; and see
// no home but their own.
func TestFoldersOfRuns(t *testing.T) {
	if reached, err := process.Reach(process.Sandbox{}); err != nil || reached.Landlock == 0 {
		t.Skip("skipped: this machine confines no writes")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("GOCACHE", "")
	users := filepath.Join(home, ".cache")
	if err := os.Mkdir(users, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
	store, said := checkpoint.NewStore(blobs), make(chan string)
	first := ""
	does := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		err := os.WriteFile(filepath.Join(w.Home, "login"), nil, 0o600)
		if first == "" {
			first = w.Home
		}
		result, failed := w.Runner.Run(ctx, gate.Command{Run: fmt.Sprintf(w.Step.Run, users, first), Private: w.Home})
		said <- fmt.Sprint(string(result.Output), result.Exit, errors.Join(err, failed))
		return exec.Outcome{}, nil
	})
	worker := make(chan error)
	go func() {
		worker <- (&remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(does)}).Run(ctx)
	}()
	dir := t.TempDir()
	tree, err := (&scan.Scanner{}).Scan(ctx, dir, nil)
	base, bad := store.Snapshot(ctx, dir, tree, record.Snapshot{})
	if err := errors.Join(err, bad); err != nil {
		t.Fatal(err)
	}
	for n, job := range []struct{ run, does string }{
		{"a", `! touch %[1]s/mine 2>&- || exit 3; touch $XDG_CACHE_HOME/kept $TMPDIR/kept %[2]s/new`},
		{"a", `test -e $XDG_CACHE_HOME/kept; test -e %[2]s/new; : %[1]s`},
		{"b", `test ! -e $XDG_CACHE_HOME/kept; test ! -e $TMPDIR/kept; test ! -e %[2]s/login; : %[1]s`},
	} {
		step := plan.Address(fmt.Sprint("1.", n+1))
		request, err := store.Put(ctx, fmt.Appendf(nil, `{"task":{},"step":{"Address":%q,"Run":%q}}`, step, "set -e; "+job.does))
		err = errors.Join(err, queue.Submit(ctx, remote.Job{Key: string(step), Run: job.run, Step: step, Base: base,
			Request: request}))
		if err != nil {
			t.Fatal(err)
		}
		if got := <-said; got != "0<nil>" && got != "0 <nil>" {
			t.Errorf("step %s: %s", step, got)
		}
	}
	end()
	if err := <-worker; err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(first); err == nil {
		t.Error("the home is left")
	}
}
