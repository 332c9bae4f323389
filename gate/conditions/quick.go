package conditions

import (
	"io/fs"
	"path"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// These say of a pass that a gate has next to nothing to do in it, so that
// nobody has to watch it; see gate.Quick.

// quickAfter reports whether postconditions are decided at once, by looking up
// a few paths.
func quickAfter(pass *gate.Pass) bool {
	return pass.Step != nil && lookedUp(pass, pass.Step.Postconditions)
}

// quickBefore is quickAfter of preconditions. Assumptions count as long as they
// are asked at all.
func quickBefore(pass *gate.Pass) bool {
	return pass.Step != nil && lookedUp(pass, pass.Step.Preconditions) &&
		(!slices.ContainsFunc(assumed(pass), func(a plan.Assumption) bool { return a.Check != nil }) ||
			!decide.Untouched(pass))
}

// assumed is what the plan takes for granted.
func assumed(pass *gate.Pass) []plan.Assumption {
	if pass.Plan == nil {
		return nil
	}
	return pass.Plan.Assumptions
}

// lookedUp reports whether checks are decided by looking up a few paths that
// the scan of the tree looked up before: where a disk or a mount does not
// answer, that did not come back either. Of what the scan leaves out nobody
// knows whether it answers.
func lookedUp(pass *gate.Pass, checks []plan.Check) bool {
	return len(checks) <= 4 && !slices.ContainsFunc(checks, func(c plan.Check) bool {
		return c.Kind != "file_exists" && c.Kind != "file_absent" || !scanned(pass.After, c.Path)
	})
}

// scanned reports whether the scan that made a tree looked at all that is
// looked at to find a path. Where a link is on its way that is not known.
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
