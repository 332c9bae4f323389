package control

import (
	"context"
	"errors"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

const (
	few      = 5 // files that are named
	fewAside = 2 // of them besides the tree
)

// Own are the files that the command of a test runs, and that changes wrote. At
// most a few are named.
func Own(command string, changes []ledger.Change) []string {
	files := testfirst.Files(command, changes)
	return files[:min(few, len(files))]
}

// withoutOwn holds the checks that may tell against the work alone: with what the
// step wrote or removed of what steers them as it was before. So a check that holds
// by what the step has it run is told from one that holds by what the step did.
func (c *Case) withoutOwn(ctx context.Context, checks []plan.Check, all []history.Control) error {
	var wanted []int
	runs := false // a check that is wanted
	for i, check := range checks {
		if all[i].MayTell() {
			wanted, runs = append(wanted, i), runs || testfirst.Runs(check)
		}
	}
	aside := new(worktree.Withheld)
	if runs && c.Aside != nil {
		var err error
		if aside, err = c.Aside.Withhold(ctx, maxChanges); err != nil {
			return err
		}
	}
	var err error
	for _, i := range wanted {
		if err == nil {
			err = c.workAlone(ctx, checks[i], &all[i], aside)
		}
	}
	if len(aside.Paths) == 0 {
		return err
	}
	_, back := c.Work.TakeBack(ctx, c.Pass.After) // the folders that what is aside lies in
	return errors.Join(err, back, aside.Back(ctx))
}

// workAlone holds a check against the tree before with what the work did, and
// nothing of what steers the check; and, where it holds there, with nothing in the
// files that the work wrote.
func (c *Case) workAlone(ctx context.Context, check plan.Check, told *history.Control, aside *worktree.Withheld) error {
	work, steers := c.apart(check)
	wrote := aside.Paths
	if !testfirst.Runs(check) {
		wrote = nil
	}
	if told.Own = named(steers, wrote); len(told.Own) == 0 {
		return nil
	}
	alone, err := worktree.With(c.Pass.Before, work, c.Pass.After)
	if err != nil || c.kept(steers) || len(wrote) > 0 && aside.Why != "" {
		told.Withheld = history.ControlUndecided
		return nil
	}
	on := func(tree *ledger.Tree, tell func(i int, r history.ControlResult, why string)) error {
		return c.on(ctx, tree, []plan.Check{check}, func(int) bool { return tree != nil }, tell)
	}
	if alone.Digest() == c.Pass.Before.Digest() && len(wrote) == 0 {
		told.Withheld = told.Before // there is no other work
	} else {
		err = on(alone, func(_ int, r history.ControlResult, _ string) { told.Withheld = r })
	}
	if err != nil || told.Withheld != history.ControlHolds {
		return err
	}
	emptied, err := nothingIn(alone, work)
	if err != nil {
		return err
	}
	return on(emptied, func(_ int, r history.ControlResult, why string) { told.Emptied, told.Why = r, why })
}

// apart tells the work from what steers a check.
func (c *Case) apart(check plan.Check) (work, steers []ledger.Change) {
	work, steering := testfirst.Apart(check, c.Changes)
	for _, change := range steering {
		if c.Asked != nil && c.Asked(check, change) {
			work = append(work, change)
		} else {
			steers = append(steers, change)
		}
	}
	return work, steers
}

// kept reports whether one of some changes cannot be taken back.
func (c *Case) kept(changes []ledger.Change) bool {
	return slices.ContainsFunc(changes, func(s ledger.Change) bool {
		return c.Work.Scanner.Scope.Level(s.Path) != ledger.Full
	})
}

// Lost is what a check that held before the changes, and holds with them, says of the
// tree with what steers it as it was; own is a few of that.
func (c *Case) Lost(ctx context.Context, check plan.Check) (result history.ControlResult, own []string, err error) {
	work, steers := c.apart(check)
	if len(steers) == 0 || !c.Work.Layered() || len(c.Changes) > maxChanges {
		return history.ControlHolds, nil, nil
	}
	own = named(steers, nil)
	alone, err := worktree.With(c.Pass.Before, work, c.Pass.After)
	switch {
	case err != nil, c.kept(steers):
		return history.ControlUndecided, own, nil
	case alone.Digest() == c.Pass.Before.Digest():
		return history.ControlHolds, own, nil
	}
	c.disturb()
	err = c.on(ctx, alone, []plan.Check{check}, func(int) bool { return true },
		func(_ int, r history.ControlResult, _ string) { result = r })
	_, back := c.Work.TakeBack(ctx, c.Pass.After)
	return result, own, errors.Join(err, back)
}

// named are a few of the files that steer a check.
func named(steers []ledger.Change, aside []string) []string {
	files := slices.Clone(aside[:min(fewAside, len(aside))])
	for _, s := range steers {
		files = append(files, s.Path)
	}
	return files[:min(few, len(files))]
}
