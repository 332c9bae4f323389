package exec

import (
	"context"
	"strings"

	"github.com/planlock/planlock/exec/flow"
	"github.com/planlock/planlock/exec/history"
)

// keepUp records what follows from the history and was not said yet: the strategy, tasks and phases that ended, and that the
// work turned out to be harder. It is called between any two things that the run does, and finds the same after a crash.
func (e *execution) keepUp(ctx context.Context) error {
	if e.run.Flow.Strategy == nil {
		if err := e.setStrategy(ctx, flow.Choose(e.plan, outlines(e.run), e.c.Strategy)); err != nil {
			return err
		}
	}
	if err := e.tasksOver(ctx, false); err != nil {
		return err
	}
	if set := flow.Rephase(e.plan, e.run); set != nil {
		if err := e.setStrategy(ctx, set); err != nil {
			return err
		}
	}
	for {
		over := flow.PhaseOver(e.run)
		if over == nil {
			break
		}
		over.Checkpoint = e.run.Tree
		if err := e.stage(ctx, history.Where{}, over); err != nil {
			return err
		}
	}
	if set := flow.Switch(e.plan, e.run); set != nil && !e.busy() {
		return e.setStrategy(ctx, set)
	}
	return nil
}

// busy reports whether something is under way that must be brought to its end before the run can stop or change its ways.
func (e *execution) busy() bool {
	return e.run.Pending() != nil || e.run.Restoring != nil || inFlight(e.run.Current())
}

// outlines are the steps of a run, in the order of execution.
func outlines(run *history.Run) []history.Outline { return run.Started.Steps }

// tasksOver records the tasks that ended; with ending, also those of which something will never run.
func (e *execution) tasksOver(ctx context.Context, ending bool) error {
	for _, over := range flow.Tasks(e.plan, e.run, ending) {
		if err := e.record(ctx, history.Where{}, over); err != nil {
			return err
		}
		for _, line := range flow.Discrepancies(over) {
			e.warn(line)
		}
		e.notify(e.c.Observer.TaskDone, Event{Task: over, Text: strings.TrimSpace("task " + over.Task + " " + string(over.Status) + " " + over.Reason)})
	}
	return nil
}

// Next is what to do now, the likeliest first; nil if nothing began.
func (r *Report) Next() []flow.Suggestion { return flow.Next(r.Run) }
