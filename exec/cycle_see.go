package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

// prepare readies what an attempt needs besides its method: how long it may
// take, how its test is written first and where it begins with that, and what
// it begins with altogether.
func (e *execution) prepare(t *trial) (from history.CyclePhase, err error) {
	t.limit = flow.Limit(t.task, t.step, len(t.s.Attempts)+1)
	if t.cycle = e.cycleOf(t.task, t.step); len(t.cycle.Phases) > 0 {
		t.carried = carried(t.s, t.method.ID)
	}
	from = resumesAt(t.cycle, t.carried)
	t.inputs, err = e.inputs(t, from)
	return from, err
}

// unexpected says in words why a phase does not hold.
func unexpected(c *history.Cycle) string {
	switch c.Phase {
	case history.Red:
		return fmt.Sprintf("%q passes before anything was implemented, so it tests nothing that is missing", c.Test)
	case history.Green:
		return fmt.Sprintf("%q fails after the implementation, with status %d", c.Test, c.Exit)
	}
	return fmt.Sprintf("%q fails after the refactoring, with status %d: the refactoring was undone", c.Test, c.Exit)
}

// see keeps the tree of a phase and runs its tests, which must not change it.
func (e *execution) see(ctx context.Context, t *trial, c *history.Cycle) error {
	tree, err := e.Work.Scanner.Scan(ctx, e.Work.Dir, t.before)
	if err != nil {
		return err
	}
	if c.Snapshot, err = e.Rec.Store.Snapshot(ctx, e.Work.Dir, tree, e.Rec.Run.Tree); err != nil {
		return err
	}
	if err := e.runTests(ctx, t, c); err != nil {
		return err
	}
	now, err := e.Work.Scanner.Scan(ctx, e.Work.Dir, tree)
	if err != nil {
		return err
	}
	if changes := ledger.Diff(tree, now); len(changes) > 0 {
		return fmt.Errorf("the test changed the tree, and tests must not: %s", changes[0])
	}
	return nil
}

// runTests runs the tests of a step, until one does what it must not. Red: each
// must fail; else each must pass. A shell that does not find or may not run a
// command has tested nothing.
func (e *execution) runTests(ctx context.Context, t *trial, c *history.Cycle) error {
	limit := testTime
	if t.limit > 0 {
		limit = t.limit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		&gate.TimeoutError{Name: "the test of step " + string(t.s.Address), Limit: limit})
	defer cancel()
	for _, test := range t.cycle.Tests {
		result, err := t.runner.Run(ctx, gate.Command{Run: test})
		switch {
		case err == nil && ctx.Err() != nil:
			err = context.Cause(ctx)
		case err == nil && (result.Exit == 126 || result.Exit == 127):
			err = fmt.Errorf("status %d: the command was not found, or may not be run", result.Exit)
		}
		if err != nil {
			return fmt.Errorf("the test %q could not be run: %w", test, err)
		}
		c.Ran, c.Exit, c.Output, c.Passed = true, result.Exit, bound.Text(result.Output, testKept), result.Exit == 0
		if c.Holds = c.Passed == (c.Phase != history.Red); !c.Holds {
			return nil
		}
	}
	return nil
}

// revert brings back the tree that the phase before c left.
func (e *execution) revert(ctx context.Context, t *trial, c *history.Cycle) error {
	done := slices.Concat(t.carried, t.s.Last().Cycles)
	if len(done) == 0 {
		return errors.New("exec: there is no phase to go back to")
	}
	c.Snapshot = done[len(done)-1].Snapshot
	_, err := e.Work.Restore(ctx, e.Work.Dir, c.Snapshot)
	return err
}

// left is how long the attempt may still take; 0 if there is no limit.
func (t *trial) left() time.Duration {
	if t.limit <= 0 {
		return 0
	}
	return max(t.limit-t.took, time.Nanosecond)
}

// and is what an executor said in several phases of an attempt: the texts one
// after another, the status of the last, the costs together.
func (o Outcome) and(next Outcome) Outcome {
	tail := process.NewTail(bound.Output)
	fmt.Fprint(tail, o.Output, next.Output)
	next.Output = tail.String()
	next.Stateful = next.Stateful || o.Stateful
	next.Usage.InputTokens = addTokens(o.Usage.InputTokens, next.Usage.InputTokens)
	next.Usage.OutputTokens = addTokens(o.Usage.OutputTokens, next.Usage.OutputTokens)
	next.Usage.Calls += o.Usage.Calls
	if len(o.Metrics) > 0 {
		all := maps.Clone(o.Metrics)
		maps.Copy(all, next.Metrics)
		next.Metrics = all
	}
	return next
}
