package exec

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
)

// consultBefore asks an advisor about the task of a step that is about to
// begin, and records what it says.
func (e *execution) consultBefore(ctx context.Context, s *history.Step, kind advice.Kind) error {
	tree, err := e.Work.Known(ctx)
	if err != nil {
		return err
	}
	task, shown := e.Contract.At(s.Address).Task, e.Shown.At(s.Address)
	said, _ := e.hear(ctx, advice.Case{
		Kind: kind, Point: advice.Task, Run: e.Rec.Run.Started.Run, Goal: e.Plan.Goal, Task: shown.Task,
		Step:     shown.Step,
		Criteria: task.AcceptanceCriteria, Plan: e.Locked.Plan(), Files: filesOf(tree),
		Open: func(path string) (io.ReadCloser, error) { return worktree.OpenIn(e.Work.Dir, path) },
	})
	e.Rec.Seen.Disturb(contract.StrangersRan)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	if err := e.Rec.Record(ctx, history.Of(s, 0), said); err != nil {
		return err
	}
	if said.Error != "" {
		e.Warn(fmt.Sprintf("task %s begins without %s: %s", s.Task, kind, said.Error))
	}
	return nil
}

// foundBefore is what research found before a task, as executors are told.
func (e *execution) foundBefore(task string) []string {
	a := e.About(nil).Advised(task, advice.Research)
	if a == nil || a.Error != "" {
		return nil
	}
	var lines []string
	for _, f := range a.Findings {
		lines = append(lines, "research found: "+f)
	}
	return lines
}
