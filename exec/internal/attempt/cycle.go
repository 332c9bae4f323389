package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/plan"
)

// cycleOver is where an attempt begins of which an earlier one did all phases
// and was cut off before it was judged.
const cycleOver history.CyclePhase = "over"

// cycleOf is how a step writes its test first in this run.
func (a *Attempts) cycleOf(task *plan.Task, step *plan.Step) flow.Cycle {
	if !a.Rec.Run.Started.TestFirst {
		return flow.Cycle{}
	}
	return flow.CycleOf(a.Plan, task, step, a.Rec.Run.Flow.Strategy)
}

// carried are the phases that earlier attempts by the same method ended before
// they were cut off, which an attempt that follows them need not repeat.
func carried(s *history.Step, method string) []history.Cycle {
	var done []history.Cycle
	for _, a := range slices.Backward(s.Attempts) {
		if a.Method.Method != method || a.Failure == nil || a.Failure.Class != history.Lost &&
			a.Failure.Class != history.Interrupted && a.Failure.Class != history.OverBudget &&
			a.Failure.Class != history.NotServed {
			break
		}
		done = slices.Concat(a.Cycles, done)
	}
	return done
}

// resumesAt is the phase that an attempt begins with after those that are done;
// "" if that is the first.
func resumesAt(c flow.Cycle, done []history.Cycle) history.CyclePhase {
	switch n := len(done); {
	case n == 0:
		return ""
	case n >= len(c.Phases):
		return cycleOver
	default:
		return c.Phases[n]
	}
}

// prepare readies what an attempt needs besides its method: how long it may
// take, how its test is written first and where it begins with that, and what
// it begins with altogether.
func (t *trial) prepare() (from history.CyclePhase, err error) {
	if t.Work.Layered() {
		if worktree.RenewChanged(t.Work, t.Own()) != nil { // somebody wrote in them, and they say the same
			t.Work.Disturb()
		}
		t.held = worktree.Held(t.Work, t.Own())
	}
	t.limit, t.says = flow.Limit(t.task, t.step, len(t.s.Attempts)+1)
	if t.cycle = t.cycleOf(t.task, t.step); len(t.cycle.Phases) > 0 {
		t.carried = carried(t.s, t.method.ID)
	}
	from = resumesAt(t.cycle, t.carried)
	t.inputs, err = t.inputsFrom(from)
	return from, err
}

// perform has the executor do the work of an attempt: in one go, or phase by
// phase.
//
// Phases that an earlier attempt ended before it was cut off are not repeated:
// the tree that the last of them left is brought back, and the next one begins
// there. It is one attempt all the same, so what is accounted and judged is
// what all phases came to.
func (t *trial) perform(ctx context.Context, x Executor) {
	if all := t.several(); t.parts && all != nil {
		t.doJobs(ctx, x, all)
		return
	}
	if len(t.cycle.Phases) == 0 {
		t.execute(ctx, x)
		return
	}
	if n := len(t.carried); n > 0 {
		if _, err := t.Work.Restorer().Restore(ctx, t.Work.Dir, t.carried[n-1].Snapshot); err != nil {
			t.err = fmt.Errorf("exec: the tree after phase %s cannot be brought back: %w", t.carried[n-1].Phase, err)
			return
		}
	}
	for _, phase := range t.cycle.Phases[min(len(t.carried), len(t.cycle.Phases)):] {
		if on := t.doPhase(ctx, x, phase); !on {
			return
		}
	}
}

// doPhase carries out one phase, sees what the test says of it, and records
// that. It reports whether the attempt goes on.
func (t *trial) doPhase(ctx context.Context, x Executor, phase history.CyclePhase) bool {
	before := t.outcome
	c := &history.Cycle{Phase: phase, Test: strings.Join(t.cycle.Tests, " ; ")}
	if phase != history.Red || !t.cycle.Written {
		t.phase = phase
		t.execute(ctx, x)
	}
	err := t.err
	if err == nil {
		err = t.see(ctx, c)
	}
	switch {
	case session.Interrupted(ctx):
		t.err = context.Cause(ctx)
		return false
	case err != nil && phase == history.Refactor:
		c.Why = err.Error() // a refactoring is never worth the work
	case err != nil:
		if t.err == nil {
			t.fault = faultf(history.Undecided, "%v", err)
		}
		return false
	}
	c.Did = "kept"
	if !c.Holds {
		c.Did = "refused"
		if c.Why == "" {
			c.Why = unexpected(c)
		}
	}
	if phase == history.Refactor && !c.Holds {
		t.err, t.outcome.Exit, t.outcome.Stdout = nil, before.Exit, before.Stdout
		c.Did = "reverted"
		if err := t.revert(ctx, c); err != nil {
			t.fault = faultf(history.Crashed, "%v", err)
			return false
		}
	}
	if err := t.Rec.Record(ctx, t.s.Where(t.number), c); err != nil {
		t.fault = faultf(history.Crashed, "%v", err)
		return false
	}
	if c.Did == "refused" {
		t.fault = faultf(history.GateFailed, "%s", c.Why)
		return false
	}
	return true
}
