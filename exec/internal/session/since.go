package session

import (
	"context"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
)

// Works reports whether a run changes the workspace itself: a trial never does,
// and one in a clone not before it is delivered.
func Works(run *history.Run) bool {
	return !run.Started.Shadow && (!run.Started.Isolated || run.Delivered != nil)
}

// Later reports whether one run was worked on after another: an earlier one may
// have been resumed since. Runs are of one workspace, so nobody worked on both
// at a time.
func Later(run, than *history.Run) bool {
	if c := run.Latest.Compare(than.Latest); c != 0 {
		return c > 0
	}
	return run.Started.Run > than.Started.Run
}

// WorkedSince is the run that has worked in the workspace after another, and is
// not the one in hand; "" where none has.
func (s *Session) WorkedSince(ctx context.Context, than *history.Run) (string, error) {
	all, err := s.Earlier(ctx, checkpoint.Which{})
	if err != nil {
		return "", err
	}
	for id, run := range all {
		if id != than.Started.Run && Works(run) && Later(run, than) {
			return id, nil
		}
	}
	return "", nil
}
