package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// look observes: mostly all is well, and now and then something moved, or
// somebody wants something.
func (g *Game) look(s *history.Step, what guard.Observation) {
	switch {
	case what == guard.Requests:
		g.seen.Request = nil
		if g.dice.in(80) {
			g.seen.Request = g.request()
		}
	case what == guard.Done:
		if g.dice.in(4) {
			g.pause("it is not done")
			return
		}
	case what == guard.Workspace:
		if g.dice.in(20) {
			found := g.tree()
			g.foreign(s, &history.Foreign{Tree: found, Adopt: found})
			return
		}
	case g.dice.in(100):
		g.pause("something moved")
		return
	default:
		g.seen.Saw(guard.Tree)
		what = guard.Bindings
		if s != nil {
			g.seen.Of = s.Address
		}
	}
	g.seen.Saw(what)
}

// request is what a person wants of the run from outside.
func (g *Game) request() *ask.Request {
	if g.dice.in(2) {
		return &ask.Request{Kind: ask.Obsolete, Reason: fmt.Sprintf("the world moved at %d", g.seq), By: "somebody"}
	}
	to := pick(g.dice, g.run.Steps...)
	if !question.CanUnwind(g.run, to) {
		return nil
	}
	return &ask.Request{Kind: ask.Rollback, Step: to.Address, Reason: fmt.Sprintf("once more at %d", g.seq), By: "somebody"}
}

// put asks a person, who answers, refuses, or is not there.
func (g *Game) put(q ask.Question) {
	g.seen.Request = nil
	g.seen.Forget(disturbance.PersonAsked...)
	switch {
	case g.dice.in(12):
		g.pause("waiting")
		return
	case g.dice.in(10):
		g.fold(g.decider.Refuse(g.run, "nobody was there")...)
		if q.Kind == ask.External || q.Kind == ask.Conflict {
			g.pause("nobody says what becomes of what others did")
		}
		return
	}
	a := g.choose(q)
	if err := q.Check(a); err != nil {
		g.judge.broken("question %s (%s) does not take its own choice %q: %v", q.ID, q.Kind, a.Choice, err)
		return
	}
	g.judge.answered(g.run, q, a)
	g.fold(g.decider.Settle(g.run, engine.Answer{Answer: a})...)
	if a.Choice == choice.Stop || q.Kind == ask.Obsolete && a.Choice == choice.Replan {
		g.pause("stopped")
	}
}

// begin judges whether a step may begin.
func (g *Game) begin(s *history.Step, start *history.StepStarted) {
	facts := []history.Fact{start}
	if g.dice.in(15) {
		facts = append(facts, &history.AttemptFailed{Class: history.Refused, Reasons: []string{"a precondition does not hold"}})
	}
	g.fold(s.Where(0).Locate(facts...)...)
	g.seen.Forget(disturbance.StrangersRan...)
}

// attempt has an executor work.
func (g *Game) attempt(s *history.Step, method string) {
	n := s.Tried() + 1
	at := s.Where(n)
	g.fold(at.Locate(&history.AttemptStarted{Method: method})...)
	g.judge.attempted(s)
	g.seen.Forget(disturbance.Attempted...)
	if g.dice.in(25) {
		g.crash()
		return
	}
	said := &history.AttemptEnded{Tokens: int64(g.dice.IntN(300)), Stateful: g.dice.in(20), Took: time.Minute}
	g.fold(at.Locate(append([]history.Fact{said}, g.Work(s, n)...)...)...)
	if g.dice.in(2) {
		g.fold(at.Locate(&history.StepCompleted{Snapshot: g.tree(), Method: method})...)
		g.seen.Saw(guard.Tree)
		return
	}
	f := &history.AttemptFailed{Class: g.class(), Reasons: []string{"it did not work"}}
	g.fold(at.Locate(f, &history.RestoreBegun{To: g.run.Tree, Discarded: g.tree()})...)
}

// class is what an attempt failed of.
func (g *Game) class() history.Class {
	all := slices.DeleteFunc(recovery.Classes(), func(c recovery.Class) bool {
		return c.Class == history.OverBudget || c.Class == history.NotServed
	})
	c := all[g.dice.IntN(len(all))].Class
	if c == history.Refused {
		return history.Crashed
	}
	return c
}

// restore undoes what an attempt did, in the workspace and outside of it.
func (g *Game) restore(s *history.Step, attempt int) {
	if s == nil {
		g.fold(history.Where{}.Locate(&history.Restored{Tree: g.run.Restoring.To.Tree})...)
		return
	}
	a := s.Last()
	if s.Rollback == plan.Compensatable && a != nil && a.Compensated == nil && attempt > 0 {
		exit := 0
		if g.dice.in(8) {
			exit = 1
		}
		g.fold(s.Where(attempt).Locate(&history.Compensated{Run: "true", Exit: exit})...)
	}
	g.fold(s.Where(attempt).Locate(&history.Restored{Tree: g.run.Restoring.To.Tree})...)
}

// rewind sets the run back.
func (g *Game) rewind(to *history.Step, by string) {
	_, snap, _ := g.run.SetBack(to)
	g.fold(to.Where(0).Locate(&history.RolledBack{To: to.Address, Snapshot: snap, By: by},
		&history.RestoreBegun{To: snap, Discarded: g.tree()})...)
}

// consult has an advisor speak, who may have nothing to say, or a patch.
func (g *Game) consult(s *history.Step, kind, point, rung string) {
	said := &history.Advised{Kind: kind, Point: point, Rung: rung, Attempt: s.Tried()}
	facts := []history.Fact{said}
	switch {
	case g.dice.in(4):
		said.Error, said.Nothing = "nothing", true
	case g.dice.in(2):
		said.Confidence, said.Patch = g.dice.Float64(), fmt.Sprintf("patch_%d", len(s.Patches)+1)
		facts = append(facts, &history.Patched{ID: said.Patch, Kind: kind, Point: point, Base: recovery.Primary,
			Confidence: said.Confidence, Refused: g.dice.in(5), Why: []string{"it would widen"},
			Method: history.PatchedMethod{Run: "true --other"}})
	}
	g.fold(s.Where(s.Tried()).Locate(facts...)...)
	g.seen.Forget(disturbance.StrangersRan...)
}

// review has the reviewers decide.
func (g *Game) review(s *history.Step) {
	a := &history.Approval{Task: s.Task, Status: pick(g.dice, history.Approved, history.Approved,
		history.ApprovedRetry, history.Rejected, history.FailedRetry),
		Reasons: []string{"because"}}
	if last := g.run.Task(s.Task).Approval(); last != nil {
		a.Retry = last.Retry + 1
	}
	if a.Status == history.FailedRetry || a.Retry > recovery.Reflections {
		a.Status, a.Terminal = history.FailedRetry, "no more"
	}
	if a.Status == history.ApprovedRetry {
		a.Status = history.Approved // there is no patch
	}
	g.fold(history.Where{}.Locate(a)...)
	g.seen.Forget(disturbance.StrangersRan...)
}

// repair decides what is done about missing evidence.
func (g *Game) repair(task string) {
	seen := g.run.Task(task).Evidence()
	next := &history.EvidenceRetry{Task: task, Retry: seen.Retry + 1}
	switch {
	case g.dice.in(3):
		next.Terminal = "nothing helps"
	case g.dice.in(2):
		next.Action, next.After = "requery", time.Minute
	default:
		if to := g.again(task); to != nil {
			next.Action, next.Step = "regenerate", to.Address
			_, snap, _ := g.run.SetBack(to)
			g.fold(append(history.Where{}.Locate(next), to.Where(0).Locate(
				&history.RolledBack{To: to.Address, Snapshot: snap, By: history.ByEvidenceRetry})...)...)
			return
		}
		next.Terminal = "it cannot be carried out again"
	}
	g.fold(history.Where{}.Locate(next)...)
}

// again is the completed step of a task that can be carried out again, or nil.
func (g *Game) again(task string) *history.Step {
	for _, s := range g.run.Steps {
		if s.Task == task && s.Status == history.Completed && question.CanUnwind(g.run, s) {
			return s
		}
	}
	return nil
}
