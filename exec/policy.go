package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/pattern"
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
	// Budget is what a run may cost, over all sessions, as far as who works for it
	// says what that costs; 0: no limit. An attempt that would go beyond it is ended
	// ([ErrBudget]), and does not count, and a run that reached it stops with
	// [ErrHandoff], to be resumed with a larger one. Whoever resumes without one
	// leaves it as it was.
	Budget Money
	// Commits is how much of the accepted work a commit holds that the Committer
	// makes once it is in the workspace; "": none is made. A run that is resumed
	// keeps its own, [commit.Off] ends that, and none begins with it later.
	Commits commit.Unit
	// Jobs is how many steps may run at once that the plan declares independent
	// (docs/lanes.md); 1: none, 0: what the plan says, else the number of
	// processors where a shell carries all of these out, and 4 where an agent
	// does any; at most [plan.MaxJobs].
	Jobs int
	// Preset names the way to cope with failure, one of package preset. Empty:
	// what the plan says (preset in [execution]), else "contract". A run that
	// is resumed keeps its own.
	Preset string
	// Ladder is what is tried after a failure; nil for the preset's.
	Ladder recovery.Ladder
	// Patience is how long a question waits for its answer; 0: as long as the
	// escalator does.
	Patience time.Duration
	// Given is what the host was given, in its own words, such as flags: it
	// stands in the journal for whoever goes on and has to give it again.
	Given []string
}

// ladder is what is tried after a failure.
func (p *Policy) ladder() recovery.Ladder {
	if p.Ladder != nil {
		return p.Ladder
	}
	return p.chosenPreset().Ladder
}

// chosenPreset is the preset of the run. One that does not exist has been
// refused by validate.
func (p *Policy) chosenPreset() preset.Preset {
	chosen, err := preset.Named(p.Preset)
	if err != nil {
		return preset.Contract()
	}
	return chosen
}

// under has a run go on under a preset, and returns its ladder.
func (p *Policy) under(named string) recovery.Ladder {
	p.Preset = named
	return p.ladder()
}

// Who chose the mode of a run, as it stands in the journal.
const (
	byHost    = "host"    // a field of the controller, or a flag
	byPlan    = "plan"    // default_mode
	byDefault = "default" // nobody
)

// modeFor is who is asked at first, and who chose that.
func (p *Policy) modeFor(of *plan.Plan) (plan.Mode, string) {
	switch {
	case p.Mode != "" && p.ModeBy != "":
		return p.Mode, p.ModeBy
	case p.Mode != "":
		return p.Mode, byHost
	case of.Execution.DefaultMode != "":
		return of.Execution.DefaultMode, byPlan
	}
	return plan.Dynamic, byDefault
}

const namedSteps = 10 // in one warning

// withoutSay warns of a preset that somebody chose, and that decides nothing:
// after a failure every step blocks or asks, so that its backups alone are
// tried.
func (p *Policy) withoutSay(of *plan.Plan) []string {
	if p.Ladder != nil || p.Preset == preset.Default {
		return nil
	}
	var steps []plan.Address
	for i := range of.Tasks {
		for j := range of.Tasks[i].Steps {
			s := &of.Tasks[i].Steps[j]
			if s.OnFailure != plan.Block && s.OnFailure != plan.Ask {
				return nil
			}
			steps = append(steps, s.Address)
		}
	}
	return []string{fmt.Sprintf("preset %q has no say after a failure of %s: on_failure is \"block\" or \"ask\" there, so that only backups are tried; "+
		"say on_failure = \"retry\" where the preset is to decide", p.Preset, someOf(steps))}
}

// someOf names the first of some steps, and counts the others.
func someOf(steps []plan.Address) string {
	named := plan.Addresses(steps[:min(len(steps), namedSteps)])
	if more := len(steps) - namedSteps; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}

// untested warns of steps that are to have their test written first, and name
// none, or say so in a run in which tests do not come first: they are done in
// one go.
func (p *Policy) untested(of *plan.Plan) []string {
	if !p.TestFirst && !flow.SettingsOf(of).TestFirst {
		if steps := flow.TestDriven(of); len(steps) > 0 {
			return []string{fmt.Sprintf("no test is written first for %s, which say tdd: that counts where the plan says "+
				"test_first = true in [execution], or the run is asked for it (--test-first)", someOf(steps))}
		}
		return nil
	}
	steps := flow.Untested(of, flow.Choose(of, nil, p.Strategy))
	if len(steps) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("no test is written first for %s, which name none: give a step a test_intent, "+
		"or tdd = true with a command that is its test among its postconditions", someOf(steps))}
}

// unasked warns of advisors that the host brought and that nobody asks in a run
// of the plan.
func (c *Controller) unasked(of *plan.Plan) []string {
	rungs := map[string]bool{}
	for _, r := range c.ladder() {
		if r != nil { // such a ladder is refused
			rungs[r.Name()] = true
		}
	}
	_, patterned := pattern.Of(of)
	asked := map[advice.Kind]bool{
		advice.Reflection: rungs["reflect"] || len(c.Reviewers) > 0 || c.Evidence != nil,
		advice.Pivot:      rungs["pivot"],
		advice.Research: rungs["research"] ||
			slices.ContainsFunc(of.Tasks, func(t plan.Task) bool { return t.ResearchEnabled }),
		advice.Feasible: patterned,
	}
	heard := func(kind advice.Kind) bool { return c.Advisors[kind] != nil && asked[kind] }
	if heard(advice.Reflection) || heard(advice.Pivot) { // which of the two is for the ladder to say
		asked[advice.Reflection], asked[advice.Pivot] = true, true
	}
	var kinds []string
	for _, kind := range advice.Kinds() {
		if c.Advisors[kind] != nil && !asked[kind] {
			kinds = append(kinds, string(kind))
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("nobody asks the advisor for %s in this run: presets assistant and reflective do after a failure, "+
		"research_enabled of a task does before it, and pattern_name in [meta] does once", strings.Join(kinds, ", "))}
}
