package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// ErrNotEmpty says that a workspace is to be made where files are already.
var ErrNotEmpty = errors.New("exec: the folder is not empty")

// Rebuild makes the workspace of a run in an empty folder, or one that is not
// there yet, from Blobs and Runs alone: the tree that the run had brought into
// its workspace, and the files of the plan and the lock, as far as they lay in
// it. So another machine goes on with the run, by [Controller.Resume].
//
// What no tree has is not there: what the plan ignores, the repository, and a
// plan that lay elsewhere.
// Whoever resumes must be what the run is bound to (see
// [Controller.ResumeAccepting]): its envelope may name what this machine does
// not have. Nothing is written if a content is missing. Errors are [ErrNotEmpty] and
// [ErrNoRun].
func (w Workspace) Rebuild(ctx context.Context, run string) error {
	dir := cmp.Or(w.Dir, ".")
	if err := disk.From(ctx).Anywhere().MakeFolders(dir, 0o755); err != nil {
		return fmt.Errorf("exec: workspace: %w", err)
	}
	if err := onlyOwn(dir); err != nil {
		return err
	}
	r, err := w.History(ctx, run)
	if err != nil {
		return err
	}
	store, shut, err := w.Store()
	if err != nil {
		return err
	}
	defer shut() // only read
	if err := w.adopt(ctx, store, run); err != nil {
		return err
	}
	files, err := sourcesOf(ctx, store, r)
	if err != nil {
		return err
	}
	placed := r.Tree
	if r.Started.Layered() {
		placed = r.Placed
	}
	tree, err := store.Tree(ctx, placed)
	if err != nil {
		return fmt.Errorf("exec: the tree of run %s: %w", run, err)
	}
	beside, err := os.MkdirTemp(dir, rebuilding)
	if err != nil {
		return fmt.Errorf("exec: workspace: %w", err)
	}
	defer os.RemoveAll(beside) // what is moved out of it is not there any more
	if err := store.Export(ctx, beside, tree); err != nil {
		return err
	}
	for name, text := range files {
		at := filepath.Join(beside, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return fmt.Errorf("exec: workspace: %w", err)
		}
		if err := os.WriteFile(at, text, 0o644); err != nil {
			return fmt.Errorf("exec: workspace: %w", err)
		}
	}
	if err := moveAll(beside, dir); err != nil {
		return err
	}
	return disk.From(ctx).Anywhere().MakeFolders(w.RunDir(run), 0o755) // by which it is the workspace of the run
}

// rebuilding is what the names of folders begin with in which workspaces are made;
// one that a kill left is nobody's.
const rebuilding = home.Own + "-rebuilt-"

// onlyOwn is ErrNotEmpty where a folder has more than what is the controller's.
func onlyOwn(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("exec: workspace: %w", err)
	}
	for _, e := range entries {
		if e.Name() != home.Own && !strings.HasPrefix(e.Name(), rebuilding) {
			return fmt.Errorf("%w: %s has %s: a workspace is made anew in an empty one", ErrNotEmpty, ledger.Quote(dir),
				ledger.Quote(e.Name()))
		}
	}
	return nil
}

// adopt takes what the records of a run carry.
func (w Workspace) adopt(ctx context.Context, store *checkpoint.Store, run string) error {
	records, err := w.Records(ctx, run)
	for _, rec := range records {
		if err == nil {
			err = store.AdoptRecord(ctx, rec)
		}
	}
	return err
}

// sourcesOf are the files of the plan and the lock of a run that lay in its
// workspace, by their names there.
func sourcesOf(ctx context.Context, store *checkpoint.Store, r *history.Run) (map[string][]byte, error) {
	files := map[string][]byte{}
	keep := func(name string, digest ledger.Digest) error {
		if !slices.Contains(r.Started.Own, name) || !fs.ValidPath(name) {
			return nil
		}
		text, err := store.Get(ctx, digest)
		if err != nil {
			return fmt.Errorf("exec: %s of run %s: %w", ledger.Quote(name), r.Started.Run, err)
		}
		files[name] = text
		return nil
	}
	for _, f := range r.Started.Files {
		if err := keep(f.Path, f.Digest); err != nil {
			return nil, err
		}
	}
	if r.Started.LockFile == "" {
		return files, nil
	}
	return files, keep(r.Started.LockFile, r.Started.LockDigest)
}

// moveAll moves everything in a folder to another one beside it.
func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		if err == nil {
			err = os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("exec: workspace: %w", err)
	}
	return nil
}
