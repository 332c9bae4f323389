package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
)

// A Journal is a hash-chained Log. It is safe for concurrent use: calls that
// add something do so one after another.
type Journal struct {
	log  Log
	name string
	now  func() time.Time

	mu    sync.Mutex
	chain record.Chain // of what is durable

	turn   chan struct{} // whoever is in it may write; what follows is theirs
	tip    record.Chain  // behind what is staged or written
	given  record.Chain  // behind what is written
	staged [][]byte      // not written yet
	buf    []byte        // kept for the next batch, like those below
	ends   []int
	each   [][]byte
}

// OpenJournal replays and verifies log; name (the run id) starts the chain, so
// that the records of another run are recognised. now is time.Now if it is nil.
// *CorruptError names the first record that is wrong. The journal owns log from
// then on: its Close closes it; after an error it is the caller's still.
func OpenJournal(ctx context.Context, log Log, name string, now func() time.Time) (*Journal, error) {
	return OpenJournalWith(ctx, log, name, now, nil)
}

// OpenJournalWith is OpenJournal, and gives each record that was verified to
// do, in order, so that the log is read once and not twice. A later record may
// still turn out to be wrong: what do made of the others counts only where
// there is no error. An error of do is the last thing.
func OpenJournalWith(ctx context.Context, log Log, name string, now func() time.Time,
	do func(record.Record) error) (*Journal, error) {
	if now == nil {
		now = time.Now
	}
	j := &Journal{log: log, name: name, now: now, turn: make(chan struct{}, 1), chain: record.NewChain(name)}
	for s, err := range replay(ctx, log, &j.chain) {
		if err == nil && do != nil {
			err = do(s.Record(&j.chain))
		}
		if err != nil {
			return nil, err
		}
	}
	j.tip, j.given = j.chain.Clone(), j.chain.Clone()
	return j, nil
}

// VerifyLog replays and verifies log like OpenJournal, and says where it ends.
// Whether it is as long as it should be only an expected head can tell, see
// Journal.Extends; a filelog.Log keeps one, which an attacker can change too.
func VerifyLog(ctx context.Context, log Log, name string) (record.Head, error) {
	c := record.NewChain(name)
	for _, err := range replay(ctx, log, &c) {
		if err != nil {
			return c.Head(), err
		}
	}
	return c.Head(), nil
}

// replay yields the verified contents of log, following c.
func replay(ctx context.Context, log Log, c *record.Chain) iter.Seq2[record.Stored, error] {
	return func(yield func(record.Stored, error) bool) {
		for b, err := range log.Replay(ctx) {
			var s record.Stored
			if err == nil {
				s, err = c.Follow(b)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Records yields all records from the log, verified once more. The first error
// is the last pair. Records that are appended meanwhile may be left out.
func (j *Journal) Records(ctx context.Context) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		c, want := record.NewChain(j.name), j.Head()
		for s, err := range replay(ctx, j.log, &c) {
			if err != nil {
				yield(record.Record{}, err)
				return
			}
			if !yield(s.Record(&c), nil) {
				return
			}
		}
		if c.Seq() < want.Seq {
			yield(record.Record{}, &record.CorruptError{Name: j.name, Seq: c.Seq() + 1, Why: "it was cut off"})
		}
	}
}

// Extends reports whether the journal is what it was when it ended at h, or a
// continuation of that. If it was cut, or written anew with another chain, it
// is a *CorruptError.
func (j *Journal) Extends(ctx context.Context, h record.Head) error {
	if h == (record.Head{}) {
		return nil
	}
	c := record.NewChain(j.name)
	if now := j.Head(); now.Seq < h.Seq {
		return &record.CorruptError{Name: j.name, Seq: now.Seq + 1, Why: fmt.Sprintf("it was cut off: %d records are expected", h.Seq)}
	}
	next, stop := iter.Pull2(replay(ctx, j.log, &c))
	defer stop()
	for c.Seq() < h.Seq {
		if _, err, ok := next(); err != nil || !ok {
			return cmp.Or(err, error(&record.CorruptError{Name: j.name, Seq: c.Seq() + 1, Why: "it was cut off"}))
		}
	}
	if c.Head() != h {
		return &record.CorruptError{Name: j.name, Seq: max(h.Seq, 1), Why: "it is not the record that was there before: the journal was written anew"}
	}
	return nil
}

// Head is where the journal ends now. Facts that are only staged or written do
// not count.
func (j *Journal) Head() record.Head {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.chain.Head()
}

// Close appends what is only staged, makes durable what is only written, and
// closes the log. It waits for calls that add something.
func (j *Journal) Close() error {
	j.turn <- struct{}{}
	defer j.leave()
	var err error
	switch {
	case len(j.staged) > 0:
		_, err = j.put(context.Background(), nil, durable)
	case j.given.Seq() > j.Head().Seq:
		err = j.sync(context.Background())
	}
	return errors.Join(err, j.log.Close())
}
