package attempt

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/internal/home"
)

// working is an executor at the work of an attempt.
type working struct {
	*trial
	by Executor
}

// perform has the executor do its work: in a layer, where it works by commands
// alone and the machine has one, else in the copy of the workspace itself, which
// is scanned afterwards.
//
// An overlay of an ordinary user cannot rename folders. A command that failed of
// that is repeated in the copy, and nothing of the first time remains. So what
// acts outside of the workspace, and cannot be repeated, does not work in one.
func (t working) perform(ctx context.Context) error {
	layered := t.by.ByCommands && len(t.cycle.Phases) == 0 && !t.parts && t.s.WithinTree() && t.Work.Layers != nil
	if err := t.foreseeAgain(ctx, layered); err != nil {
		return err
	}
	if !layered {
		t.aside(ctx)
		return t.executeAgain(ctx)
	}
	if err := t.runner.Keep(home.AttemptName); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	t.trial.perform(ctx, t.by)
	if !t.impeded(ctx) {
		return t.executeAgain(ctx)
	}
	t.again.refuse("it was repeated in a plain copy of the workspace, which holds what it left")
	if err := t.runner.Kept().Drop(); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	t.repeat(ctx)
	return nil
}

// impeded reports whether an attempt seems to have failed because it worked in a
// layer, and tells.
func (t working) impeded(ctx context.Context) bool {
	why := t.runner.Impeded(t.outcome.Output)
	if t.err == nil || why == "" || ctx.Err() != nil {
		return false
	}
	t.Warn(fmt.Sprintf("step %s is repeated in a plain copy of the workspace: %s", t.s.Address, why))
	return true
}

// repeat carries an attempt out once more, in the copy of the workspace.
func (t working) repeat(ctx context.Context) {
	t.err = nil
	t.aside(ctx)
}

// aside has the executor do its work in the copy of the workspace.
func (t working) aside(ctx context.Context) {
	t.runner.Aside()
	t.Work.Disturb()
	t.trial.perform(ctx, t.by)
	t.Work.Disturb()
}
