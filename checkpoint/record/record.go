package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/ledger"
)

// ErrTooLarge is in the chain of the errors for a fact of more than 32 MiB, and
// for a batch of more than 64 MiB, four bytes for each of its records included.
var ErrTooLarge = errors.New("checkpoint: too large")

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
	Hash ledger.Digest `json:"hash"` // of all but itself and the signature
	Fact
	// Signature is that of the head that the record makes, so of all up to it;
	// empty where it bears none. See [Record.SignedBy].
	Signature []byte `json:"signature,omitempty"`
}

// A Head is where a journal ends. The zero Head says that this is not known.
type Head struct {
	Seq  uint64        `json:"seq"` // of the last record; 0 if there is none
	Hash ledger.Digest `json:"hash"`
}

// A Snapshot is a tree that can be restored.
type Snapshot struct {
	Tree     ledger.Digest `json:"tree"`     // identity
	Manifest ledger.Digest `json:"manifest"` // the blob that describes it, mtimes included
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
