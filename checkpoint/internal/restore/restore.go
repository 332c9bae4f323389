// Package restore makes a folder hold a tree again: exactly, in place, and
// without ever following a link out of it.
//
// A restore compares what the folder should hold with what it holds, makes sure
// that all contents can be had before it touches anything, and then removes,
// makes folders, mends the rest, and last sets the modes and times of folders.
// It can be repeated at any point, from a new scan: nothing that it did makes
// the next one harder. An error about one path does not keep it from the
// others, since a folder that is mostly mended helps more than one that is not.
//
// What somebody else does in the folder meanwhile is not fought: an entry that
// became something else is left, and named in the error. Nothing is done by a
// path of more than one name, so that a folder which is swapped for a link
// leads nowhere.
//
// Where permission is missing, folders are opened to their owner for as long as
// it takes. What is marked as immutable is a person's to unmark.
package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/ledger"
)

// Tree makes dir hold want, where have is what it holds now. Store.Restore says
// what that means.
func Tree(ctx context.Context, from Contents, dir string, want, have *ledger.Tree) error {
	return tree(ctx, from, dir, restorer{plan: planned(want, have)})
}

// New makes want in dir, which is empty. What comes there meanwhile is not
// written over: it is an error.
func New(ctx context.Context, from Contents, dir string, want *ledger.Tree) error {
	return tree(ctx, from, dir, restorer{plan: planned(want, ledger.Empty()), fresh: true})
}

// tree makes a folder hold what it is to hold. Whether the contents for that
// are there is looked at before anything is touched.
func tree(ctx context.Context, from Contents, dir string, r restorer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w, err := walk.Open(ctx, dir)
	if err != nil {
		return err
	}
	r.from, r.dir, r.w, r.touched, r.failed = from, dir, w, map[string]bool{}, map[string]bool{}
	if err = r.haveContents(ctx); err == nil {
		err = r.readRest(ctx, dir)
	}
	if err == nil {
		err = r.run(ctx)
	}
	return errors.Join(err, w.Close())
}

// haveContents reports all contents that are needed and cannot be had, before
// anything is touched.
func (r *restorer) haveContents(ctx context.Context) error {
	var errs []error
	for _, m := range r.mend {
		if m.Kind != ledger.File || !m.content {
			continue
		}
		why, err := r.from.Lacks(ctx, m.Digest)
		if err != nil {
			return err
		}
		if why != nil {
			errs = append(errs, fmt.Errorf("%q: %w", m.Path, why))
		}
	}
	return errors.Join(errs...)
}

// run does the plan: removes from the innermost entry out, so that folders are
// empty when their turn comes; makes folders from the outermost in; then all
// else; and last gives folders their modes and times, since what is made in a
// folder changes those.
func (r *restorer) run(ctx context.Context) error {
	for _, e := range slices.Backward(r.remove) {
		if ctx.Err() != nil {
			break
		}
		r.note(e.Path, r.removeEntry(e))
	}
	r.mendRest(ctx, r.mendFolders(ctx))
	// Also when it was cancelled: folders that were opened are closed again.
	r.finish()
	if ctx.Err() != nil {
		r.errs = append(r.errs, context.Cause(ctx))
	}
	return errors.Join(r.errs...)
}

// mendFolders mends the folders, outer ones first, and returns all that is no
// folder.
func (r *restorer) mendFolders(ctx context.Context) (others []mending) {
	for _, m := range r.mend {
		if m.Kind != ledger.Dir {
			others = append(others, m)
		} else if ctx.Err() == nil {
			r.mendOne(ctx, m)
		}
	}
	return others
}
