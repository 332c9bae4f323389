package exec

import (
	"cmp"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Policy says how runs are carried out: who is asked and when, what is tried
// after a failure, and what must hold besides the plan. Zero fields leave it to
// the plan, and to defaults where that says nothing. A run keeps the policy
// that it began with in its journal, and each change.
type Policy struct {
	// Mode says who is asked and when. Empty: what the plan says, else dynamic.
	Mode plan.Mode
	// ModeBy says in the journal who chose Mode, as in "person"; empty: the
	// host.
	ModeBy string
	// Triggers are the thresholds of dynamic mode where the plan has none; zero
	// fields are the defaults.
	Triggers history.Triggers
	// Strategy is how much ceremony there is; "" for what the plan says, else
	// what follows from its complexity.
	Strategy history.Strategy
	// TestFirst has steps that can write their test first do so, in phases that
	// the controller judges by running the test. The plan can ask for it as
	// well.
	TestFirst bool
	// Deterministic refuses a step that makes another tree than an earlier
	// attempt of the same inputs did. The plan can ask for it as well.
	Deterministic bool
	// TokenBudget is how many tokens a session may use; 0 for what the plan
	// says, else no limit. At 70 % executors are asked to be brief, at 80 % the
	// run stops with [ErrHandoff], and is resumed with a fresh count.
	TokenBudget int64
	// Preset names the way to cope with failure, one of package preset. Empty:
	// what the plan says (preset in [execution]), else "contract". A run that
	// is resumed keeps its own.
	Preset string
	// Ladder is what is tried after a failure; nil for the preset's.
	Ladder recovery.Ladder
	// Patience is how long a question waits for its answer; 0: as long as the
	// escalator does.
	Patience time.Duration
}

func (c *Controller) ladder() recovery.Ladder {
	if c.Ladder != nil {
		return c.Ladder
	}
	return c.chosenPreset().Ladder
}

// chosenPreset is the preset of the run. One that does not exist has been
// refused by validate.
func (c *Controller) chosenPreset() preset.Preset {
	p, err := preset.Named(c.Preset)
	if err != nil {
		return preset.Contract()
	}
	return p
}

// under has a run go on under a preset, and returns its ladder.
func (c *Controller) under(named string) recovery.Ladder {
	c.Preset = named
	return c.ladder()
}

// chosenPolicy is how a run is carried out by what the host and the plan say
// now.
func (e *execution) chosenPolicy() history.Policy {
	c, said := e.c, flow.SettingsOf(e.Plan)
	mode, by := e.mode()
	chosen := c.chosenPreset()
	p := history.Policy{
		Mode: mode, ModeBy: by, Preset: c.Preset,
		Triggers: cmp.Or(c.Triggers, chosen.Triggers), Compliance: chosen.Compliance,
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
		if x, err := c.Executors.find(named); err == nil && name(x) == "shell" {
			r.Deaf = append(r.Deaf, named)
		}
	}
	return r
}
