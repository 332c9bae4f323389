package exec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
)

// home is where the runs of the workspace are kept, for the part that begins
// them and takes them up.
type home struct{ e *execution }

// NextRun is an id that no run has.
func (h home) NextRun() (string, error) { return h.e.c.runID() }

// Plan reads back the plan of a run.
func (h home) Plan(ctx context.Context, run *history.Run) (*plan.Plan, error) {
	return h.e.workspace().Plan(ctx, run)
}

// Create makes the journal of a new run. It reports whether the run is kept
// where only its host finds it; a log of the host that writes the default file
// is none of these.
func (h home) Create(ctx context.Context, run string) (own bool, err error) {
	ws, e := h.e.workspace(), h.e
	if err := disk.From(ctx).Anywhere().MakeFolders(ws.RunDir(run), 0o755); err != nil {
		return false, fmt.Errorf("exec: run folder: %w", err)
	}
	log, err := ws.openLog(ctx, run)
	if err != nil {
		return false, err
	}
	if e.Rec.Journal, err = checkpoint.OpenJournal(ctx, log, run, e.Now); err != nil {
		return false, errors.Join(err, log.Close())
	}
	if ws.Blobs != nil || ws.OpenLog == nil {
		return ws.Blobs != nil, nil
	}
	_, err = os.Stat(ws.journal(run))
	return errors.Is(err, fs.ErrNotExist), nil
}

// Open opens the run that prefix names: it folds the journal, and opens it for
// more.
func (h home) Open(ctx context.Context, prefix string) error {
	ws, e := h.e.workspace(), h.e
	id, err := ws.Find(prefix)
	if err != nil {
		return err
	}
	log, err := ws.openLog(ctx, id)
	if err != nil {
		return err
	}
	e.Rec.Journal, err = checkpoint.OpenJournalWith(ctx, log, id, e.Now, func(rec record.Record) error {
		if err := e.Rec.Store.AdoptRecord(ctx, rec); err != nil {
			return err
		}
		return e.Rec.Run.Apply(rec)
	})
	if err != nil {
		return errors.Join(err, log.Close())
	}
	e.Rec.Run.Compact()
	if e.Rec.Run.Head.Seq == 0 {
		return notBegun(id)
	}
	return nil
}
