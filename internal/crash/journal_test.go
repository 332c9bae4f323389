package crash

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// A watchedLog notes what was given to a log, and when it was acknowledged.
type watchedLog struct {
	log  checkpoint.Log
	w    *world
	c    *chronicle
	read bool // to its end
}

func (l *watchedLog) Append(ctx context.Context, batch [][]byte) error {
	w := l.w
	if w.careless {
		return l.log.Append(ctx, batch)
	}
	n, err := l.given(batch)
	if err != nil {
		return err
	}
	if err := l.log.Append(ctx, batch); err != nil {
		return err
	}
	l.acknowledged(n)
	return nil
}

// acknowledged notes that n records are durable now.
func (l *watchedLog) acknowledged(n int) {
	w, a := l.w, ack{records: n}
	if w.rec != nil {
		a.moment = w.rec.Now()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.c.acks = append(l.c.acks, a)
}

// Write is acknowledged with the next Append or Sync.
func (l *watchedLog) Write(ctx context.Context, batch [][]byte) error {
	log := l.log.(checkpoint.LogWriter)
	if l.w.careless {
		return log.Write(ctx, batch)
	}
	if _, err := l.given(batch); err != nil {
		return err
	}
	return log.Write(ctx, batch)
}

func (l *watchedLog) Hasten() { l.log.(checkpoint.LogWriter).Hasten() }

func (l *watchedLog) Sync(ctx context.Context) error {
	if err := l.log.(checkpoint.LogWriter).Sync(ctx); err != nil || l.w.careless {
		return err
	}
	l.acknowledged(len(l.c.records))
	l.c.synced++
	return nil
}

// given notes a batch, and returns how many records there are with it.
func (l *watchedLog) given(batch [][]byte) (int, error) {
	if !l.read {
		return 0, errors.New("crash: a journal is written before it is read")
	}
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	for _, r := range batch {
		l.c.records = append(l.c.records, bytes.Clone(r))
	}
	return len(l.c.records), nil
}

// Replay notes what is there already, the first time.
func (l *watchedLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	if l.read || l.w.careless {
		return l.log.Replay(ctx)
	}
	return func(yield func([]byte, error) bool) {
		var records [][]byte
		for r, err := range l.log.Replay(ctx) {
			records = append(records, bytes.Clone(r))
			if !yield(r, err) || err != nil {
				return
			}
		}
		l.w.mu.Lock()
		defer l.w.mu.Unlock()
		l.c.earlier, l.c.records, l.read = l.c.records, records, true
	}
}

func (l *watchedLog) Close() error { return l.log.Close() }

// A tale is what a journal tells.
type tale struct {
	run  *history.Run
	back bool // somebody set the run back
	// a crash left an end that nobody signed, and a controller disowned it
	disowned bool
}

// A lore knows the tales of journals that were read before, record by record
// the same. It is safe for concurrent use.
type lore struct {
	mu    sync.Mutex
	seed  maphash.Seed
	tales map[uint64]*tale

	disowned atomic.Int64 // journals in which an unsigned end was
}

// of reads the journal of a run in w; nil if there is nothing in it. Nobody
// changes what it returns.
func (l *lore) of(w *world, run string) (*tale, error) {
	left, here := w.left[run]
	delete(w.left, run) // it holds no longer when the run goes on
	if !here || len(left) == 0 {
		return read(w.workspace(), run)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tales == nil {
		l.seed, l.tales = maphash.MakeSeed(), map[uint64]*tale{}
	}
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, r := range left {
		maphash.WriteComparable(&h, maphash.Bytes(l.seed, r))
	}
	if known := l.tales[h.Sum64()]; known != nil {
		return known, nil
	}
	known, err := read(w.workspace(), run)
	if err == nil {
		l.tales[h.Sum64()] = known
	}
	return known, err
}

func read(ws exec.Workspace, run string) (*tale, error) {
	records, err := ws.Records(context.Background(), run)
	if errors.Is(err, exec.ErrNoRun) || err == nil && len(records) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &tale{}
	if t.run, err = history.Fold(records); err != nil {
		return nil, err
	}
	for _, r := range records {
		t.back = t.back || r.Type == "rolled-back"
		t.disowned = t.disowned || r.Type == "disowned"
	}
	return t, nil
}
