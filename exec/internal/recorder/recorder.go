// Package recorder writes what happens in a run into its journal, and keeps the
// run's state beside it.
//
// A fact is appended, durably, and then folded: nobody sees a state that the
// journal does not have. What a fact refers to in the store is kept before it.
// A step costs one sync of the disk; what needs none, and when the one is
// waited for, is decided here ([Recorder.Begin], [Recorder.Complete]).
package recorder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
)

// A Recorder has the journal of one run in hand. Its methods may be called from
// several goroutines; the fields are set before the first of them.
type Recorder struct {
	Journal *checkpoint.Journal
	Store   *checkpoint.Store
	// Run is the fold over the journal. It stays the same value, also where a
	// completion is taken back.
	Run *history.Run
	// Seen is told that the run went on.
	Seen *guard.Seen
	Log  *slog.Logger
	// Undone is called when a completion that was not durable was taken back:
	// the tree of the run is to be restored.
	Undone func(ctx context.Context) error
	// Tell is told of each fact once it is written, in the order of the
	// journal; nil: nobody is. It is not called while anything is locked, and
	// not by two goroutines at a time.
	Tell func(history.Fact, record.Record)

	telling sync.Mutex // held while Tell is called
	mu      sync.Mutex // guards the order of the journal: append and fold are one
	untold  []told     // folded in, and not told yet
	pending bool       // the completion of a step is written, and not durable yet
}

type told struct {
	fact history.Fact
	rec  record.Record
}

// An Adding is a way to add facts to a journal: one of its methods.
type Adding func(context.Context, ...record.Fact) ([]record.Record, error)

// Record makes facts durable that belong to one place, all or none, and folds
// them in.
func (r *Recorder) Record(ctx context.Context, w history.Where, facts ...history.Fact) error {
	return r.RecordAll(ctx, w.Locate(facts...)...)
}

// RecordAll is Record for facts that belong to several places.
func (r *Recorder) RecordAll(ctx context.Context, facts ...history.Located) error {
	if err := r.by(ctx, r.Journal.Append, facts); err != nil {
		return err
	}
	r.tell()
	return nil
}

// tell tells of the facts that were written since it did so last. That a step is
// complete is told once its work is in the workspace.
func (r *Recorder) tell() {
	if r.Tell == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.mu.Lock()
	if r.Run.Behind() && r.Run.Foreign == nil {
		r.mu.Unlock()
		return
	}
	untold := r.untold
	r.untold = nil
	r.mu.Unlock()
	for _, t := range untold {
		r.Tell(t.fact, t.rec)
	}
}

// Stage folds facts in that become durable with the next ones: nothing relies
// on them until then.
func (r *Recorder) Stage(ctx context.Context, facts ...history.Located) error {
	return r.by(ctx, r.Journal.Stage, facts)
}

// Write adds facts that have to outlive this process, and need not outlive a
// power cut.
func (r *Recorder) Write(ctx context.Context, facts ...history.Located) error {
	return r.by(ctx, r.Journal.Write, facts)
}

// by adds facts. A completion that is not durable yet becomes so before them
// and by itself: if they reach the disk although writing them fails, it must
// not be one that was taken back.
func (r *Recorder) by(ctx context.Context, do Adding, facts []history.Located) error {
	if err := r.Await(ctx); err != nil {
		return err
	}
	return r.add(ctx, do, facts)
}

// add lets do add facts to the journal, and folds them in. What they refer to
// is kept before them, unless one of them carries it.
func (r *Recorder) add(ctx context.Context, do Adding, facts []history.Located) error {
	batch, carries, err := encode(facts)
	if err != nil {
		return err
	}
	if !carries {
		if err := r.Store.Flush(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("exec: what run %s is to record cannot be kept: %w", r.Run.Started.Run, err)
		}
	}
	data := make([][]byte, len(batch))
	for i := range batch {
		data[i] = batch[i].Data
	}
	referred, err := r.Store.Refer(context.WithoutCancel(ctx), data...)
	if err != nil {
		return fmt.Errorf("exec: what run %s is to record is not kept any more: %w", r.Run.Started.Run, err)
	}
	if err := r.fold(ctx, do, facts, batch); err != nil {
		return err
	}
	referred()
	if carries {
		r.Store.Settle()
	}
	return nil
}

// encode reports too whether one of the facts carries contents.
func encode(facts []history.Located) (batch []record.Fact, carries bool, err error) {
	batch = make([]record.Fact, len(facts))
	for i, l := range facts {
		if batch[i], err = l.Encode(); err != nil {
			return nil, false, err
		}
		entry, ok := l.Fact.(*history.Accounted)
		carries = carries || ok && entry.Inline != nil
	}
	return batch, carries, nil
}

// fold adds facts in their encoded form, and takes them into the state of the
// run.
func (r *Recorder) fold(ctx context.Context, do Adding, facts []history.Located, batch []record.Fact) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	records, err := do(context.WithoutCancel(ctx), batch...)
	if err != nil {
		return r.unwritable(err)
	}
	r.Seen.Forget(disturbance.Recorded...)
	for i, rec := range records {
		if err := r.Run.Take(rec, facts[i].Fact); err != nil {
			return err
		}
		if r.Tell != nil {
			r.untold = append(r.untold, told{facts[i].Fact, rec})
		}
		if r.LogsRecords() {
			r.Log.Debug("recorded", "run", r.Run.Started.Run, "seq", rec.Seq, "type", rec.Type, "step", rec.Step, "attempt", rec.Attempt)
		}
	}
	return nil
}

func (r *Recorder) unwritable(err error) error {
	return fmt.Errorf("exec: the journal of run %s cannot be written: %w", r.Run.Started.Run, err)
}

// LogsRecords reports whether the host's log is told of each record.
func (r *Recorder) LogsRecords() bool { return r.Log.Enabled(context.Background(), slog.LevelDebug) }

// Close waits for what is not durable yet, and closes the journal.
func (r *Recorder) Close() error {
	if r.Journal == nil {
		return nil
	}
	err := r.Journal.Close()
	r.Journal = nil
	return err
}

var errNothingDurable = errors.New("exec: what is durable of the journal cannot be read")
