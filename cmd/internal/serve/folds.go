package serve

import (
	"context"
	"slices"
	"sync"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// mostFolds is how many runs that are over are kept in memory.
const mostFolds = 24

// folds keep runs that are over, since nothing but a rollback changes those.
type folds struct {
	mu    sync.Mutex
	order []string // of known, the oldest first
	known map[string]*history.Run
}

// fold is a run by its whole id. One that no run of the workspace has is never
// looked for on the disk.
func (s *site) fold(ctx context.Context, id string) (*history.Run, error) {
	ids, err := s.Workspace.IDs(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.Index(ids, id)
	if at < 0 {
		return nil, exec.ErrNoRun
	}
	f := &s.folded
	f.mu.Lock()
	run := f.known[id]
	f.mu.Unlock()
	if run != nil && (run.After != nil) == s.Workspace.HasAfterwards(ctx, id) {
		return run, nil
	}
	if run, err = s.Workspace.History(ctx, id); err != nil {
		return nil, err
	}
	if run.Sealed != nil && run.After == nil {
		f.keep(id, run)
	}
	return run, nil
}

// keep remembers a run, and forgets the one that was remembered first.
func (f *folds) keep(id string, run *history.Run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]*history.Run{}
	}
	if f.known[id] == nil {
		f.order = append(f.order, id)
	}
	f.known[id] = run
	if len(f.order) > mostFolds {
		delete(f.known, f.order[0])
		f.order = f.order[1:]
	}
}
