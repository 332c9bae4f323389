package engine

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/internal/remedy"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// criticalFailure is why dynamic mode ends when all methods of a critical step
// have failed.
const criticalFailure = "critical failure"

// climb lets the ladder decide what follows a failure.
func (d *Decider) climb(c *guard.Case, f *history.AttemptFailed) []Wanted {
	s := c.Step
	_, step := c.Place()
	if a := s.Last(); a != nil && a.Compensated != nil && !a.Compensated.Done() {
		return asked(c, question.Failure(c, f, "its compensation failed, so what it did outside the workspace may still be there"))
	}
	next := d.Ladder.Next(recovery.Situation{Step: step, History: s, Failure: f, Mode: c.Mode(), Run: c.Run,
		Stateful: c.LeftBehind(s)})
	switch {
	case next.Advise != "":
		return about(c, Consult{Failure: f, Kind: next.Advise, Point: next.Point, Rung: next.Rung, Why: next.Why})
	case next.Method != "":
		return noted(c, &history.Recovery{Rung: next.Rung, Method: next.Method,
			Why: next.Why, Repeats: s.Rungs(next.Rung) + 1, After: next.After, Passed: next.Passed})
	case next.Ask:
		q := question.Failure(c, f, next.Why)
		for _, p := range next.Passed {
			q.Evidence = append(q.Evidence, fmt.Sprintf("not tried: %s: %s", p.Rung, p.Why))
		}
		return askAboutFailure(c, q)
	}
	if step.OnFailure != plan.Block {
		if switched := guards.Measured(c, s); switched != nil {
			q := question.Failure(c, f, "dynamic mode asks: "+switched.Causes())
			q.Kind = ask.Threshold
			q.Evidence = append(question.Measurements(switched), q.Evidence...)
			return asked(c, q, switched)
		}
	}
	return one(Record{Facts: s.Where(0).Locate(
		&history.StepFailed{Class: f.Class, Reasons: f.Reasons, Halts: halts(c), Passed: next.Passed})})
}

// asked puts a question about the step, with what is recorded before it.
func asked(c *guard.Case, q ask.Question, before ...history.Fact) []Wanted {
	return noted(c, append(before, &history.Asked{Question: q})...)
}

// askAboutFailure asks about a step for which nothing is left to try. A
// critical one ends dynamic mode: the source of its trouble concerns what
// follows, too.
func askAboutFailure(c *guard.Case, q ask.Question) []Wanted {
	s := c.Step
	if c.Run.Mode != plan.Dynamic || !s.Critical || s.Refusal != nil || s.Last() == nil {
		return asked(c, q)
	}
	switched := guards.Measured(c, s)
	if switched == nil {
		f := s.Last().Failure
		switched = &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative,
			Recommendation: remedy.Against(f.Class, f.Cause, c.Run.Started.Format).Now(c.Hears()),
			Consecutive:    c.Run.Consecutive + 1}
	}
	switched.Cause = criticalFailure
	switched.Triggers = append([]string{criticalFailure}, switched.Triggers...)
	if len(switched.Methods) == 0 {
		rows := modes.Observe(c.Run, s)
		switched.Methods = rows[len(rows)-1].Methods
	}
	q.Evidence = append(q.Evidence, switched.Measurements...)
	return asked(c, q, switched)
}

// halts reports whether the failure of the step ends the run: where the plan
// says to block, or to ask and nobody decided, where the step cannot be undone,
// and for a critical step where the plan's strategy is to halt.
func halts(c *guard.Case) bool {
	_, step := c.Place()
	switch {
	case step.OnFailure == plan.Block, step.OnFailure == plan.Ask, step.Rollback == plan.Irreversible:
		return true
	}
	return class(c.Step) == history.Nondeterministic || c.Step.Critical && c.Propagation() == plan.HaltOnCritical
}

// class is what a step failed of.
func class(s *history.Step) history.Class {
	if f := failure(s); f != nil {
		return f.Class
	}
	return history.Refused
}

// failure is why a step may not begin, or why its latest attempt failed; nil if
// neither.
func failure(s *history.Step) *history.AttemptFailed {
	if s.Refusal != nil {
		return s.Refusal
	}
	if a := s.Last(); a != nil {
		return a.Failure
	}
	return nil
}
