package exec

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/worktree"
)

// consultBefore asks an advisor about the task of a step that is about to
// begin, and records what it says.
func (e *execution) consultBefore(ctx context.Context, s *history.Step, kind advice.Kind) error {
	tree, err := e.work.Known(ctx)
	if err != nil {
		return err
	}
	task, shown := e.contract.At(s.Address).Task, e.shown.At(s.Address)
	said, _ := e.hear(ctx, advice.Case{
		Kind: kind, Point: advice.Task, Run: e.rec.Run.Started.Run, Goal: e.plan.Goal, Task: shown.Task,
		Step:     shown.Step,
		Criteria: task.AcceptanceCriteria, Plan: e.locked.Plan(), Files: filesOf(tree),
		Open: func(path string) (io.ReadCloser, error) { return worktree.OpenIn(e.work.Dir, path) },
	})
	e.rec.Seen.Disturb(contract.StrangersRan)
	if interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	if err := e.rec.Record(ctx, history.Of(s, 0), said); err != nil {
		return err
	}
	if said.Error != "" {
		e.warn(fmt.Sprintf("task %s begins without %s: %s", s.Task, kind, said.Error))
	}
	e.notify(e.c.Observer.Advised, Event{History: s, Advice: said, Text: string(kind), Err: adviceError(said)})
	return nil
}

// foundBefore is what research found before a task, as executors are told.
func (e *execution) foundBefore(task string) []string {
	a := e.about(nil).Advised(task, advice.Research)
	if a == nil || a.Error != "" {
		return nil
	}
	var lines []string
	for _, f := range a.Findings {
		lines = append(lines, "research found: "+f)
	}
	return lines
}
