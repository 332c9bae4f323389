package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// settle makes an answer part of the record, with all that follows from it at once. What follows later, the loop
// reads from the history.
func (e *execution) settle(ctx context.Context, s *history.Step, q ask.Question, a ask.Answer) error {
	if q.Kind == ask.Stage && a.Choice == again {
		return e.tryStageAgain(ctx, s, q, a)
	}
	facts := []history.Fact{&history.Answered{Answer: a}, e.addendum(s, q, a)}
	facts = append(facts, e.remembered(q, a)...)
	facts = append(facts, e.follows(s, q, a)...)
	if err := e.record(ctx, of(s, q.Attempt), facts...); err != nil {
		return err
	}
	e.keepRemembered(ctx)
	e.notify(e.c.Observer.Answered, Event{History: s, Question: &q, Answer: &a})
	e.tellSwitches(s, facts...)
	switch {
	case a.Choice == stop:
		return e.pause(ctx, "stopped", fmt.Errorf("%w: stopped at step %s by %s", ErrWaiting, s.Address, a.By))
	case q.Kind == ask.Obsolete && a.Choice == replan && e.asksOf(q):
		return e.pause(ctx, "the plan no longer holds", fmt.Errorf("%w: the plan no longer holds, says %s: lock and run another one, or amend it", ErrWaiting, a.By))
	case s.Status.Over():
		e.notify(e.c.Observer.StepDone, Event{History: s, Err: failure(s)})
	}
	return nil
}

// follows are the facts that a choice stands for.
func (e *execution) follows(s *history.Step, q ask.Question, a ask.Answer) []history.Fact {
	switch q.Kind {
	case ask.Education:
		if _, ends := map[string]bool{giveUp: true, skip: true}[a.Choice]; !ends {
			return nil // what was chosen is read when the step begins
		}
	case ask.Obsolete:
		return e.followsObsolete(s, a)
	case ask.Dependency:
		if a.Choice == block {
			return []history.Fact{e.blockedBy(s, e.blocker(s))}
		}
	case ask.Threshold:
		if a.Choice == dynamic {
			return []history.Fact{&history.ModeSwitched{From: e.run.Mode, To: plan.Dynamic, Cause: "asked for by " + a.By}}
		}
	}
	switch a.Choice {
	case again, propose:
		return []history.Fact{e.repeat(s, recovery.AskRung, "asked for by "+a.By)}
	case accept:
		return []history.Fact{e.repeat(s, acceptRung, "what it did was accepted by "+a.By)}
	case skip:
		return []history.Fact{&history.StepSkipped{Why: strings.TrimSuffix("answer to "+q.ID+": "+a.Reason, ": "), By: a.By}}
	case settled:
		return []history.Fact{&history.StepSkipped{Why: strings.TrimSuffix("settled in answer to "+q.ID+": "+a.Reason, ": "), By: a.By, Done: true}}
	case giveUp:
		return []history.Fact{&history.StepFailed{Class: e.class(s), Reasons: e.reasons(s, q), Halts: true}}
	}
	return nil
}

// repeat has the latest method of a step tried once more.
func (e *execution) repeat(s *history.Step, rung, why string) *history.Recovery {
	method := recovery.Primary
	if last := s.Last(); last != nil {
		method = last.Method.Method
	}
	return &history.Recovery{Rung: rung, Method: method, Why: why, Repeats: s.Rungs(rung) + 1}
}

// addendum makes an answer part of the plan's record, chained to what is there.
func (e *execution) addendum(s *history.Step, q ask.Question, a ask.Answer) *history.Addendum {
	add := history.Addendum{Step: s.Address, Question: q.ID, Kind: q.Kind, Choice: a.Choice,
		Acknowledged: a.Acknowledged, Reason: a.Reason, By: a.By}
	if a.Choice == accept {
		if grant, _ := e.acceptable(s, s.Last().Failure); grant != nil {
			add.Artifacts, add.MaxFiles, add.MaxLines, add.Modules = grant.Artifacts, grant.MaxFiles, grant.MaxLines, grant.Modules
		}
	}
	add = add.Seal(len(e.run.Addenda)+1, e.run.RecordDigest())
	return &add
}
