package checkpoint

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/planlock/planlock/ledger"
)

// A Fact is what a caller adds to a journal.
type Fact struct {
	Type    string          `json:"type"`
	Step    string          `json:"step,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// A Record is a fact in its place.
type Record struct {
	Seq  uint64        `json:"seq"` // from 1, without gaps
	Time time.Time     `json:"time"`
	Prev ledger.Digest `json:"prev"` // hash of the record before; of the journal's name for the first
	Hash ledger.Digest `json:"hash"` // of all of the above
	Fact
}

// Head is where a journal ends.
type Head struct {
	Seq  uint64        `json:"seq"`
	Hash ledger.Digest `json:"hash"`
}

// A Journal is a hash-chained Log. Safe for concurrent use.
type Journal struct{}

// OpenJournal replays and verifies log; name (the run id) starts the chain. *CorruptError names the first record that is wrong.
func OpenJournal(ctx context.Context, log Log, name string, now func() time.Time) (*Journal, error) {
	return nil, nil
}

// Append adds facts as one durable batch. After a failed sync every Append fails.
func (j *Journal) Append(ctx context.Context, facts ...Fact) ([]Record, error) { return nil, nil }

// Records yields all records from the log, verified.
func (j *Journal) Records(ctx context.Context) iter.Seq2[Record, error] { return nil }

func (j *Journal) Head() Head   { return Head{} }
func (j *Journal) Close() error { return nil }

// A CorruptError says that a journal was edited, cut, reordered or extended by someone else.
type CorruptError struct {
	Name string // of the journal
	Seq  uint64 // first record that is wrong
	Why  string
}

func (e *CorruptError) Error() string { return "" }
