package home

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/ledger"
)

// ErrNothingKept says that no plan has been run in a workspace yet, or that its
// contents are not in the default folder.
var ErrNothingKept = errors.New("exec: the workspace keeps nothing")

// A Fault is something that a workspace keeps and that is damaged or missing.
type Fault struct {
	// What is the fault in one word: damaged, missing, unreadable, or journal,
	// which is one that cannot be read.
	What string
	// Digest is that of the content; "" where it is not known. One content can
	// be in several faults, one for each record that needs it.
	Digest ledger.Digest
	// NeededBy is the record that needs the content, and for what; "" for a
	// fault of the store itself.
	NeededBy string
	// Text is what is wrong with the store or the journal; "" where the digest
	// says it.
	Text string
}

func (f Fault) String() string {
	if f.NeededBy != "" {
		return fmt.Sprintf("%s: %s, needed by %s", f.What, f.Digest, f.NeededBy)
	}
	return f.What + ": " + f.Text
}

// Collect frees what no journal in the workspace refers to, while it holds the
// workspace, and returns what was freed and for how many runs the rest stays;
// with dryRun it only counts. It removes nothing while any journal or tree
// cannot be read, since nobody knows what those need. Only the default folder
// of contents is collected; where there is none, the error is [ErrNothingKept].
func (h Home) Collect(ctx context.Context, dryRun bool) (freed folder.Collected, runs int, err error) {
	if err := h.keeps(); err != nil {
		return freed, 0, err
	}
	held, err := hold.Workspace(ctx, h.folder())
	if err != nil {
		return freed, 0, err
	}
	defer held.Release() // whatever happens to the lock file now is nobody's loss
	blobs, err := folder.Open(ctx, h.contents())
	if err != nil {
		return freed, 0, err
	}
	needed, runs, err := h.needed(ctx, checkpoint.NewStore(blobs))
	if err == nil {
		err = held.Check() // else a run could have begun of which nothing was read
	}
	if err == nil {
		freed, err = blobs.Collect(ctx, slices.Values(needed), dryRun)
	}
	return freed, runs, errors.Join(err, blobs.Close())
}

// CheckContents reads all that the workspace keeps in its default folder and
// tells of everything that is damaged or missing, and who needs it. It changes
// nothing. Where there is no such folder, the error is [ErrNothingKept].
func (h Home) CheckContents(ctx context.Context, tell func(Fault)) (folder.Checked, error) {
	if err := h.keeps(); err != nil {
		return folder.Checked{}, err
	}
	blobs, err := folder.Open(ctx, h.contents())
	if err != nil {
		return folder.Checked{}, err
	}
	lost := map[ledger.Digest]string{}
	checked, err := blobs.Check(ctx, func(f folder.Fault) {
		if f.Digest != "" {
			lost[f.Digest] = "damaged"
		}
		if rel, err := filepath.Rel(h.folder(), f.Pack); err == nil {
			f.Pack = rel
		}
		tell(Fault{What: "damaged", Digest: f.Digest, Text: f.String()})
	})
	if err == nil {
		err = h.tellMissing(ctx, blobs, &checked, lost, tell)
	}
	return checked, errors.Join(err, blobs.Close())
}

// tellMissing names what journals need and the store does not hold intact; of
// what is in lost only who needs it is new.
func (h Home) tellMissing(ctx context.Context, blobs *folder.Blobs, checked *folder.Checked,
	lost map[ledger.Digest]string, tell func(Fault)) error {
	ids, err := h.journals(ctx)
	if err != nil {
		return err
	}
	store := checkpoint.NewStore(blobs)
	for _, id := range ids {
		err := h.eachReference(ctx, store, id, func(ref checkpoint.Reference, err error) error {
			if ref.Digest == "" {
				return err // of the journal itself
			}
			whole := checked.Holds(ref.Digest)
			if err == nil && (whole || !isNeeded(ref) && lost[ref.Digest] == "") {
				return ctx.Err()
			}
			what := lost[ref.Digest]
			switch {
			case whole:
				what = "unreadable" // it is no manifest, or of a later version
			case what == "":
				what = "missing"
				lost[ref.Digest] = what
			}
			tell(Fault{What: what, Digest: ref.Digest, NeededBy: ref.String()})
			return ctx.Err()
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			tell(Fault{What: "journal", Text: fmt.Sprintf("run %s: %s", id, err)})
		}
	}
	return nil
}

// isNeeded reports whether a digest in a journal is that of a content which
// must be kept: others name trees and plans. Manifests come with an error if
// they are gone.
func isNeeded(ref checkpoint.Reference) bool {
	return ref.Path != "" || ref.Key == "plan_blob" || ref.Key == "whole"
}

// keeps is [ErrNothingKept] where there is no default folder of contents.
func (h Home) keeps() error {
	_, err := os.Stat(h.contents())
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(h.folder()); err != nil {
		return err
	}
	return ErrNothingKept
}

// contents is the default folder of contents.
func (h Home) contents() string { return h.Path("objects") }

// needed lists all that the journals of the workspace refer to. A journal that
// cannot be read, or a tree in it, is an error: nobody knows what it needs.
func (h Home) needed(ctx context.Context, store *checkpoint.Store) (all []ledger.Digest, runs int, err error) {
	ids, err := h.journals(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		err := h.eachReference(ctx, store, id, func(ref checkpoint.Reference, err error) error {
			all = append(all, ref.Digest)
			return err
		})
		if err != nil {
			return nil, 0, fmt.Errorf("run %s: %w; nothing was removed", id, err)
		}
	}
	return all, len(ids), nil
}

// journals lists the runs that have a journal, or had one. A folder among them
// that is none is an error: it may be the run of a later version.
func (h Home) journals(ctx context.Context) ([]string, error) {
	ids, err := h.IDs(ctx)
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(h.Path("runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		if _, known := slices.BinarySearch(ids, e.Name()); !known {
			return nil, fmt.Errorf("%s is no run that this version knows: move it elsewhere",
				ledger.Quote(h.Path("runs", e.Name())))
		}
	}
	return ids, nil
}

// eachReference calls do for all that a run's journal refers to, until it
// returns an error.
func (h Home) eachReference(ctx context.Context, store *checkpoint.Store, id string,
	do func(checkpoint.Reference, error) error) error {
	log, err := h.readLog(ctx, id)
	if errors.Is(err, ErrNoRun) {
		views := h.ViewDir(id)
		if _, err := os.Lstat(views); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its journal is gone, and %s shows that it had one: put the journal back, or move the folder of the run elsewhere", ledger.Quote(views))
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
	if err := log.Close(); err != nil || !h.HasAfter(ctx, id) {
		return err
	}
	return h.eachReferenceAfter(ctx, store, id, do)
}
