package exec

import (
	"context"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// Scope is what of the workspace belongs to the trees of a run: what its plan
// ignores and tracks, and without the controller's own files. Scanned with it,
// the workspace can be set against the trees that the run has kept.
func (w Workspace) Scope(ctx context.Context, run *history.Run) (ledger.Scope, error) {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return ledger.Scope{}, err
	}
	c := &Controller{Dir: w.Dir, LockFile: run.Started.LockFile}
	e := c.execution(p, run.Started.Files)
	if err := e.seat(); err != nil {
		return ledger.Scope{}, err
	}
	return e.Scope(), nil
}
