package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/traits"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// judging is looking at what an attempt did.
type judging struct{ *trial }

// judge looks at what an attempt did. It returns nil if the attempt counts.
//
// What cannot be undone is looked at first, so that no other fault hides it:
// the account, without which nothing is known; the repository, which nothing
// restores; what the run is bound to. Only then does it matter what the
// executor says of itself, and gates are asked only about an attempt that says
// that it succeeded. The host's wish to stop does not stop the looking, since
// the tree has to be known to be restored.
func (t judging) judge(ctx context.Context) *fault {
	look := context.WithoutCancel(ctx)
	defer t.again.forget()
	if f := t.account(look); f != nil {
		return f
	}
	moved, f := t.movedBy(look)
	if f != nil {
		return f
	}
	if moved != nil {
		f := faultf(history.Moved, "what the run depends on moved while the step ran")
		f.Reasons = append(f.Reasons, moved.Reasons...)
		return f
	}
	if t.err != nil {
		return t.executorFault(ctx)
	}
	if t.fault != nil {
		return t.fault
	}
	t.setAgainstAgain()
	if n, allowed := size(t.entry.Changes), t.disk(); allowed > 0 && n > allowed {
		return faultf(history.Exhausted, "it wrote files of %d bytes, and its sandbox allows %d: raise disk in [sandbox], or let it write less", n, allowed)
	}
	if f := t.undeliverable(); f != nil {
		return f
	}
	foreign := t.foreign() // before gates run, which may change it
	for _, phase := range []gate.Phase{gate.During, gate.After} {
		if f := t.judgePhase(ctx, phase); f != nil {
			return f
		}
	}
	if f := t.others(ctx); f != nil {
		return f
	}
	if f := t.judgePhase(ctx, gate.Reviewing); f != nil {
		return f
	}
	if foreign != nil {
		return foreign
	}
	if f := t.unsteady(ctx); f != nil {
		return f
	}
	if f := t.control(ctx); f != nil {
		return f
	}
	if f := t.idle(); f != nil {
		return f
	}
	if f := t.person(ctx); f != nil {
		return f
	}
	return t.gatesLeftNothing(look)
}

// foreign refuses what an attempt made in a layer that bears what the step does
// not declare, or does not bear what it does: another owner, attributes, bits
// that give the rights of somebody else.
func (t judging) foreign() *fault {
	if !t.Work.Layered() {
		return nil
	}
	declared := t.step.Artifacts
	found, err := traits.Foreign(t.Work.Dir, t.Work.Root, t.entry.Changes, declared)
	if err != nil {
		return faultf(history.Crashed, "what the step made cannot be looked at: %v", err)
	}
	bears, lacking, err := traits.Borne(t.Work.Dir, t.entry.Changes, declared)
	if err != nil {
		return faultf(history.Crashed, "what the step made cannot be looked at: %v", err)
	}
	t.entry.Bears, t.journalled.Bears = bears, bears
	if len(found)+len(lacking) == 0 {
		return nil
	}
	f := faultf(history.Breach, "the step made files that bear what it does not declare")
	if len(found) == 0 {
		f = faultf(history.Breach, "the step made files that do not bear what it declares")
	}
	f.Reasons = append(append(f.Reasons, found...), lacking...)
	return f
}

// movedBy looks at the repository and at all that the run is bound to. In a
// layer both are copies: of the repository nothing is ever delivered, so that
// commits made there are noted, and dropped.
func (t judging) movedBy(ctx context.Context) (*session.Refusal, *fault) {
	var refused *session.Refusal
	var err error
	if t.Work.Layered() {
		if t.entry.Git, err = worktree.RenewRepository(ctx, t.Work); err == nil {
			t.entry.Git = append(t.entry.Git, t.moved...)
			t.journalled.Git = t.entry.Git
			refused, err = t.Bound.MovedBy(ctx, t.held)
		}
	} else {
		git, f := t.gitMoved()
		if f != nil {
			return nil, f
		}
		refused, err = t.Bound.MovedBesides(ctx, git)
	}
	if err != nil {
		return nil, faultf(history.Moved, "%v", err)
	}
	return refused, nil
}

// gitMoved looks at the repository, which no step may change and nothing
// restores.
func (t judging) gitMoved() (now ledger.GitState, f *fault) {
	now, err := git.Read(t.Work.Root)
	if err != nil {
		return now, faultf(history.Unrestorable, "the repository cannot be read: %v", err)
	}
	if t.entry.Git = t.Rec.Run.Git.Moved(now); len(t.entry.Git) > 0 {
		return now, faultf(history.Unrestorable, "the step changed the repository, which planlock never touches: %s",
			strings.Join(t.entry.Git, ", "))
	}
	return now, nil
}

// executorFault says what an executor's error means.
func (t judging) executorFault(ctx context.Context) *fault {
	var late *gate.TimeoutError
	switch {
	case session.Interrupted(ctx):
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	case t.outcome.Unserved != nil:
		return t.unserved()
	case errors.Is(t.err, ErrBudget):
		return faultf(history.OverBudget, "it was ended because what the run may cost, %s, was spent while it was under way",
			t.Rec.Run.Policy.Budget)
	case errors.As(t.err, &late):
		f := faultf(history.TimedOut, "%v; %s", t.err, printedLast(t.outcome.Output))
		f.Cause = late.Cause
		if f.Cause == "" {
			f.Cause = stall(t.trial)
		}
		return f
	case noSpace(t.err):
		return faultf(history.NoSpace, "%v", t.err)
	case errors.Is(t.err, people.ErrRequested):
		return faultf(history.Interrupted, "%v", people.ErrRequested)
	case errors.Is(t.err, ErrContextExhausted):
		return faultf(history.ContextExhausted, "%v", t.err)
	case errors.Is(t.err, ErrDeclined):
		return faultf(history.Declined, "%v", t.err)
	case noMemory(t.err):
		return faultf(history.OutOfMemory, "%v", t.err)
	case errors.Is(t.err, process.ErrExhausted):
		return faultf(history.Exhausted, "%v", t.err)
	}
	f := faultf(history.Crashed, "%v", t.err)
	if why := t.runner.Walled(t.outcome.Output); why != "" {
		f.Reasons = append(f.Reasons, why)
	}
	return f
}

// printedLast says where an executor was when its time was up.
func printedLast(output string) string {
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			return fmt.Sprintf("the last it printed was %q", bound.Text(line, bound.Short))
		}
	}
	return "it printed nothing"
}

// stall is the likely cause of an executor's time-out: a model where a prompt
// was carried out, else a program that stood still.
func stall(t *trial) gate.Cause {
	if t.method.Prompt != "" {
		return gate.ModelStall
	}
	return gate.Deadlock
}

// judgePhase asks the gates of a phase about an attempt.
func (t judging) judgePhase(ctx context.Context, phase gate.Phase) *fault {
	return t.heard(ctx, phase, func(pass *gate.Pass) gate.Judgements { return t.askGates(ctx, t.s, pass) })
}

// passOf is what gates of a phase may look at, of the tree that the attempt left
// and of what its executor said.
func (t judging) passOf(phase gate.Phase, said *Outcome) *gate.Pass {
	pass := t.Pass(phase, t.s, t.runner.Judge())
	pass.Attempt, pass.Before, pass.After = t.number, t.before, t.after
	pass.Account, pass.Comparison = &t.entry.Account, ledger.Comparison{Changes: t.entry.Changes,
		Symbols: t.entry.Symbols, Lines: t.entry.Lines, PerPath: t.entry.PerPath, Unread: t.entry.Unread}
	pass.Output = &gate.Output{Text: said.Output, Stdout: said.Stdout, Exit: said.Exit}
	return pass
}

// heard has an attempt judged by whom ask asks.
func (t judging) heard(ctx context.Context, phase gate.Phase, ask func(*gate.Pass) gate.Judgements) *fault {
	pass := t.passOf(phase, &t.outcome)
	pass.Judged = slices.Clone(t.judged)
	judged := ask(pass)
	t.judged = append(t.judged, judged...)
	if session.Interrupted(ctx) {
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	}
	if blocking := judged.Blocking(); len(blocking) > 0 {
		f := blocked(blocking)
		f.Reasons = append(f.Reasons, t.meddled(ctx, t.runner, t.after)...)
		return f
	}
	return nil
}

// meddled says what changed in a tree while it was judged, since what a gate says no
// to may be that, and not what was there.
func (a *Attempts) meddled(ctx context.Context, r *session.Runner, judged *ledger.Tree) []string {
	if !r.Ran() && !a.Touchy {
		return nil
	}
	now, err := a.Work.Scanner.Scan(context.WithoutCancel(ctx), a.Work.Dir, judged)
	if err != nil || now.Digest() == judged.Digest() {
		return nil
	}
	changed := worktree.Described(ledger.Diff(judged, now))
	return []string{"the tree changed while it was judged, and what looked after that saw it: " +
		strings.Join(bound.First(changed, meddledNamed), ", ")}
}

// meddledNamed is how many changes while it was judged a failure names.
const meddledNamed = 5

// gatesLeftNothing makes sure that judging changed nothing.
func (t judging) gatesLeftNothing(ctx context.Context) *fault {
	if !t.runner.Ran() && !t.Touchy {
		return nil
	}
	if t.Touchy {
		t.Work.Disturb()
	}
	if t.Work.Layered() {
		after, err := t.Work.TakeBack(ctx, t.after)
		if err != nil {
			return faultf(history.Crashed, "%v", err)
		}
		t.after = after
		return nil
	}
	now, err := t.Work.Scanner.Scan(ctx, t.Work.Dir, t.after)
	if err != nil {
		return faultf(history.Crashed, "the tree cannot be read: %v", err)
	}
	if now.Digest() == t.after.Digest() {
		t.after = now
		return nil
	}
	if snap, err := t.Rec.Store.Snapshot(ctx, t.Work.Dir, now, t.Rec.Run.Tree); err == nil {
		t.snap = snap // somebody may have worked here meanwhile
	}
	f := faultf(history.GateFailed, "the tree changed while it was judged, and gates and checks must not change it")
	f.Reasons = append(f.Reasons, worktree.Described(ledger.Diff(t.after, now))...)
	return f
}
