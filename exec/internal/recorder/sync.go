package recorder

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// Begin records that an attempt of a step begins. That has to outlive this
// process, always. It need not outlive a power cut that the next controller
// recognises: what it does about an attempt that was lost is what it does then
// anyway, which is to restore the tree that was accepted and to begin again. So
// it waits for the disk only where there is more to undo than a tree. Before
// it, the completion of the step before becomes durable.
func (r *Recorder) Begin(ctx context.Context, s *history.Step, attempt int, started *history.AttemptStarted) error {
	return r.BeginAll(ctx, r.UndoneByTree(s), s.Where(attempt).Locate(started)...)
}

// BeginAll is Begin for attempts that begin at once; byTree: see
// [Recorder.UndoneByTree].
func (r *Recorder) BeginAll(ctx context.Context, byTree bool, facts ...history.Located) error {
	if !byTree {
		return r.RecordAll(ctx, facts...)
	}
	if !r.pending {
		if err := r.add(ctx, r.Journal.Write, facts); err != nil {
			return err
		}
		r.tell()
		return nil
	}
	if err := r.add(ctx, r.writeSynced, facts); err != nil {
		return r.takeBack(ctx, err)
	}
	r.pending = false
	return nil
}

// writeSynced writes facts behind what is synced first; they are encoded before
// that, while the disk works.
func (r *Recorder) writeSynced(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	records, err := r.Journal.Stage(ctx, facts...)
	if err == nil {
		err = r.Journal.Sync(ctx)
	}
	if err == nil {
		_, err = r.Journal.Write(ctx)
	}
	return records, err
}

// Complete records that a step is complete. Where nobody is told before the
// next attempt begins (unseen, and there is no Tell), nothing relies on it
// until then: the disk works meanwhile, and [Recorder.Await] waits for it.
func (r *Recorder) Complete(ctx context.Context, s *history.Step, attempt int, facts []history.Fact,
	unseen bool) error {
	located := s.Where(attempt).Locate(facts...)
	if !unseen || r.Tell != nil || !r.UndoneByTree(s) || r.LogsRecords() {
		return r.RecordAll(ctx, located...)
	}
	err := r.add(ctx, r.writeSoon, located)
	r.pending = err == nil
	return err
}

// writeSoon writes facts that the disk is to begin with at once.
func (r *Recorder) writeSoon(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	records, err := r.Journal.Write(ctx, facts...)
	r.Journal.Hasten()
	return records, err
}

// UndoneByTree reports whether restoring a tree is all that is done about an
// attempt of a step that a power cut took from the journal.
func (r *Recorder) UndoneByTree(s *history.Step) bool {
	return r.Run.Boot != "" && s.WithinTree()
}

// Await waits until the completion of a step is durable that was not waited
// for.
func (r *Recorder) Await(ctx context.Context) error {
	if !r.pending {
		return nil
	}
	if err := r.Journal.Sync(context.WithoutCancel(ctx)); err != nil {
		return r.takeBack(ctx, r.unwritable(err))
	}
	r.pending = false
	return nil
}

// takeBack undoes what is not durable and never will be, because of err: it has
// not happened. The run is folded anew from what is durable, and its tree
// restored.
func (r *Recorder) takeBack(ctx context.Context, err error) error {
	ctx = context.WithoutCancel(ctx)
	r.pending = false
	*r.Seen = guard.Seen{}
	run, lost := acknowledged(ctx, r.Journal)
	r.mu.Lock()
	*r.Run = *run
	r.mu.Unlock()
	if lost != nil {
		return errors.Join(err, fmt.Errorf("%w: %w", errNothingDurable, lost))
	}
	return errors.Join(err, r.Undone(ctx))
}

// acknowledged folds a run from what is durable of its journal. Where that
// cannot be read, nothing is known of the run.
func acknowledged(ctx context.Context, journal *checkpoint.Journal) (*history.Run, error) {
	run, end := &history.Run{}, journal.Head().Seq
	for rec, err := range journal.Records(ctx) {
		if err == nil && rec.Seq > end {
			break
		}
		if err == nil {
			err = run.Apply(rec)
		}
		if err != nil {
			return &history.Run{}, err
		}
	}
	return run, nil
}
