package exec

import (
	"cmp"
	"context"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/modes"
	"github.com/planlock/planlock/plan"
)

// Who chose the mode of a run, as it stands in the journal.
const (
	byHost    = "host"    // a field of the controller, or a flag
	byPlan    = "plan"    // default_mode
	byDefault = "default" // nobody
)

// criticalFailure is why dynamic mode ends when all methods of a critical step have failed.
const criticalFailure = "critical failure"

// mode is who is asked at first, and who chose that.
func (e *execution) mode() (plan.Mode, string) {
	switch {
	case e.c.Mode != "" && e.c.ModeBy != "":
		return e.c.Mode, e.c.ModeBy
	case e.c.Mode != "":
		return e.c.Mode, byHost
	case e.plan.Execution.DefaultMode != "":
		return e.plan.Execution.DefaultMode, byPlan
	}
	return plan.Dynamic, byDefault
}

// triggers are the thresholds of dynamic mode: the plan's, else the controller's, else the preset's, else the defaults.
func (e *execution) triggers() modes.Triggers {
	return modes.For(e.plan, cmp.Or(e.c.Triggers, e.c.chosenPreset().Triggers))
}

// escalateMode switches dynamic mode to collaborative, and asks about the step that is about to fail, when failures pile up.
// What is measured stands in the journal and in the question.
func (e *execution) escalateMode(ctx context.Context, s *history.Step, f *history.AttemptFailed) (asked bool, err error) {
	switched := e.measured(s)
	if switched == nil {
		return false, nil
	}
	q := e.failureQuestion(s, f, "dynamic mode asks: "+switched.Cause)
	q.Kind = ask.Threshold
	q.Evidence = append(measurements(switched), q.Evidence...)
	return true, e.switchAndAsk(ctx, s, switched, q)
}

// escalateBefore does the same before a step begins, about the steps that are over.
func (e *execution) escalateBefore(ctx context.Context, s *history.Step) (asked bool, err error) {
	switched := e.measured(nil)
	if switched == nil {
		return false, nil
	}
	q := e.question(s, ask.Threshold, "before step "+title(s), "dynamic mode asks: "+switched.Cause, measurements(switched),
		ask.Choice{Key: goOn, Label: "go on in collaborative mode", Consequence: "somebody is asked about every failure from now on"},
		choiceDynamic())
	if to := e.setBackTo(s, nil); to != nil {
		q.Target = to.Address
		q.Choices = append(q.Choices, choiceBack(to))
	}
	q.Choices = append(q.Choices, choiceSkip(s), choiceStop(), choiceGiveUp(s))
	return true, e.switchAndAsk(ctx, s, switched, q)
}

// askAboutFailure asks about a step for which nothing is left to try. A critical one ends dynamic mode: the source of its trouble
// concerns what follows, too.
func (e *execution) askAboutFailure(ctx context.Context, s *history.Step, q ask.Question) error {
	if e.run.Mode != plan.Dynamic || !s.Critical || s.Refusal != nil || s.Last() == nil {
		return e.ask(ctx, s, q)
	}
	switched := e.measured(s)
	if switched == nil {
		switched = &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Recommendation: suggestion(s.Last().Failure, e.hears(s)), Consecutive: e.run.Consecutive + 1}
	}
	switched.Cause = criticalFailure
	switched.Triggers = append([]string{criticalFailure}, switched.Triggers...)
	if len(switched.Methods) == 0 {
		rows := modes.Observe(e.run, s)
		switched.Methods = rows[len(rows)-1].Methods
	}
	q.Evidence = append(q.Evidence, switched.Measurements...)
	return e.switchAndAsk(ctx, s, switched, q)
}

// blocks reports whether a failure of a step stops the run without a question.
func blocks(step *plan.Step) bool { return step.OnFailure == plan.Block }

// measured is the switch that the steps so far call for, or nil. failing counts as failed.
func (e *execution) measured(failing *history.Step) *history.ModeSwitched {
	if e.run.Mode != plan.Dynamic {
		return nil
	}
	triggers := e.triggers()
	if failing == nil && triggers.Quiet(e.run) {
		return nil
	}
	all := triggers.MeasureRun(e.run, failing)
	fired := modes.Fired(all)
	if len(fired) == 0 {
		return nil
	}
	switched := &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: string(fired[0].Trigger),
		Recommendation: fired[0].Recommendation, Consecutive: e.run.Consecutive}
	if failing != nil {
		switched.Consecutive++
	}
	for _, m := range fired {
		if !slices.Contains(switched.Triggers, string(m.Trigger)) {
			switched.Triggers = append(switched.Triggers, string(m.Trigger))
		}
		for _, method := range m.Methods {
			if !slices.Contains(switched.Methods, method) {
				switched.Methods = append(switched.Methods, method)
			}
		}
	}
	for _, m := range all {
		switched.Measurements = append(switched.Measurements, m.String())
	}
	return switched
}

// measurements are what a question says about a switch.
func measurements(m *history.ModeSwitched) []string {
	lines := slices.Clone(m.Measurements)
	for _, method := range m.Methods {
		lines = append(lines, "tried: "+method)
	}
	return append(lines, "recommendation: "+m.Recommendation)
}

// switchAndAsk records a switch and the question about it as one.
func (e *execution) switchAndAsk(ctx context.Context, s *history.Step, switched *history.ModeSwitched, q ask.Question) error {
	if err := e.record(ctx, of(s, s.Tried()), switched, &history.Asked{Question: q}); err != nil {
		return err
	}
	e.tellSwitches(s, switched)
	return e.askAgain(ctx, s)
}

// tellSwitches tells of those of recorded facts that switch the mode. s is nil where no step is concerned.
func (e *execution) tellSwitches(s *history.Step, facts ...history.Fact) {
	for _, f := range facts {
		if switched, ok := f.(*history.ModeSwitched); ok {
			e.notify(e.c.Observer.ModeSwitched, Event{History: s, Text: switched.String()})
		}
	}
}
