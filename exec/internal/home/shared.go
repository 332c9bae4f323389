package home

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

// ErrNotCollected says that a store cannot free contents, or not together with
// where the journals are.
var ErrNotCollected = checkpoint.ErrNotCollected

// Collected is what was freed of a store that is shared.
type Collected struct {
	checkpoint.Collected
	Runs       int // that have a journal in the store
	Workspaces int // that have one
}

// CollectShared frees what no journal in any workspace of the store of contents
// refers to and nobody put or found for the time of grace, while runs go on; with
// dryRun it only counts. It removes nothing while any journal or tree cannot be
// read. Where the store is no [checkpoint.Collector], or journals are kept in the
// folder, the error is [ErrNotCollected]; where it has no journal at all,
// [ErrNothingKept].
func (h Home) CollectShared(ctx context.Context, grace time.Duration, dryRun bool) (freed Collected, err error) {
	store, can := h.Blobs.(checkpoint.Collector)
	if !can || h.Runs == nil {
		return freed, ErrNotCollected
	}
	freed.Collected, err = store.Collect(ctx, func(yield func(ledger.Digest, error) bool) {
		if err := h.neededByAll(ctx, store, &freed, func(d ledger.Digest) bool { return yield(d, nil) }); err != nil {
			yield("", err)
		}
	}, grace, dryRun)
	return freed, err
}

// errEnough says that nobody wants to know more.
var errEnough = errors.New("exec: enough")

// neededByAll yields what the journals of all workspaces refer to, and counts
// these.
func (h Home) neededByAll(ctx context.Context, store checkpoint.Collector, of *Collected, yield func(ledger.Digest) bool) error {
	journals, err := store.Journals(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(journals)) {
		its := Home{Dir: h.Dir, Blobs: h.Blobs, Runs: journals[name]}
		ids, err := its.IDs(ctx)
		for _, id := range ids {
			err = its.eachReference(ctx, checkpoint.NewStore(careful{h.Blobs}), id, func(ref checkpoint.Reference, err error) error {
				if err == nil && !yield(ref.Digest) {
					return errEnough
				}
				return err
			})
			if err != nil {
				err = fmt.Errorf("run %s: %w", id, err)
				break
			}
		}
		switch {
		case errors.Is(err, errEnough):
			return nil
		case err != nil && name != "":
			return fmt.Errorf("workspace %q: %w; nothing was removed", name, err)
		case err != nil:
			return fmt.Errorf("%w; nothing was removed", err)
		case len(ids) > 0:
			of.Workspaces++
		}
		of.Runs += len(ids)
	}
	if of.Runs == 0 {
		return ErrNothingKept
	}
	return nil
}
