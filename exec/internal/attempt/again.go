package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// An again is a second execution of what an attempt executes: with the same
// inputs, on the tree that it began with, in a lane that is thrown away. What
// the two did is compared.
type again struct {
	*trial // a copy, of which nothing is recorded
	lane   *worktree.Lane
	made   *worktree.Made
	found  history.Repeated
	// its commands work under another path than those of the first one
	elsewhere bool
}

// refuse says why nothing is compared.
func (a *again) refuse(format string, args ...any) {
	if a != nil {
		a.found = history.Repeated{Not: bound.Text(fmt.Sprintf(format, args...), bound.Line)}
		a.made = nil
	}
}

// refused reports whether nothing is compared.
func (a *again) refused() bool { return a.found.Not != "" }

// foreseeAgain makes the place of a second execution ready, before the first
// one: where they do not work in layers, what the first one leaves at paths
// that are in no tree would be in it.
func (t working) foreseeAgain(ctx context.Context, layered bool) error {
	if run := t.Rec.Run.Started.Deterministic; !run && !t.step.Repeats(run) {
		return nil
	}
	t.again = &again{}
	if why := t.once(); why != "" {
		t.again.refuse("%s", why)
		return nil
	}
	if layered {
		t.again.lane = worktree.InLayer(t.Work)
		return nil
	}
	t.again.elsewhere = t.by.ByCommands
	err := t.lanes.Grow(ctx, t.Work, 1)
	if err == nil {
		t.again.lane, err = t.lanes.Open(ctx, t.Work, 0)
	}
	if session.Interrupted(ctx) {
		return nil // judging says so
	}
	if err != nil {
		t.again.refuse("no copy of the workspace could be made for it: %v", err)
	}
	return nil
}

// once says why an attempt can be executed only once; "" if nothing is known.
func (t working) once() string {
	switch {
	case t.inputs == "":
		return "it takes up what an earlier attempt left"
	case len(t.cycle.Phases) > 0:
		return "it writes its test first, in phases, each of which is looked at"
	case t.parts:
		return "its approved jobs are carried out one by one, and each is kept as it ends"
	case !t.Work.Layered():
		return "the run works in the workspace itself, where nothing can be tried"
	case t.method.Prompt != "" && !t.by.ByCommands:
		return "it is an agent in the process of planlock, which may use the network"
	case t.method.Prompt != "" && t.NoSandbox:
		return "it is an agent without a sandbox, which may use the network"
	}
	return t.Plan.Once(t.step, t.method.Prompt != "")
}

// executeAgain executes the step a second time, if the first one succeeded.
func (t working) executeAgain(ctx context.Context) error {
	if t.again == nil || t.again.refused() {
		return nil
	}
	switch {
	case t.err != nil || t.fault != nil || session.Interrupted(ctx):
		return nil // it counts for nothing, whatever a second one does
	case t.outcome.Stateful:
		t.again.refuse("its executor says that it changed something outside of the workspace")
		return nil
	}
	a := t.again
	there := *t.Session
	there.Work, there.Observed, there.Tell = a.lane.Worktree, false, func(event.Event) {}
	attempts := *t.Attempts
	attempts.Session = &there
	a.trial = &trial{Attempts: &attempts, s: t.s, task: t.task, step: t.step, number: t.number, method: t.method,
		runner: there.Runner(t.step), before: t.before, limit: t.limit, says: t.says}
	if err := a.runner.Keep(""); err != nil { // in a copy of its own there are no layers
		return fmt.Errorf("exec: %w", err)
	}
	a.trial.execute(ctx, t.by)
	a.Spending.over(a.trial)
	in := a.runner.Kept()
	switch err := a.trial.err; {
	case session.Interrupted(ctx):
		t.err = context.Cause(ctx)
	case errors.Is(err, people.ErrRequested):
		t.err = err
	case a.cutOff():
		a.refuse("the second execution was cut off: %v", err)
	}
	var err error
	if a.made, err = a.lane.Look(context.WithoutCancel(ctx), in); err != nil {
		a.refuse("what it did the second time cannot be read: %v", err)
	}
	return nil
}

// cutOff reports whether the second execution ended for a reason that says nothing of
// what it does: its time, memory or space was used up, or its layer stood in its way.
func (a *again) cutOff() bool {
	var late *gate.TimeoutError
	err := a.trial.err
	return err != nil && (errors.As(err, &late) || noSpace(err) || noMemory(err) ||
		errors.Is(err, process.ErrExhausted) || errors.Is(err, ErrContextExhausted) ||
		errors.Is(err, ErrBudget) || a.outcome.Unserved != nil ||
		a.runner.Impeded(a.outcome.Output) != "")
}

// forget drops what the second execution did.
func (a *again) forget() {
	if a != nil && a.lane != nil {
		a.lane.Forget()
	}
}

// setAgainstAgain compares what two executions did and how they ended, once what
// the first one did is accounted for.
func (t judging) setAgainstAgain() {
	a := t.again
	if a == nil || a.refused() || a.made == nil {
		return
	}
	a.found.Took = a.took
	switch {
	case a.trial.err != nil:
		a.differ("", fmt.Sprintf("the second time it failed: %v", a.trial.err))
		return
	case a.outcome.Stateful:
		a.refuse("its executor says that it changed something outside of the workspace")
		return
	case a.outcome.Exit != t.outcome.Exit:
		a.differ("", fmt.Sprintf("it ended with status %d, and the second time with %d",
			t.outcome.Exit, a.outcome.Exit))
	}
	first, second := t.Work.Inside(t.entry.Changes), t.Work.Inside(a.made.Changes)
	if t.entry.Unsaid { // those of the first are dropped
		second = slices.DeleteFunc(second, isSocket)
	}
	for _, path := range unlikeIn(first, second) {
		a.differ(path, t.unlikeAt(path, first, second))
	}
	a.found.Printed = printedUnlike(t.outcome.Output, a.outcome.Output)
}

// differ notes a difference.
func (a *again) differ(path, how string) {
	if a.found.Total++; a.found.Total <= pathsNamed {
		a.found.Unlike = append(a.found.Unlike, history.Unlike{Path: path, How: bound.Text(how, bound.Line)})
	}
}

// unsteady refuses what a second execution did otherwise, or what gates say
// otherwise of it.
func (t judging) unsteady(ctx context.Context) *fault {
	a := t.again
	if a == nil || a.refused() {
		return nil
	}
	if a.found.Total == 0 {
		if f := t.judgeAgain(ctx); f != nil {
			return f
		}
	}
	if a.found.Total == 0 {
		return nil
	}
	lines := a.found.Lines()
	f := faultf(history.Nondeterministic, "executed twice with the same inputs, step %s did not do the same: %s",
		t.s.Address, lines[0])
	f.Reasons = append(f.Reasons, lines[1:]...)
	if a.elsewhere {
		f.Reasons = append(f.Reasons,
			"the second time it worked in another folder, as there are no overlays: what has its path in it differs")
	}
	return f
}

// judgeAgain asks the gates that passed what they say of the second execution,
// which left the same tree.
func (t judging) judgeAgain(ctx context.Context) *fault {
	var judged gate.Judgements
	for _, phase := range []gate.Phase{gate.During, gate.After} {
		pass := t.passOf(phase, &t.again.outcome)
		pass.Judged = slices.Clone(judged)
		said := t.Panel.Ask(ctx, pass)
		if session.Interrupted(ctx) {
			return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
		}
		for _, j := range said.Blocking() {
			for _, reason := range j.Reasons() {
				t.again.differ("", "of the second time, "+reason)
			}
		}
		judged = append(judged, said...)
	}
	return nil
}
