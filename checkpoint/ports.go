package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/ledger"
)

// Conditions that callers branch on.
var (
	// ErrNotFound is returned by Blobs.Get for content that is not kept, and by
	// Runs.Read for a log that nobody opened yet.
	ErrNotFound = errors.New("checkpoint: not found")
	// ErrDead is returned by every use of a log or a folder after one of its
	// writes or syncs failed, or its file was taken away: what was not synced
	// then cannot be trusted to be there, whatever a second sync says. Open it
	// again.
	ErrDead = errors.New("checkpoint: dead since it could not be written")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("checkpoint: closed")
	// ErrReplaced says that a file that must stay while it is open, a log, a
	// pack or the lock of a workspace, was removed, replaced or cut by
	// somebody.
	ErrReplaced = file.ErrReplaced
	// ErrVersion is returned for a file of a format version that is not read
	// here: a later planlock wrote it, or an unreleased one before version 1.
	ErrVersion = format.ErrVersion
)

// HeldError says who holds a workspace or a log.
type HeldError struct {
	Dir    string // the workspace, or the file of the log
	Holder string // in words
	For    string // the workspace that cannot be held because of it; "": Dir itself
}

func (e *HeldError) Error() string {
	if e.For != "" {
		return fmt.Sprintf("checkpoint: %q cannot be held while %q is held by %s, because one lies in the other: wait for it or stop it", e.For, e.Dir, e.Holder)
	}
	return fmt.Sprintf("checkpoint: %q is held by %s, wait for it or stop it", e.Dir, e.Holder)
}

// A FullError says that a store has no more room that is not a folder of the
// workspace: what helps is done where the store is.
type FullError struct{ Err error }

func (e *FullError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself, of which syscall.ENOSPC is a part.
func (e *FullError) Unwrap() error { return e.Err }

// Blobs keeps bytes by digest. It is safe for concurrent use. It need not check
// that content has the digest: Store does, in both directions. Content is never
// changed or removed through this interface; a [Collector] can remove what nobody
// needs.
//
// Two more abilities are used where they are there. WriteGathered() error lets
// other processes see what was put, if that is held in memory before Sync.
// TakeBack([]ledger.Digest) ([]ledger.Digest, error) frees what was put last
// and is not synced, if nobody else was told that it is kept, and returns that.
type Blobs interface {
	// Put keeps content under d. Doing it again is harmless. When reading
	// content fails, Put returns that error (wrapped) and keeps nothing. It
	// need not be durable before Sync.
	Put(ctx context.Context, d ledger.Digest, content io.Reader) error
	// Get opens content; the caller closes it. ErrNotFound if it is not kept.
	Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error)
	// Has reports whether content is kept, so that Put would do nothing. What a
	// crash left may be denied although Get finds it.
	Has(ctx context.Context, d ledger.Digest) (bool, error)
	// Sync makes everything that was put before durable. After an error it is
	// not known what of it is, and what is not must not be reported by Has once
	// the Blobs are opened again.
	Sync(ctx context.Context) error
}

type gatherer interface{ WriteGathered() error }

type taker interface {
	TakeBack([]ledger.Digest) ([]ledger.Digest, error)
}

// Log keeps records in order. Append and Replay may be called concurrently; a
// Replay yields what was appended before it began, and perhaps more.
type Log interface {
	// Append adds records as one batch: when it returns nil they are durable,
	// all of them; after an error none of them will be replayed, or the log
	// refuses every further Append. The log keeps no reference to the slices. A
	// log may refuse more than 64 MiB with record.ErrTooLarge.
	Append(ctx context.Context, batch [][]byte) error
	// Replay yields the records in order. A slice is valid until the next one.
	// A torn last batch is not yielded. The first error is the last pair.
	Replay(ctx context.Context) iter.Seq2[[]byte, error]
	// Close releases it. Appending afterwards fails. Closing again is harmless.
	Close() error
}

// A LogWriter is a Log that can write without waiting for the disk. For a Log
// that cannot, a journal appends.
type LogWriter interface {
	Log
	// Write adds records as one batch, like Append, but returns when the system
	// has taken them: they outlive the process, but until the next Append or
	// Sync a power cut may take them, the last ones first. Nothing that was
	// appended is lost with them.
	Write(ctx context.Context, batch [][]byte) error
	// Hasten has the disk begin with what was written, and waits for nothing,
	// so that there is less to wait for in a Sync that comes soon. It may do
	// nothing.
	Hasten()
	// Sync makes durable what was written. After an error nobody knows what of
	// it is, and the log refuses every further Append, Write and Sync.
	Sync(ctx context.Context) error
}

// Papers keep small texts by name: questions that wait, their answers,
// requests, remembered choices. A name is a path of plain words, as in
// "escalations/RUN-1.1-1.question.json". It is safe for concurrent use, also by
// other processes.
type Papers interface {
	// Put keeps text under name, in place of what is there, durably. Readers see
	// the whole of one or the other.
	Put(ctx context.Context, name string, text []byte) error
	// PutNew is Put where nothing is kept under name yet; else nothing is
	// changed, and the error is fs.ErrExist. Of many at a time one succeeds.
	PutNew(ctx context.Context, name string, text []byte) error
	// Get returns what is kept under name, and when it was put there.
	// ErrNotFound.
	Get(ctx context.Context, name string) (text []byte, put time.Time, err error)
	// Names are all names that begin with prefix, sorted.
	Names(ctx context.Context, prefix string) ([]string, error)
	// Remove removes what is kept under name, if anything is.
	Remove(ctx context.Context, name string) error
}
