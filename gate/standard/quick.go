package standard

import (
	"io/fs"
	"path"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// These say of a pass that a gate has next to nothing to do in it, so that nobody has to watch it; see gate.NewQuick.

func always(*gate.Pass) bool { return true }

func nothingChanged(pass *gate.Pass) bool { return len(pass.Changes) == 0 }

// nothingToCompile is nothingChanged where the changes of the pass are what is looked at.
func nothingToCompile(pass *gate.Pass) bool {
	return pass.Phase != gate.Final && nothingChanged(pass)
}

func nothingExpected(pass *gate.Pass) bool { return pass.Step != nil && pass.Step.Expect == nil }

func nothingOwed(pass *gate.Pass) bool { return pass.Step != nil && len(pass.Step.Evidence) == 0 }

func noIntent(pass *gate.Pass) bool {
	return pass.Phase != gate.Final && pass.Step != nil && pass.Step.TestIntent == nil && len(pass.OpenIntents) == 0
}

func nothingInvariant(pass *gate.Pass) bool {
	return pass.Plan != nil && !slices.ContainsFunc(pass.Plan.Invariants, func(i plan.Invariant) bool { return i.Check != nil })
}

func quickAfter(pass *gate.Pass) bool {
	return pass.Step != nil && lookedUp(pass, pass.Step.Postconditions)
}

func quickBefore(pass *gate.Pass) bool {
	return pass.Step != nil && lookedUp(pass, pass.Step.Preconditions) &&
		(!slices.ContainsFunc(assumed(pass), func(a plan.Assumption) bool { return a.Check != nil }) || !untouched(pass))
}

func assumed(pass *gate.Pass) []plan.Assumption {
	if pass.Plan == nil {
		return nil
	}
	return pass.Plan.Assumptions
}

// lookedUp reports whether checks are decided by looking up a few paths that the scan of the tree looked up before: where a disk or
// a mount does not answer, that did not come back either. Of what the scan leaves out nobody knows whether it answers.
func lookedUp(pass *gate.Pass, checks []plan.Check) bool {
	return len(checks) <= 4 && !slices.ContainsFunc(checks, func(c plan.Check) bool {
		return c.Kind != "file_exists" && c.Kind != "file_absent" || !scanned(pass.After, c.Path)
	})
}

// scanned reports whether the scan that made a tree looked at all that is looked at to find a path. Where a link is on its way that is not known.
func scanned(tree *ledger.Tree, name string) bool {
	name = path.Clean(name)
	if tree == nil || !fs.ValidPath(name) || tree.Level(name) > ledger.Tracked {
		return false
	}
	for at := name; at != "."; at = path.Dir(at) {
		if e, ok := tree.Lookup(at); ok && e.Kind == ledger.Link {
			return false
		}
	}
	return true
}
