package guard

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// MayShare reports whether a step may run at once with others at all: the
// speclet of its task says so (parallel_allowed), and what it writes is
// declared.
func (c *Contract) MayShare(a plan.Address) bool {
	task, step := c.At(a)
	if task == nil || step.Rollback != plan.Reversible && step.Rollback != "" ||
		step.Access == nil && step.Artifacts == nil || step.Artifacts != nil && len(step.Artifacts.Bears) > 0 {
		return false
	}
	return slices.ContainsFunc(c.Plan.Speclets, func(s plan.Speclet) bool {
		return s.ParallelAllowed != nil && *s.ParallelAllowed && slices.Contains(s.Tasks, task.ID)
	})
}

// Beside reports whether two steps may run at once: both may share, they are of
// different speclets of which none needs the other, and what each writes, and
// the symbols that it owns, are nothing that the other reads, writes or owns.
// Where patterns might stand for one path, they are taken to.
func (c *Contract) Beside(a, b plan.Address) bool {
	if !c.MayShare(a) || !c.MayShare(b) {
		return false
	}
	task, one := c.At(a)
	other, two := c.At(b)
	if c.Speclet(task.ID) == c.Speclet(other.ID) || c.Needs(task.ID, other.ID) || c.Needs(other.ID, task.ID) {
		return false
	}
	x, y := accessOf(one), accessOf(two)
	return !overlap(x.Writes, y.Writes) && !overlap(x.Writes, y.Reads) && !overlap(x.Reads, y.Writes) &&
		!slices.ContainsFunc(x.Symbols, func(s string) bool { return slices.Contains(y.Symbols, s) })
}

// accessOf is what a step says of its access, completed from its artifacts
// where it says nothing.
func accessOf(s *plan.Step) plan.Access {
	var all plan.Access
	if s.Access != nil {
		all = *s.Access
	}
	if a := s.Artifacts; a != nil {
		all.Writes = slices.Concat(all.Writes, a.Create, a.Modify, a.Delete)
		all.Symbols = slices.Concat(all.Symbols, a.SymbolsAdd, a.SymbolsRemove)
	}
	return all
}

// overlap reports whether patterns of two lists might stand for one path, or
// for one in the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(p string) bool {
		return slices.ContainsFunc(b, func(q string) bool { return mightMeet(p, q) })
	})
}

func mightMeet(p, q string) bool {
	switch {
	case ledger.Match(p, q), ledger.Match(q, p), within(p, q), within(q, p):
		return true
	case !ledger.IsGlob(p) && !ledger.IsGlob(q):
		return false
	}
	x, y := literal(p), literal(q)
	return strings.HasPrefix(x, y) && ledger.IsGlob(q) || strings.HasPrefix(y, x) && ledger.IsGlob(p)
}

// within reports whether what p stands for lies in the folder q.
func within(p, q string) bool { return strings.HasPrefix(p, strings.TrimSuffix(q, "/")+"/") }

// literal is a pattern up to its first sign.
func literal(p string) string {
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		return p[:i]
	}
	return p
}
