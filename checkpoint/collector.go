package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Times by which a [Collector] can work while runs go on.
const (
	// LeastGrace is for how long at least a content stays that no journal needs,
	// since it was put or found last.
	LeastGrace = 24 * time.Hour
	// RenewAfter is how old the time of a content may be that is put or found
	// again, without being renewed. A [Store] asks again about what it knows for
	// longer.
	RenewAfter = LeastGrace / 4
)

// A Collector is Blobs of a store that keeps journals, too, and can free the
// contents that none of these needs, while runs go on in any of its workspaces.
//
// Nobody is stopped for that, and no lock is held. Instead each content has a
// time, by the clock of the store: that at which it was put last, or Has found
// it. Put and Has renew it where it is older than [RenewAfter], in one step with
// the look whether the content is there: either a collection sees the new time,
// or they see that the content is gone (then Put keeps it anew). A content that
// a journal is about to refer to was put or found lately (see [Store.Refer]), so
// its time is younger than any grace, and a journal that refers to it already is
// read by the collection. Blobs that remember what others have must ask them
// again after RenewAfter.
//
// All journals that refer to what is kept here have to be among Journals. Whoever
// keeps contents here and journals elsewhere must not collect.
type Collector interface {
	Blobs
	// Journals are those of every workspace of the store, by its name.
	Journals(ctx context.Context) (map[string]Runs, error)
	// Collect removes the contents that are not needed and that nobody put or
	// found for the time of grace, which is counted from a moment before needed
	// is read. needed yields the digests of all that is needed, and may yield
	// others; all of it is read before anything is removed, and an error in it
	// ends the collection. A content is removed as a whole, in one step with a
	// last look at its time, or by a name that nobody renews. With dryRun nothing is removed. A grace of less than
	// [LeastGrace] is an error.
	Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration, dryRun bool) (Collected, error)
}

// Collected is what a [Collector] freed, or would free.
type Collected struct {
	Contents int   // that are gone
	Bytes    int64 // that are free by that, also of what was kept twice
	Young    int   // contents that are not needed, and were put or found within the grace
	Kept     int   // contents that are needed
}

// NeededFor begins a collection, for those who write a Collector: it refuses a
// grace that is too short, and reads all that is needed.
func NeededFor(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration) (map[[32]byte]bool,
	error) {
	if grace < LeastGrace {
		return nil, fmt.Errorf("checkpoint: collect: a grace of %v is less than %v: what a run is about to refer to could be freed",
			grace, LeastGrace)
	}
	all := map[[32]byte]bool{}
	for d, err := range needed {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("checkpoint: collect: %w", err)
		}
		if key, err := d.Sum(); err == nil {
			all[key] = true
		}
	}
	return all, nil
}

// ErrNotCollected says that a store cannot free contents, or not together with
// where the journals are.
var ErrNotCollected = errors.New("checkpoint: the store of contents cannot free any")

// ErrCollected says that a content which a journal was to refer to is gone: it
// was kept so long before that a collection took it for one that nobody needs.
var ErrCollected = errors.New("checkpoint: a content was freed before a journal referred to it")

// An unreferred content is one that was kept, and no record refers to it yet.
type unreferred struct {
	at    time.Time       // since when what it needs was put or found
	needs []ledger.Digest // itself, and the contents of a tree
	base  ledger.Digest   // the manifest that it builds on
}

// Lately reports whether a content that was put or found at a time need not be
// looked for again. Both clocks are asked: one stands still while the machine
// sleeps, and the other one is set by people.
func Lately(at time.Time) bool {
	now := time.Now()
	by := now.Round(0).Sub(at.Round(0))
	return now.Sub(at) < RenewAfter && by.Abs() < RenewAfter
}

// mostWaiting is how much is noted that no record refers to: some stores serve no
// journal, and a run records what it keeps before it keeps so much more.
const mostWaiting = 1 << 12

// await notes what was kept.
func (r *register) await(d ledger.Digest, u unreferred) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= mostWaiting {
		oldest := d
		for other, o := range r.waiting {
			if was, there := r.waiting[oldest]; !there || o.at.Before(was.at) {
				oldest = other
			}
		}
		delete(r.waiting, oldest)
	}
	r.waiting[d] = u
}

// awaiting is what no record refers to yet.
func (r *register) awaiting(d ledger.Digest) (u unreferred, waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, waits = r.waiting[d]
	return u, waits
}

// referred says that records refer to contents.
func (r *register) referred(digests []ledger.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range digests {
		delete(r.waiting, d)
	}
}

// Refer is called with the data of records before they are appended, and what it
// returns once they are durable. What they refer to and this store kept more than
// [RenewAfter] ago, with no record since, is looked for again: a [Collector] sees
// by that that somebody needs it. ErrCollected where it is too late.
func (s *Store) Refer(ctx context.Context, data ...[]byte) (done func(), err error) {
	var found []ledger.Digest
	for _, text := range data {
		for _, d := range digestsIn(text) {
			for u, waits := s.awaiting(d); waits; u, waits = s.awaiting(d) {
				if err := s.renew(ctx, d, u); err != nil {
					return nil, err
				}
				found = append(found, d)
				d = u.base
			}
		}
	}
	return func() { s.referred(found) }, nil
}

// renew looks again for what a content needs that was kept long ago.
func (s *Store) renew(ctx context.Context, d ledger.Digest, u unreferred) error {
	if Lately(u.at) {
		return nil
	}
	u.at = time.Now()
	for _, needed := range u.needs {
		has, err := s.blobs.Has(ctx, needed)
		if err == nil && !has {
			err = s.there(ctx, needed)
		}
		if err != nil {
			return fmt.Errorf("checkpoint: refer to %s: %w", d, err)
		}
	}
	s.await(d, u)
	return nil
}

// there finds a content that Has denied, which may be too cautious.
func (s *Store) there(ctx context.Context, d ledger.Digest) error {
	in, err := s.blobs.Get(ctx, d)
	switch {
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("%w: %s", ErrCollected, d)
	case err != nil:
		return err
	}
	return in.Close()
}
