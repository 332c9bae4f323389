package flow

import (
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Choose is the strategy that a run of steps begins with. asked is what the
// host wants, "" if it does not care; then the plan's own word counts, and then
// its complexity: direct for 1 and 2, orchestrated for 3 to 5. The checkpoint
// is left to the caller.
func Choose(p *plan.Plan, steps []history.Outline, asked history.Strategy) *history.StrategySet {
	n, source, m := Complexity(p)
	set := &history.StrategySet{Strategy: history.Direct, Complexity: n, Source: source, Measures: m,
		Why: fmt.Sprintf("complexity %d of %d, %s", n, hardest,
			map[string]string{"plan": "as the plan says", "computed": "computed from what it declares"}[source])}
	if n >= orchestratedFrom {
		set.Strategy = history.Orchestrated
	}
	said := SettingsOf(p).Strategy
	switch {
	case asked != "":
		set.Strategy, set.Source, set.Why = asked, "asked", "the host asked for it"
	case said != "":
		set.Strategy, set.Source, set.Why = said, "plan", "the plan says so"
	}
	if set.Strategy == history.Orchestrated {
		set.Phases = Phases(p, steps, n)
	}
	return set
}

// Rephase is the strategy of a run to which steps were added that belong to no
// phase of it, or nil: the same, with the phases that are over, and those of what
// is left. The checkpoint is left to the caller.
func Rephase(p *plan.Plan, run *history.Run) *history.StrategySet {
	was := run.Flow.Strategy
	if was == nil || !run.Flow.Unphased() {
		return nil
	}
	set, left := *was, notOver(run)
	set.From, set.Planned, set.Source = was.Strategy, was.Complexity, "amended"
	set.Complexity, _, set.Measures = Complexity(p)
	set.Phases = nil
	for _, over := range run.Flow.Phases {
		if n := over.Number - 1; n >= 0 && n < len(was.Phases) {
			set.Phases = append(set.Phases, was.Phases[n])
		}
	}
	done := len(set.Phases)
	for i, phase := range Phases(p, left, set.Complexity) {
		if phase.Name == numbered(i) {
			phase.Name = numbered(done + i)
		}
		set.Phases = append(set.Phases, phase)
	}
	set.Why = fmt.Sprintf("steps were added to the plan; %d are left", len(left))
	return &set
}

// notOver are the steps of a run that are left, in the order of execution.
func notOver(run *history.Run) []history.Outline {
	var left []history.Outline
	for _, s := range run.Steps {
		if !s.Status.Over() {
			left = append(left, s.Outline)
		}
	}
	return left
}

// Switch is the strategy that a run goes on with, or nil if it keeps the one
// that it has: a direct run that turned out to be two levels harder than
// planned, and is not over, becomes an orchestrated one. The checkpoint is left
// to the caller.
func Switch(p *plan.Plan, run *history.Run) *history.StrategySet {
	was := run.Flow.Strategy
	if was == nil || was.Strategy != history.Direct {
		return nil
	}
	n, m := Measured(run)
	if n < was.Complexity+switchAt {
		return nil
	}
	left := notOver(run)
	if len(left) == 0 {
		return nil
	}
	m.Steps = len(left)
	return &history.StrategySet{Strategy: history.Orchestrated, From: history.Direct, Complexity: n,
		Planned: was.Complexity,
		Source:  "measured", Measures: m, Phases: Phases(p, left, n),
		Why: fmt.Sprintf("complexity rose from %d to %d: %s touched, %s, %s; left: %s",
			was.Complexity, n, count(m.Files, "file"), count(m.Minutes, "minute"),
			count(m.Errors, "error"), count(len(left), "step"))}
}

// count is a number of things.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
