package exec

import (
	"cmp"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/flow"
	"github.com/planlock/planlock/exec/history"
)

// policy is how this run is carried out, and who is there.
func (e *execution) policy() *contract.Policy {
	c := e.c
	chosen := c.chosenPreset()
	p := &contract.Policy{
		Ladder: c.ladder(), Triggers: cmp.Or(c.Triggers, chosen.Triggers), Compliance: chosen.Compliance,
		Strategy: c.Strategy, TokenBudget: cmp.Or(max(c.TokenBudget, 0), flow.SettingsOf(e.plan).TokenBudget),
		Reviewers: len(c.Reviewers) > 0, Evidence: c.Evidence != nil, Escalates: c.Escalator != nil,
	}
	if c.Evidence != nil {
		p.EvidenceWait, p.Tracker = c.Evidence.Wait(), c.Evidence.Tracker != nil
	}
	for _, kind := range advice.Kinds() {
		if c.Advisors.of(kind) == nil {
			p.Silent = append(p.Silent, kind)
		}
	}
	for _, named := range append([]string{""}, e.needed...) {
		if x, err := c.executor(named); err == nil && name(x) == "shell" {
			p.Deaf = append(p.Deaf, named)
		}
	}
	return p
}

// about is what may be looked at of a step.
func (e *execution) about(s *history.Step) *contract.Case {
	return &contract.Case{Contract: e.contract, Policy: e.decider().Policy, Run: e.run, Seen: &e.seen, Step: s}
}
