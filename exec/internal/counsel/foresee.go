package counsel

import (
	"context"
	"io"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
)

// Foresee asks an advisor about the task of a step that is about to begin, and
// records what it says. A task begins also where nobody has anything to say.
func (co *Counsel) Foresee(ctx context.Context, s *history.Step, kind advice.Kind) error {
	tree, err := co.Work.Known(ctx)
	if err != nil {
		return err
	}
	task, _ := co.Contract.At(s.Address)
	shown, step := co.Shown.At(s.Address)
	said, _ := co.hear(ctx, advice.Case{
		Kind: kind, Point: advice.Task, Run: co.Rec.Run.Started.Run, Goal: co.Plan.Goal, Task: shown,
		Step:     step,
		Criteria: task.AcceptanceCriteria, Plan: co.Locked.Plan(), Files: co.filesOf(tree),
		Open:   func(path string) (io.ReadCloser, error) { return worktree.OpenIn(co.Work.Dir, path) },
		Runner: co.Runner(nil).Judge(),
	})
	co.Work.Disturb()
	co.Rec.Seen.Forget(disturbance.StrangersRan...)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	if err := co.Rec.Record(ctx, s.Where(0), said); err != nil {
		return err
	}
	if warning := said.Without(s.Task); warning != "" {
		co.Warn(warning)
	}
	return nil
}
