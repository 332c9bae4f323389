package exec

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
)

// How long a follower waits before it looks again: at least followEvery, and
// followShare times as long as the last look took, so that a long journal does
// not keep the machine busy.
const (
	followEvery = 100 * time.Millisecond
	followShare = 20
)

// errEnough says that whoever follows wants to know no more.
var errEnough = errors.New("enough")

// Follow yields the facts of a run that stand behind record after of its
// journal, first those that are there and then each that comes, whichever
// process carries the run out. 0 is for all. A host that remembers the Seq of
// the last event it handled goes on behind it, also after a restart.
//
// It ends with the run, without an error. A run that waits, was interrupted or
// lost its controller has not ended: Follow waits until somebody takes it up.
// The last event is an error if ctx ends (its cause), if there is no such run
// (ErrNoRun), or if the journal cannot be read (*record.CorruptError) or is
// shorter than after: then a power cut took the beginning of an attempt, and
// what was told of it is not so. Before the first record of a run is written
// there is no such run: whoever follows what is about to begin asks again.
//
// The State of an event is the run up to its fact. It is valid until the next
// one, and must not be changed.
func (w Workspace) Follow(ctx context.Context, run string, after uint64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f := &follower{w: w, run: run, after: after, state: &history.Run{}}
		for {
			begun := time.Now()
			err := f.look(ctx, yield)
			switch {
			case errors.Is(err, errEnough):
				return
			case err != nil:
				yield(event.Event{Run: run}, err)
				return
			case f.state.Sealed != nil:
				return
			}
			select {
			case <-ctx.Done():
				yield(event.Event{Run: run}, context.Cause(ctx))
				return
			case <-time.After(max(followEvery, followShare*time.Since(begun))):
			}
		}
	}
}

// A follower reads a journal that grows, and folds what it reads.
type follower struct {
	w     Workspace
	run   string
	after uint64       // what is not wanted
	state *history.Run // as far as it was read
	still time.Time    // when the journal's file was written last, once that was a while before it was read
}

// look yields what was added to the journal since the last look.
func (f *follower) look(ctx context.Context, yield func(event.Event, error) bool) error {
	if f.same() {
		return nil
	}
	head := f.state.Head
	err := f.w.home().Each(ctx, f.run, func(rec record.Record) error {
		if rec.Seq <= head.Seq {
			if rec.Seq == head.Seq && rec.Hash != head.Hash {
				return &record.CorruptError{Name: f.run, Seq: rec.Seq, Why: "it is another one than it was"}
			}
			return nil
		}
		fact, err := history.Decode(rec)
		if err == nil {
			err = f.state.Take(rec, fact)
		}
		if err != nil {
			return err
		}
		if rec.Seq > f.after && !yield(event.Of(f.state, rec, fact), nil) {
			return errEnough
		}
		return context.Cause(ctx)
	})
	if err == nil && f.state.Head.Seq < f.after {
		return fmt.Errorf("exec: the journal of run %s ends at record %d, before %d", f.run, f.state.Head.Seq, f.after)
	}
	return err
}

// same reports whether nothing was added since the last look. A file is grown
// ahead of what is written, so its times tell; those of recent writes do not
// tell each from the next. A log of the host's own is read to find out.
func (f *follower) same() bool {
	const recent = 2 * time.Second
	files, are := f.w.home().Files()
	if !are {
		return false
	}
	info, err := os.Stat(files.File(f.run))
	if err != nil {
		return false // reading it says what is wrong
	}
	written := info.ModTime()
	same := written.Equal(f.still)
	f.still = time.Time{}
	if age := time.Since(written); age > recent {
		f.still = written
	}
	return same
}
