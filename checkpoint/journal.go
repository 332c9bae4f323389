package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/planlock/planlock/ledger"
)

// A Fact is what a caller adds to a journal.
type Fact struct {
	Type    string          `json:"type"` // never empty
	Step    string          `json:"step,omitempty"`
	Attempt int             `json:"attempt,omitempty"` // never negative
	Data    json.RawMessage `json:"data,omitempty"`    // JSON; kept without the white space between its parts
}

// A Record is a fact in its place.
type Record struct {
	Seq  uint64        `json:"seq"`  // from 1, without gaps; it alone is the order
	Time time.Time     `json:"time"` // UTC; for people
	Prev ledger.Digest `json:"prev"` // hash of the record before; of the journal's name for the first
	Hash ledger.Digest `json:"hash"` // of all but itself
	Fact
}

// Head is where a journal ends.
type Head struct {
	Seq  uint64        `json:"seq"` // of the last record; 0 if there is none
	Hash ledger.Digest `json:"hash"`
}

// A Journal is a hash-chained Log. It is safe for concurrent use: what several
// callers append at one time is made durable together.
type Journal struct {
	log  Log
	name string
	now  func() time.Time

	mu      sync.Mutex
	chain   chain // of what is durable
	writing bool  // somebody leads
	queue   []*appending

	// These belong to who leads.
	tip     chain    // behind what is staged or written
	given   chain    // behind what is written
	staged  [][]byte // not written yet
	buf     []byte   // kept for the next batch, like those below
	scratch []byte
	ends    []int
	batch   [][]byte
}

// OpenJournal replays and verifies log; name (the run id) starts the chain, so
// that the records of another run are recognised. now is time.Now if it is nil.
// *CorruptError names the first record that is wrong. The journal owns log from
// then on: its Close closes it; after an error it is the caller's still.
func OpenJournal(ctx context.Context, log Log, name string, now func() time.Time) (*Journal, error) {
	return OpenJournalWith(ctx, log, name, now, nil)
}

// OpenJournalWith is OpenJournal, and gives each record that was verified to do, in order, so that the log is read once and not
// twice. A later record may still turn out to be wrong: what do made of the others counts only where there is no error. An error of
// do is the last thing.
func OpenJournalWith(ctx context.Context, log Log, name string, now func() time.Time, do func(Record) error) (*Journal, error) {
	if now == nil {
		now = time.Now
	}
	j := &Journal{log: log, name: name, now: now, chain: newChain(name)}
	for s, err := range replay(ctx, log, &j.chain) {
		if err == nil && do != nil {
			err = do(s.record(&j.chain))
		}
		if err != nil {
			return nil, err
		}
	}
	j.tip, j.given = j.chain.clone(), j.chain.clone()
	return j, nil
}

// VerifyLog replays and verifies log like OpenJournal, and says where it ends.
// Whether it is as long as it should be only an expected head can tell, see
// Journal.Extends; a FileLog keeps one, which an attacker can change too.
func VerifyLog(ctx context.Context, log Log, name string) (Head, error) {
	c := newChain(name)
	for _, err := range replay(ctx, log, &c) {
		if err != nil {
			return c.head(), err
		}
	}
	return c.head(), nil
}

// replay yields the verified contents of log, following c.
func replay(ctx context.Context, log Log, c *chain) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		for b, err := range log.Replay(ctx) {
			var s stored
			if err == nil {
				s, err = c.follow(b)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Records yields all records from the log, verified once more. The first error
// is the last pair. Records that are appended meanwhile may be left out.
func (j *Journal) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c, want := newChain(j.name), j.Head()
		for s, err := range replay(ctx, j.log, &c) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(s.record(&c), nil) {
				return
			}
		}
		if c.seq < want.Seq {
			yield(Record{}, &CorruptError{Name: j.name, Seq: c.seq + 1, Why: "it was cut off"})
		}
	}
}

// Extends reports whether the journal is what it was when it ended at h, or a
// continuation of that. If it was cut, or written anew with another chain, it
// is a *CorruptError.
func (j *Journal) Extends(ctx context.Context, h Head) error {
	if h == (Head{}) {
		return nil
	}
	c := newChain(j.name)
	if now := j.Head(); now.Seq < h.Seq {
		return &CorruptError{Name: j.name, Seq: now.Seq + 1, Why: fmt.Sprintf("it was cut off: %d records are expected", h.Seq)}
	}
	next, stop := iter.Pull2(replay(ctx, j.log, &c))
	defer stop()
	for c.seq < h.Seq {
		if _, err, ok := next(); err != nil || !ok {
			return cmp.Or(err, error(&CorruptError{Name: j.name, Seq: c.seq + 1, Why: "it was cut off"}))
		}
	}
	if c.head() != h {
		return &CorruptError{Name: j.name, Seq: max(h.Seq, 1), Why: "it is not the record that was there before: the journal was written anew"}
	}
	return nil
}

// Head is where the journal ends now. Facts that are only staged or written do not count.
func (j *Journal) Head() Head {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.chain.head()
}

// Close appends what is only staged, makes durable what is only written, and closes the log. It waits for calls that add something.
func (j *Journal) Close() error {
	_, err := j.lead(context.Background(), &appending{closes: true})
	return errors.Join(err, j.log.Close())
}

// A CorruptError says that a journal was edited, cut, reordered or extended by
// someone else, or damaged.
type CorruptError struct {
	Name string // of the journal, or the path of its file
	Seq  uint64 // first record that is wrong
	Why  string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("checkpoint: journal %q is corrupt from record %d on: %s", e.Name, e.Seq, e.Why)
}
