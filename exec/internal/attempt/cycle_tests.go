package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
)

// testKept is how much of a test's output stands in the journal, in bytes.
const testKept = 4 << 10

// unexpected says in words why a phase does not hold.
func unexpected(c *history.Cycle) string {
	switch c.Phase {
	case history.Red:
		return fmt.Sprintf("%q passes before anything was implemented, so it tests nothing that is missing", c.Test)
	case history.Green:
		return fmt.Sprintf("%q fails after the implementation, with status %d", c.Test, c.Exit)
	}
	return fmt.Sprintf("%q fails after the refactoring, with status %d", c.Test, c.Exit)
}

// see keeps the tree of a phase and runs its tests, which must not change it.
func (t *trial) see(ctx context.Context, c *history.Cycle) error {
	tree, err := t.Work.Scanner.Scan(ctx, t.Work.Dir, t.before)
	if err != nil {
		return err
	}
	if c.Snapshot, err = t.Rec.Store.Snapshot(ctx, t.Work.Dir, tree, t.Rec.Run.Tree); err != nil {
		return err
	}
	if err := t.runTests(ctx, c); err != nil {
		return err
	}
	if c.Phase == history.Red && c.Holds && !t.cycle.Written {
		if c.Why = t.elsewhere(ctx, c, ledger.Diff(t.before, tree)); c.Why != "" {
			c.Holds = false
		}
	}
	now, err := t.Work.Scanner.Scan(ctx, t.Work.Dir, tree)
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
func (t *trial) runTests(ctx context.Context, c *history.Cycle) error {
	ctx, cancel := context.WithTimeoutCause(ctx, t.limit, fmt.Errorf("%w: %s",
		&gate.TimeoutError{Name: "the test of step " + string(t.s.Address), Limit: t.limit}, t.says))
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
		c.Ran, c.Exit, c.Output, c.Passed = true, result.Exit, bound.End(result.Output, testKept), result.Exit == 0
		if c.Holds = c.Passed == (c.Phase != history.Red); !c.Holds {
			return nil
		}
	}
	return nil
}

// elsewhere says why the failure of a test is none of what was written for it;
// "" if it may be.
func (t *trial) elsewhere(ctx context.Context, c *history.Cycle, wrote []ledger.Change) string {
	command := t.cycle.Tests[len(t.cycle.Tests)-1]
	files := testfirst.Of(command, wrote)
	if len(files) == 0 {
		return fmt.Sprintf("no test was written: %q runs and names none of the files that changed", command)
	}
	content := t.Work.Content(t.Work.Dir)
	why := testfirst.Elsewhere(command, c.Exit, c.Output, files, func(file string) string {
		for _, w := range wrote {
			if w.Path == file {
				text, err := content.Read(ctx, w.After)
				if err != nil {
					return ""
				}
				return string(text)
			}
		}
		return ""
	})
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%q fails, but not in what was written: %s", command, why)
}

// revert brings back the tree that the phase before c left.
func (t *trial) revert(ctx context.Context, c *history.Cycle) error {
	done := slices.Concat(t.carried, t.s.Last().Cycles)
	if len(done) == 0 {
		return errors.New("exec: there is no phase to go back to")
	}
	c.Snapshot = done[len(done)-1].Snapshot
	_, err := t.Work.Restorer().Restore(ctx, t.Work.Dir, c.Snapshot)
	return err
}
