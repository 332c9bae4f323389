package exec

import (
	"cmp"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
)

// chosenPolicy is how a run is carried out by what the host and the plan say
// now.
func (e *execution) chosenPolicy() history.Policy {
	c, said := e.c, flow.SettingsOf(e.Plan)
	mode, by := e.mode()
	chosen := c.chosenPreset()
	p := history.Policy{
		Mode: mode, ModeBy: by, Preset: c.Preset,
		Triggers: history.Triggers(cmp.Or(c.Triggers, chosen.Triggers)), Compliance: chosen.Compliance,
		Strategy: c.Strategy, TestFirst: c.TestFirst || said.TestFirst,
		Deterministic: c.Deterministic || said.Deterministic,
		TokenBudget:   cmp.Or(max(c.TokenBudget, 0), said.TokenBudget), Patience: c.Patience,
	}
	for _, rung := range c.ladder() {
		p.Ladder = append(p.Ladder, rung.Name())
	}
	if c.Evidence != nil {
		p.EvidenceWait = c.Evidence.Wait()
	}
	return p
}

// roles are those who are there now.
func (e *execution) roles() history.Roles {
	c := e.c
	r := history.Roles{Executors: e.needed, Evidence: c.Evidence != nil, Escalator: c.Escalator != nil,
		Tracker: c.Evidence != nil && c.Evidence.Tracker != nil}
	for _, reviewer := range c.Reviewers {
		r.Reviewers = append(r.Reviewers, reviewer.Name())
	}
	for _, kind := range advice.Kinds() {
		if c.Advisors.of(kind) != nil {
			r.Advisors = append(r.Advisors, string(kind))
		}
	}
	for _, g := range c.Gates {
		r.Gates = append(r.Gates, g.Info().Name)
	}
	for _, g := range c.Guards {
		r.Guards = append(r.Guards, g.Name())
	}
	for _, named := range append([]string{""}, e.needed...) {
		if x, err := c.executor(named); err == nil && name(x) == "shell" {
			r.Deaf = append(r.Deaf, named)
		}
	}
	return r
}
