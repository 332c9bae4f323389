package guards

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// threshold switches dynamic mode to collaborative, and asks before a step
// begins, when failures pile up among the steps that are over. What is measured
// stands in the journal and in the question.
func threshold(c *guard.Case) guard.Verdict {
	switched := Measured(c, nil)
	if switched == nil {
		return guard.Pass()
	}
	return guard.Hold(question.Threshold(c, switched), switched)
}

// Measured is the switch of mode that the steps so far call for, or nil.
// failing counts as failed.
func Measured(c *guard.Case, failing *history.Step) *history.ModeSwitched {
	if c.Run.Mode != plan.Dynamic {
		return nil
	}
	triggers := modes.For(c.Plan, modes.Triggers(c.Run.Policy.Triggers))
	if failing == nil && triggers.Quiet(c.Run) {
		return nil
	}
	all := triggers.MeasureRun(c.Run, failing)
	fired := modes.Fired(all)
	if len(fired) == 0 {
		return nil
	}
	switched := &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: string(fired[0].Trigger),
		Recommendation: fired[0].Recommendation, Consecutive: c.Run.Consecutive}
	if failing != nil {
		switched.Consecutive++
	}
	for _, m := range fired {
		if !slices.Contains(switched.Triggers, string(m.Trigger)) {
			switched.Triggers = append(switched.Triggers, string(m.Trigger))
		}
		for _, tried := range m.Methods {
			if !slices.Contains(switched.Methods, tried) {
				switched.Methods = append(switched.Methods, tried)
			}
		}
	}
	for _, m := range all {
		switched.Measurements = append(switched.Measurements, m.String())
	}
	return switched
}
