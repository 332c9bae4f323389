package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/ledger"
)

// gcCommand is "planlock gc".
type gcCommand struct {
	arguments
	workspaceFlag
	DryRun bool `help:"only says what would be freed"`
}

// Run carries the command out.
func (f *gcCommand) Run(ctx context.Context, p *cli) error {
	return placed(p.collect(ctx, f.Dir, f.DryRun), f.Dir, "", nil)
}

// collect frees what no journal in the workspace refers to, while it holds it.
func (p *cli) collect(ctx context.Context, dir string, dryRun bool) error {
	ws := p.workspace(dir)
	if there, err := hasStore(ws); err != nil || !there {
		if err == nil {
			fmt.Fprintln(p.out, "Nothing is kept here: no plan has been run yet.")
		}
		return err
	}
	held, err := checkpoint.HoldWorkspace(ctx, dir)
	if err != nil {
		return err
	}
	defer held.Release() // whatever happens to the lock file now is nobody's loss
	blobs, err := checkpoint.OpenFolderContext(ctx, storeOf(ws))
	if err != nil {
		return err
	}
	needed, runs, err := neededIn(ctx, ws, checkpoint.NewStore(blobs))
	if err == nil {
		err = held.Check() // else a run could have begun of which nothing was read
	}
	var freed checkpoint.Collected
	if err == nil {
		freed, err = blobs.Collect(ctx, slices.Values(needed), dryRun)
	}
	if err = errors.Join(err, blobs.Close()); err != nil {
		return err
	}
	fmt.Fprint(p.out, collected(freed, runs, dryRun))
	return nil
}

// collected says what was freed, and what stays for a number of runs.
func collected(c checkpoint.Collected, runs int, dryRun bool) string {
	verb, was, were := "Freed", "was", "were"
	if dryRun {
		verb, was, were = "Would free", "would be", "would be"
	}
	text := fmt.Sprintf("%s %s: ", verb, plural(c.Bytes, "byte"))
	if c.Contents > 0 {
		text += fmt.Sprintf("%s of files and folders that no run here needs any more.\n", plural(c.Contents, "content"))
	} else {
		text += "there is no content that no run here needs.\n"
	}
	if c.Removed+c.Rewritten > 0 {
		text += fmt.Sprintf("Contents lie in packs, the files in .planlock/objects/packs: %s %s removed, %s %s written anew with what is needed.\n",
			plural(c.Removed, "pack"), oneOrMany(c.Removed, was, were), plural(c.Rewritten, "pack"), oneOrMany(c.Rewritten, was, were))
	}
	if c.Kept > 0 {
		text += fmt.Sprintf("%s %s, because %s %s %s.\n", plural(c.Kept, "content"), oneOrMany(c.Kept, "stays", "stay"),
			plural(runs, "run"), oneOrMany(runs, "needs", "need"), oneOrMany(c.Kept, "it", "them"))
	} else {
		text += "Nothing else is kept.\n"
	}
	if n := c.Damaged; n > 0 {
		text += fmt.Sprintf("%s left as %s, because of damage: planlock verify --store says more.\n", plural(n, "pack"), oneOrMany(n, "it is", "they are"))
	}
	if n := c.Busy; n > 0 {
		text += fmt.Sprintf("%s left as %s, because another program writes %s.\n", plural(n, "pack"), oneOrMany(n, "it is", "they are"), oneOrMany(n, "it", "them"))
	}
	return text
}

// storeOf is the folder in which a workspace keeps contents.
func storeOf(ws exec.Workspace) string { return filepath.Join(ws.Dir, exec.Own, "objects") }

func hasStore(ws exec.Workspace) (bool, error) {
	_, err := os.Stat(storeOf(ws))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(ws.Dir)
		return false, err
	}
	return err == nil, err
}

// neededIn lists all that the journals of a workspace refer to. A journal that
// cannot be read, or a tree in it, is an error: nobody knows what it needs.
func neededIn(ctx context.Context, ws exec.Workspace, store *checkpoint.Store) (all []ledger.Digest, runs int, err error) {
	ids, err := journalsIn(ws)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		err := eachReference(ctx, ws, store, id, func(ref checkpoint.Reference, err error) error {
			all = append(all, ref.Digest)
			return err
		})
		if err != nil {
			return nil, 0, fmt.Errorf("run %s: %w; nothing was removed", id, err)
		}
	}
	return all, len(ids), nil
}

// journalsIn lists the runs that have a journal, or had one. A folder among them
// that is none is an error: it may be the run of a later version.
func journalsIn(ws exec.Workspace) ([]string, error) {
	ids, err := ws.Runs()
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(filepath.Join(ws.Dir, exec.Own, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		if _, known := slices.BinarySearch(ids, e.Name()); !known {
			return nil, fmt.Errorf("%s is no run that this version knows: move it elsewhere", quoted(filepath.Join(ws.Dir, exec.Own, "runs", e.Name())))
		}
	}
	return ids, nil
}

// eachReference calls do for all that a run's journal refers to, until it
// returns an error.
func eachReference(ctx context.Context, ws exec.Workspace, store *checkpoint.Store, id string, do func(checkpoint.Reference, error) error) error {
	log, err := ws.Witness.ReadFileLog(ctx, filepath.Join(ws.RunDir(id), "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		views := filepath.Join(ws.RunDir(id), "views")
		if _, err := os.Lstat(views); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its journal is gone, and %s shows that it had one: put the journal back, or move the folder of the run elsewhere", quoted(views))
		}
		return nil // it was cut off before it began
	}
	if err != nil {
		return err
	}
	for ref, err := range store.References(ctx, log, id) {
		if err := do(ref, err); err != nil {
			return errors.Join(err, log.Close())
		}
	}
	return log.Close()
}
