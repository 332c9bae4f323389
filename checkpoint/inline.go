package checkpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// inlineLimit is how many bytes of contents SnapshotInline gives back at most:
// about what can be written to a journal in the time of the sync that it saves.
const inlineLimit = 32 << 10

// SnapshotInline is Snapshot, but where what is new is small it is not synced,
// and returned instead. What it returns is nil if the snapshot is durable.
func (s *Store) SnapshotInline(ctx context.Context, dir string, tree *ledger.Tree,
	base record.Snapshot) (record.Snapshot, record.Inline, error) {
	in := &inlining{room: inlineLimit}
	snap, err := s.snapshot(ctx, dir, tree, base, in)
	if err != nil {
		return record.Snapshot{}, nil, fmt.Errorf("checkpoint: snapshot of %q: %w", dir, err)
	}
	return snap, in.contents, nil
}

// Settle says that what SnapshotInline returned is durable elsewhere.
func (s *Store) Settle() { s.settle() }

// Adopt takes contents that a record carries, as far as they are not kept: the
// store reads them from memory, and keeps them with what it keeps next. Call it
// for all records of a run that is taken up.
func (s *Store) Adopt(ctx context.Context, in record.Inline) error {
	for _, content := range in {
		d := ledger.Sum(content)
		// It may not answer where nothing can be written, and Get does.
		if has, err := s.blobs.Has(ctx, d); err == nil && has {
			continue
		}
		got, err := s.Get(ctx, d)
		if err == nil && bytes.Equal(got, content) {
			continue
		}
		if err != nil && !unreadable(err) {
			return err
		}
		s.adopt(d, content)
	}
	return nil
}

// AdoptRecord adopts what a record carries, if it carries anything.
func (s *Store) AdoptRecord(ctx context.Context, rec record.Record) error {
	return s.Adopt(ctx, inlineIn(rec.Data))
}

// inlineIn are the contents that the data of a record carries. Nothing else of
// it is read: it is JSON that was looked over already, and what reads like the
// key is the key, since quotes in a text are escaped.
func inlineIn(data []byte) record.Inline {
	key := []byte(`"inline":`)
	for {
		_, rest, there := bytes.Cut(data, key)
		if !there {
			return nil
		}
		var in record.Inline
		if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&in); err == nil && len(in) > 0 {
			return in
		}
		data = rest // somebody else's field of that name
	}
}

// An inlining collects the contents of a snapshot, while they are few. A nil
// one collects none. It is safe for concurrent use.
type inlining struct {
	mu       sync.Mutex
	room     int
	full     bool
	contents record.Inline
}

// take collects a copy of content.
func (in *inlining) take(content []byte) {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.room -= len(content); in.full || in.room < 0 {
		in.full, in.contents = true, nil
		return
	}
	in.contents = append(in.contents, bytes.Clone(content))
}

// fits reports whether a content of size bytes can be carried too.
func (in *inlining) fits(size int64) bool {
	if in == nil {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return !in.full && size <= int64(in.room)
}

// large says that there is a content that cannot be carried.
func (in *inlining) large() {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.full, in.contents = true, nil
}

// seal makes what was put for a snapshot durable, or says that it is loose.
func (s *Store) seal(ctx context.Context, in *inlining) error {
	if in == nil || in.full {
		return s.Sync(ctx)
	}
	if !s.loosen(inlineLimit - in.room) {
		if b, ok := s.blobs.(gatherer); ok {
			return b.WriteGathered()
		}
		return nil
	}
	in.large()
	return s.Sync(ctx)
}
