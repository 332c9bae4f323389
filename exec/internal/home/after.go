package home

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
)

// after is the file of what was done with the work of a run since its journal was
// sealed. It lies in the folder of the run also where the host keeps the journal
// elsewhere, as it speaks of the workspace.
func (h Home) after(run string) string { return filepath.Join(h.RunDir(run), "after") }

// HasAfter reports whether there is such a file, or was one.
func (h Home) HasAfter(run string) bool {
	for _, name := range []string{h.after(run), h.after(run) + ".head"} {
		if _, err := os.Lstat(name); err == nil {
			return true
		}
	}
	return false
}

// AfterLog opens that file for more.
func (h Home) AfterLog(ctx context.Context, run string) (checkpoint.Log, error) {
	return h.Witness.Open(ctx, h.after(run))
}

// After reads what was done with the work of a run since its journal was sealed,
// verifies it, and folds it into the run; do, if it is not nil, looks at each
// record then.
func (h Home) After(ctx context.Context, run *history.Run, do func(record.Record) error) error {
	if run.Sealed == nil {
		return nil
	}
	log, err := h.Witness.Read(ctx, h.after(run.Started.Run))
	if errors.Is(err, fs.ErrNotExist) {
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
	log, err := h.Witness.Read(ctx, h.after(id))
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
