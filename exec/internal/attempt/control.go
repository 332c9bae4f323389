package attempt

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/control"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// control finds out what the checks of an attempt say of trees that lack what
// it did. A check that holds there as well proves nothing.
func (t judging) control(ctx context.Context) *fault {
	t.controls = append(t.controls, t.seenRed(ctx)...)
	if !t.controllable() || !t.s.WithinTree() || len(t.entry.Bears) > 0 {
		return nil
	}
	pass := t.Panel.Prepare(t.Pass(gate.After, t.s, t.runner.Judge()))
	pass.Attempt, pass.Before, pass.After = t.number, t.before, t.after
	c := &control.Case{Work: t.Work, Contract: t.Contract, Pass: pass, Changes: t.entry.Changes,
		Aside: t.Work.Aside(), Checks: t.step.Postconditions, Keeps: t.step.SemanticChange == plan.Preserving, Touched: t.Touchy}
	found, after, err := c.Run(ctx)
	switch {
	case err != nil:
		return faultf(history.Crashed, "what the step did could not be put back after it was taken out: %v", err)
	case session.Interrupted(ctx):
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	}
	t.after = after
	t.controls = append(t.controls, found...)
	return nil
}

// controllable reports whether checks of the step are held against trees that
// lack its work.
func (t *trial) controllable() bool {
	return t.Rec.Run.Policy.Controls != flow.ControlsOff && len(t.step.Postconditions) > 0
}

// ahead holds the checks of a step that acts outside of the workspace against the
// world before it.
func (t *trial) ahead(ctx context.Context) error {
	if !t.controllable() || t.s.WithinTree() {
		return nil
	}
	pass := t.Panel.Prepare(t.Pass(gate.After, t.s, t.runner.Judge()))
	pass.Attempt, pass.Before, pass.After = t.number, t.before, t.before
	c := &control.Case{Work: t.Work, Pass: pass, Checks: t.step.Postconditions}
	t.controls = c.Ahead(ctx)
	if !t.runner.Ran() && !t.Touchy {
		return nil
	}
	t.Work.Disturb()
	if !t.Work.Layered() {
		return nil // what was written there is accounted to the step
	}
	before, err := t.Work.TakeBack(ctx, t.before)
	if err == nil {
		t.before = before
		t.runner.Forget()
	}
	return err
}

// seenRed are tests that hold after the attempt and that the controller saw
// fail before it: those of steps before this one, which it fixes, and that which
// it wrote first itself.
func (t judging) seenRed(ctx context.Context) []history.Control {
	var seen []history.Control
	for _, s := range t.Contract.Intents() {
		writer := t.Rec.Run.Step(s.Address)
		if s.TestIntent.FixedBy == t.s.Address && writer != nil && writer.Status == history.Completed {
			seen = append(seen, history.Control{Check: s.TestIntent.Test, Before: history.ControlFailed,
				Own: control.Own(s.TestIntent.Test, t.entry.Changes), Steps: []plan.Address{s.Address}})
		}
	}
	return append(seen, t.writtenFirst(ctx)...)
}

// writtenFirst is the test that the attempt wrote first, and that failed before
// the rest was written. It speaks for the step if nothing of it changed since.
func (t judging) writtenFirst(ctx context.Context) []history.Control {
	var red *history.Cycle
	green := false
	for _, c := range t.cycles() {
		if c.Phase == history.Red && c.Holds {
			red = &c
		}
		green = green || c.Phase == history.Green && c.Holds
	}
	if red == nil || !green {
		return nil
	}
	told := history.Control{Check: red.Test, Before: history.ControlFailed}
	tree, err := t.Rec.Store.Tree(ctx, red.Snapshot)
	if err != nil {
		told.Before = history.ControlUndecided
		told.Why = "what the test was when it failed cannot be read: " + err.Error()
		return []history.Control{told}
	}
	told.Own = control.Own(red.Test, ledger.Diff(tree, t.after))
	return []history.Control{told}
}

// cycles are the phases of the attempt that are over, those of earlier ones that
// it went on with among them.
func (t *trial) cycles() []history.Cycle {
	done := slices.Clone(t.carried)
	if last := t.s.Last(); last != nil && last.Number == t.number {
		done = append(done, last.Cycles...)
	}
	return done
}

// idle refuses work that changed nothing, though it does not say so, where
// nothing shows that it was there all the same. A command that the plan itself
// names was carried out, and what acts outside of the workspace, or looks at a
// checkpoint, need not change anything there. A format without a word for that it
// changes nothing names no file, and its check holds; what the source marks as
// done may have been done.
func (t judging) idle() *fault {
	declaredNone := t.step.Artifacts != nil && len(t.step.Artifacts.Create)+len(t.step.Artifacts.Modify)+
		len(t.step.Artifacts.Delete) == 0
	kind, _, _ := strings.Cut(t.task.Kind, ":")
	verify := t.Rec.Run.Started.Format.Verify("COMMAND")
	looks := verify != "" && t.step.Artifacts == nil && t.task.Within(t.step) == nil && len(t.step.Postconditions) > 0
	if len(t.entry.Changes) > 0 || declaredNone || kind == "checkpoint" || looks || t.task.MarksDone(t.step) ||
		t.method.Run != "" || !t.s.WithinTree() || t.shown() {
		return nil
	}
	none := "say artifacts = {}"
	if verify != "" {
		none = "have the plan name no file for it, and a check:  " + verify
	}
	return faultf(history.GateFailed, "the step did nothing: no file changed, and nothing shows that its work was there "+
		"(have a reviewer look, acknowledge it as done, or %s)", none)
}

// shown reports whether something tells the work from its absence, or somebody
// looked at it.
func (t judging) shown() bool {
	if slices.ContainsFunc(t.controls, func(c history.Control) bool { return c.Tells() }) {
		return true
	}
	a := *t.s.Last()
	a.Gates = t.judged
	return slices.ContainsFunc(a.Reviews(), history.Review.Counts)
}
