package ending

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// laterSteps were accepted after the one that is looked at, the last first.
type laterSteps []laterStep

type laterStep struct {
	*plan.Step
	made *history.Accounted // nil where nobody accounted for it
}

// any reports whether something is true of one of them.
func (l laterSteps) any(of func(*plan.Step) bool) bool {
	return slices.ContainsFunc(l, func(s laterStep) bool { return of(s.Step) })
}

// declared adds what an accepted step declares of artifacts, and is otherwise in
// the final tree though no later step declares that: as checks, which decide it,
// and as paths that are as they were before. Open are the paths that no person
// answers for.
func (l laterSteps) declared(of *gate.Lasting, final *ledger.Tree, made *history.Accounted, open func(string) bool) {
	for _, c := range of.Step.Declares() {
		of.Artifacts++
		otherwise := func(s *plan.Step) bool { return s.DeclaresOtherwise(of.Step.Address, c) }
		same := func(o plan.Check) bool { return o.String() == c.String() }
		if l.undid(c, final) && open(c.Path) && !l.any(otherwise) && !slices.ContainsFunc(of.Checks, same) {
			of.Checks = append(of.Checks, c)
		}
	}
	if of.Step.Artifacts == nil || made == nil {
		return
	}
	for _, pattern := range of.Step.Artifacts.Modify {
		of.Artifacts++
		var undone []string
		kept := false // the modification of one path
		for _, c := range made.Account.Matching {
			if c.Op != ledger.Modified || !ledger.Match(pattern, c.Path) {
				continue
			}
			anew := func(s *plan.Step) bool { return s.DeclaresAnew(of.Step.Address, c.Path) }
			if now, there := final.Lookup(c.Path); there && !now.Same(*c.Before) || !open(c.Path) || l.any(anew) {
				kept = true
			}
			undone = append(undone, c.Path)
		}
		if !kept {
			of.Undone = append(of.Undone, undone...)
		}
	}
}

// undid reports whether what a check says of an artifact seems not to be so in
// the final tree: what stands at the path tells, and of a symbol the last step
// that added or removed it.
func (l laterSteps) undid(c plan.Check, final *ledger.Tree) bool {
	there := c.Kind == "file_exists" || c.Kind == "symbol_exists"
	if c.Symbol == "" {
		_, stands := final.Lookup(c.Path)
		return stands != there
	}
	for _, s := range l {
		if s.made == nil {
			continue
		}
		op := func(op ledger.Op) bool {
			return slices.ContainsFunc(s.made.Symbols, func(m ledger.Symbol) bool {
				return m.Name == c.Symbol && m.Op == op
			})
		}
		if added, removed := op(ledger.Created), op(ledger.Deleted); added != removed {
			return added != there
		}
	}
	return false
}
