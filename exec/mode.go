package exec

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// consecutive is how many steps may fail in a row before dynamic mode asks about
// every failure.
const consecutive = 3

// escalateMode switches dynamic mode to collaborative when failures pile up.
// What is measured stands in the journal.
func (e *execution) escalateMode(ctx context.Context, s *history.Step) (bool, error) {
	if e.run.Mode != plan.Dynamic {
		return false, nil
	}
	switched := &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative}
	row := e.run.Consecutive + 1 // with the step that is failing now
	inTask := 1
	for _, other := range e.run.Steps {
		if other.Task == s.Task && other.Status == history.Failed {
			inTask++
		}
	}
	threshold := e.plan.ErrorPropagation.FailureThreshold
	switch {
	case row >= consecutive:
		switched.Cause = "consecutive failures"
	case threshold > 0 && inTask >= threshold:
		switched.Cause = "failure threshold of the task"
	default:
		return false, nil
	}
	switched.Measurements = []string{
		fmt.Sprintf("%d steps failed in a row, %d are allowed", row, consecutive),
		fmt.Sprintf("%d steps of task %s failed, the threshold is %d", inTask, s.Task, threshold),
	}
	if err := e.record(ctx, of(s, 0), switched); err != nil {
		return false, err
	}
	e.notify(e.c.Observer.ModeSwitched, Event{History: s, Text: switched.Cause})
	return true, nil
}
