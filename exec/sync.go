package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
)

// A step costs one sync. What needs none, and when the one is waited for, stands here.

// recordBeginning records that an attempt begins. That has to outlive this process, always. It need not outlive a
// power cut that the next controller recognises: what it does about an attempt that was lost is what it does then anyway, which is
// to restore the tree that was accepted and to begin again. So it waits for the disk only where
// there is more to undo than a tree. Before it, the completion of the step before becomes durable.
func (e *execution) recordBeginning(ctx context.Context, s *history.Step, w history.Where, started *history.AttemptStarted) error {
	switch {
	case !e.undoneByTree(s):
		return e.record(ctx, w, started)
	case !e.syncing:
		return e.add(ctx, e.journal.Write, history.At(w, started)...)
	}
	if err := e.add(ctx, e.writeSynced, history.At(w, started)...); err != nil {
		return e.takeBack(ctx, err)
	}
	e.syncing = false
	return nil
}

// writeSynced writes facts behind what is synced first; they are encoded before that, while the disk works.
func (e *execution) writeSynced(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	records, err := e.journal.Stage(ctx, facts...)
	if err == nil {
		err = e.journal.Sync(ctx)
	}
	if err == nil {
		_, err = e.journal.Write(ctx)
	}
	return records, err
}

// recordCompletion records that a step is complete. Nothing relies on that before the next attempt begins, if all that the controller
// does until then is to make it ready. Then the disk works meanwhile, and awaitSync waits for it.
func (e *execution) recordCompletion(ctx context.Context, t *trial, facts []history.Fact) error {
	if !e.nobodyIsTold(t) {
		return e.record(ctx, history.Of(t.s, t.number), facts...)
	}
	err := e.add(ctx, e.writeSoon, history.At(history.Of(t.s, t.number), facts...)...)
	e.syncing = err == nil
	return err
}

// writeSoon writes facts that the disk is to begin with at once.
func (e *execution) writeSoon(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	records, err := e.journal.Write(ctx, facts...)
	e.journal.Hasten()
	return records, err
}

// nobodyIsTold reports whether nobody but this controller can know, before the next attempt begins, that t completed its step, and nothing is
// done until then that takes its time: no observer, nothing of the host or of a sandbox, no end of a task, no preconditions, no log of each record.
func (e *execution) nobodyIsTold(t *trial) bool {
	next := e.contract.At(t.s.Address).Next
	return e.undoneByTree(t.s) && e.seen.Holds(contract.Bindings) && next != nil && len(next.Preconditions) == 0 && !e.observed && !e.logsRecords()
}

// undoneByTree reports whether restoring a tree is all that is done about an attempt of s that a power cut took from the journal.
func (e *execution) undoneByTree(s *history.Step) bool {
	return e.run.Boot != "" && contract.WithinTree(s)
}

// awaitSync waits until the completion of a step is durable that was not waited for.
func (e *execution) awaitSync(ctx context.Context) error {
	if !e.syncing {
		return nil
	}
	if err := e.journal.Sync(context.WithoutCancel(ctx)); err != nil {
		return e.takeBack(ctx, fmt.Errorf("exec: the journal of run %s cannot be written: %w", e.run.Started.Run, err))
	}
	e.syncing = false
	return nil
}

// takeBack undoes what is not durable and never will be, because of err: it has not happened. The run is folded anew from what is
// durable, and its tree restored.
func (e *execution) takeBack(ctx context.Context, err error) error {
	ctx = context.WithoutCancel(ctx)
	e.syncing = false
	e.seen = contract.Seen{}
	run, lost := acknowledged(ctx, e.journal)
	e.mu.Lock()
	e.run = run
	e.mu.Unlock()
	if lost != nil {
		return errors.Join(err, fmt.Errorf("exec: what is durable of the journal cannot be read: %w", lost))
	}
	_, again := e.restoreTree(ctx, e.dir, e.run.Tree)
	return errors.Join(err, again)
}

// acknowledged folds a run from what is durable of its journal. Where that cannot be read, nothing is known of the run.
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
