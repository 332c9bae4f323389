package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Bounds of work that is taken out of the tree and put back.
const (
	maxChanges = 5000
	maxBytes   = 256 << 20
)

// A Case is checks that hold after work, and the work.
type Case struct {
	Work *worktree.Worktree
	// Contract has the checks of earlier steps: what the run knows of a check on a
	// tree is not decided again.
	Contract *guard.Contract
	// Pass is one that a gate would be asked with after the work. Its Before is
	// the tree before the work, its After the tree that the folder holds.
	Pass    *gate.Pass
	Changes []ledger.Change // from Before to After
	Checks  []plan.Check
	// Keeps says that the work was to keep what holds.
	Keeps bool
	// Aside is what the work wrote besides the tree; nil where nobody knows.
	Aside *worktree.Aside
	// Asked tells the changes that are work though they steer a check; nil: none.
	Asked func(plan.Check, ledger.Change) bool
	// Touched says that whoever judges may have written in the folder.
	Touched bool
}

// Run holds the checks against trees that lack the work, and returns what that
// showed, and the tree that the folder holds afterwards, which is After again.
// Checks that can prove nothing are left out. The error says
// that the folder does not hold After any more.
func (c *Case) Run(ctx context.Context) ([]history.Control, *ledger.Tree, error) {
	var asked []plan.Check
	var all []history.Control
	for _, k := range c.Checks {
		if k.CanProve() {
			asked = append(asked, k)
			all = append(all, history.Control{Check: k.String(), Keeps: c.Keeps})
		}
	}
	if len(asked) == 0 || len(c.Changes) == 0 {
		return nil, c.Pass.After, nil
	}
	why, emptied, err := c.trees()
	if err != nil {
		return nil, nil, err
	}
	if why != "" {
		for i := range all {
			all[i].Before, all[i].Why = history.ControlUndecided, why
		}
		return all, c.Pass.After, nil
	}
	c.disturb()
	for i, k := range asked {
		all[i].Before = c.known(k)
	}
	err = c.on(ctx, c.Pass.Before, asked, func(i int) bool { return all[i].Before == "" },
		func(i int, r history.ControlResult, why string) { all[i].Before, all[i].Why = r, why })
	if err == nil {
		err = c.withoutOwn(ctx, asked, all)
	}
	if emptied != nil && err == nil {
		err = c.on(ctx, emptied, asked,
			func(i int) bool { return all[i].MayTell() && all[i].Withheld != history.ControlHolds },
			func(i int, r history.ControlResult, why string) {
				all[i].Emptied = r
				if all[i].Why == "" {
					all[i].Why = why
				}
			})
	}
	after, back := c.Work.TakeBack(ctx, c.Pass.After)
	return all, after, errors.Join(err, back)
}

// Ahead holds the checks against the world as it is before work that restoring a
// tree does not undo. Nothing can be held against it afterwards.
func (c *Case) Ahead(ctx context.Context) []history.Control {
	var all []history.Control
	for _, k := range c.Checks {
		if k.CanProve() {
			result, why := c.decide(ctx, c.Pass.After, k)
			all = append(all, history.Control{Check: k.String(), Before: result, Why: why})
		}
	}
	return all
}

// trees makes ready what the checks are held against. why says that this cannot
// be done; emptied is nil where there is nothing to be emptied.
func (c *Case) trees() (why string, emptied *ledger.Tree, err error) {
	if !c.Work.Layered() {
		return "the run works in the workspace itself", nil, nil
	}
	if len(c.Changes) > maxChanges {
		return fmt.Sprintf("the work changed more than %d paths", maxChanges), nil, nil
	}
	size := int64(0)
	for _, change := range c.Changes {
		if change.After != nil {
			size += change.After.Size
		}
	}
	if size > maxBytes {
		return fmt.Sprintf("the work wrote more than %d MiB", maxBytes>>20), nil, nil
	}
	emptied, err = nothingIn(c.Pass.After, c.Changes)
	return "", emptied, err
}

// nothingIn is a tree with nothing in the files that changes wrote; nil if they wrote
// none.
func nothingIn(tree *ledger.Tree, changes []ledger.Change) (*ledger.Tree, error) {
	none := ledger.Sum(nil)
	var left []ledger.Change
	wrote := false
	for _, change := range changes {
		if a := change.After; a != nil && a.Kind == ledger.File {
			entry := *a
			entry.Size, entry.Digest = 0, none
			left = append(left, ledger.Change{Path: change.Path, Before: a, After: &entry})
			wrote = wrote || a.Size > 0
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	if !wrote {
		return tree, nil // the checks say of it what they say of the work
	}
	return worktree.With(tree, left, tree)
}

// on holds the checks that are wanted against a tree.
func (c *Case) on(ctx context.Context, tree *ledger.Tree, checks []plan.Check, wanted func(i int) bool,
	tell func(i int, r history.ControlResult, why string)) error {
	for i, check := range checks {
		if !wanted(i) {
			continue
		}
		held, err := c.Work.TakeBack(ctx, tree)
		if err != nil {
			return err
		}
		result, why := c.decide(ctx, held, check)
		tell(i, result, why)
		c.disturb()
	}
	return nil
}

// disturb notes what judges may have done to the folder.
func (c *Case) disturb() {
	if c.Touched || c.Work.Layers == nil {
		c.Work.Disturb()
	}
}

// decide decides a check in the folder, which holds a tree.
func (c *Case) decide(ctx context.Context, tree *ledger.Tree, check plan.Check) (history.ControlResult, string) {
	pass := c.Pass.Fresh()
	pass.After, pass.Comparison, pass.Account = tree, ledger.Comparison{}, nil
	runs := &runs{CommandRunner: pass.Runner}
	if pass.Runner != nil {
		pass.Runner = runs
	}
	ctx, cancel := context.WithTimeout(ctx, gate.Info{Level: gate.BlocksStep}.Limit())
	defer cancel()
	v, err := pass.Decide(ctx, check)
	switch {
	case err != nil:
		return history.ControlUndecided, err.Error()
	case v.Result == gate.Passed:
		return history.ControlHolds, ""
	}
	if why := runs.nothing(); why != "" {
		return history.ControlUndecided, why
	}
	return history.ControlFailed, ""
}
