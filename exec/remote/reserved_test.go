package remote_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestNothingReserved: of a worker that says it made what is git's or the controller's
// nothing is applied, whether its step has a folder or not.
func TestNothingReserved(t *testing.T) {
	for _, name := range []string{".git/hooks/pre-commit", ".planlock/runs/x", ".GIT/config"} {
		for _, lane := range []bool{false, true} {
			ctx, blobs, queue, dir := t.Context(), &checkpoint.Memory{}, &remote.Memory{}, t.TempDir()
			go func() {
				lease, err := queue.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
				if err != nil {
					return
				}
				store := checkpoint.NewStore(blobs)
				text, e1 := store.Put(ctx, []byte("x"))
				by := map[string]*ledger.Entry{name: {Path: name, Kind: ledger.File, Size: 1, Digest: text}}
				for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
					by[folder] = &ledger.Entry{Path: folder, Kind: ledger.Dir, Mode: 0o755}
				}
				made, e2 := ledger.Empty().Edited(by)
				tree, e3 := store.Snapshot(ctx, t.TempDir(), made, lease.Job().Base)
				said, e4 := store.Put(ctx, []byte("{}"))
				e5 := lease.Done(ctx, remote.Result{Key: lease.Job().Key, Host: "h", Tree: tree, Said: said})
				if err := errors.Join(e1, e2, e3, e4, e5); err != nil {
					t.Error(err)
				}
			}()
			work := exec.Work{Dir: dir, Step: &plan.Step{Address: "1.1"}, Task: &plan.Task{}}
			if lane {
				work.Became = func(_, made *ledger.Tree) { t.Errorf("%s: it became %v", name, made) }
			}
			x := &remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}}
			_, err := x.Execute(ctx, work)
			if err == nil || !strings.Contains(err.Error(), "no step changes what is in") {
				t.Errorf("%s: %v", name, err)
			}
			if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
				t.Errorf("%s: %v, %v", name, there, err)
			}
		}
	}
}
