package panel

import (
	"maps"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// apart gives a gate of the host a pass of its own in all that it may change, so that
// what it does to the plan, the step or the account reaches nobody who judges after
// it, nor the lock, nor the journal.
func apart(p *gate.Pass) {
	if p.Draft != nil {
		p.Draft = p.Draft.Clone()
	}
	if p.Plan != nil {
		p.Plan = p.Plan.Clone()
	}
	p.Task, p.Step = taskOf(p.Plan, p.Task), p.Step.Clone()
	p.OpenIntents = slices.Clone(p.OpenIntents)
	for i, intent := range p.OpenIntents {
		own := *intent
		p.OpenIntents[i] = &own
	}
	p.Frozen, p.Introduced, p.Broken = slices.Clone(p.Frozen), maps.Clone(p.Introduced), maps.Clone(p.Broken)
	p.Changes, p.Symbols, p.Unread = changes(p.Changes), slices.Clone(p.Symbols), slices.Clone(p.Unread)
	p.PerPath = maps.Clone(p.PerPath)
	if p.Account != nil {
		own := *p.Account
		own.Matching, own.Extra, own.Missing = changes(own.Matching), changes(own.Extra), slices.Clone(own.Missing)
		own.SymbolsMatching, own.SymbolsExtra = slices.Clone(own.SymbolsMatching), slices.Clone(own.SymbolsExtra)
		p.Account = &own
	}
	p.Judged = slices.Clone(p.Judged)
	for i := range p.Judged {
		if v := p.Judged[i].Verdict; v != nil {
			own := *v
			own.Findings, own.Evidence = slices.Clone(v.Findings), slices.Clone(v.Evidence)
			p.Judged[i].Verdict = &own
		}
	}
}

// taskOf finds a task in a copy of its plan.
func taskOf(p *plan.Plan, t *plan.Task) *plan.Task {
	if p != nil && t != nil {
		if i := slices.IndexFunc(p.Tasks, func(o plan.Task) bool { return o.ID == t.ID }); i >= 0 {
			return &p.Tasks[i]
		}
	}
	return t
}

// changes copies a list of changes, with what was and is at their paths.
func changes(all []ledger.Change) []ledger.Change {
	all = slices.Clone(all)
	for i := range all {
		for _, e := range []**ledger.Entry{&all[i].Before, &all[i].After} {
			if *e != nil {
				own := **e
				*e = &own
			}
		}
	}
	return all
}
