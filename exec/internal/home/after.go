package home

import (
	"context"
	"errors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
)

// HasAfter reports whether something was done with the work of a run since its
// journal was sealed.
func (h Home) HasAfter(ctx context.Context, run string) bool {
	log, err := h.readLog(ctx, run+checkpoint.AfterRun)
	if err == nil {
		log.Close() // only looked at
	}
	return !errors.Is(err, ErrNoRun)
}

// After reads what was done with the work of a run since its journal was sealed,
// verifies it, and folds it into the run; do, if it is not nil, looks at each
// record then.
func (h Home) After(ctx context.Context, run *history.Run, do func(record.Record) error) error {
	if run.Sealed == nil {
		return nil
	}
	log, err := h.readLog(ctx, run.Started.Run+checkpoint.AfterRun)
	if errors.Is(err, ErrNoRun) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = checkpoint.OpenJournal(ctx, log, run.AfterName(), nil, func(rec record.Record) error {
		err := run.ApplyAfter(rec)
		if err == nil && do != nil {
			err = do(rec)
		}
		return err
	})
	if err == nil {
		err = run.After.Verify(run.Started.Run)
	}
	return errors.Join(err, log.Close())
}

// eachReferenceAfter calls do for all that it refers to, until it returns an
// error.
func (h Home) eachReferenceAfter(ctx context.Context, store *checkpoint.Store, id string,
	do func(checkpoint.Reference, error) error) error {
	run, err := h.History(ctx, id)
	if err != nil || run.After == nil {
		return err
	}
	log, err := h.readLog(ctx, id+checkpoint.AfterRun)
	if err != nil {
		return err
	}
	for ref, err := range store.References(ctx, log, run.AfterName()) {
		if err := do(ref, err); err != nil {
			return errors.Join(err, log.Close())
		}
	}
	return log.Close()
}
