package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// An Answer is an answer to the open question, with the id under which it is
// remembered where that is wanted.
type Answer struct {
	ask.Answer
	Memory string
}

// settle makes an answer part of the record, with all that follows from it at
// once.
func settle(c *guard.Case, a Answer) []history.Located {
	q := *lane.Pending(c.Run)
	c = c.About(c.Run.Step(q.Step))
	if aboutForeign(q) {
		return settled(c, q, a)
	}
	at := c.Step.Where(q.Attempt)
	facts := []history.Fact{&history.Answered{Answer: a.Answer}, question.Addendum(c, q, a.Answer)}
	if q.Kind == ask.Stage && a.Choice == choice.Again {
		return append(at.Locate(facts...), stageAgain(c.Run, q, a.Answer)...)
	}
	if q.Kind == ask.Chain {
		if a.Choice == choice.Continue { // what is completed stays
			facts = append(facts, &history.RolledBack{To: q.Target, Snapshot: c.Run.Tree, By: a.By,
				Reason: answered(q, a.Answer), Alone: true})
		}
		return at.Locate(facts...)
	}
	if a.Remember != "" {
		facts = append(facts, remembered(q, a))
	}
	return at.Locate(append(facts, follows(c, q, a.Answer)...)...)
}

// stageAgain sets the run back to before the step because of which a question
// about a stage was asked. The tree is already the one before it: nothing has
// run since.
func stageAgain(run *history.Run, q ask.Question, a ask.Answer) []history.Located {
	for _, failed := range run.Steps {
		if failed.Status == history.Failed && question.AboutStage(q, failed) {
			return failed.Where(0).Locate(
				&history.RolledBack{To: failed.Address, Snapshot: run.Tree, By: a.By, Reason: answered(q, a),
					Alone: len(run.Groups) > 0})
		}
	}
	return nil
}

// remembered is the fact about a choice that is to be remembered: that it is,
// or why not.
func remembered(q ask.Question, a Answer) *history.Remembered {
	fact := &history.Remembered{Question: q.ID, Kind: q.Kind, Choice: a.Choice, Reason: a.Reason, By: a.By, At: a.At}
	if a.Remember == ask.ForStep {
		fact.Step = q.Step
	}
	if err := q.ToRemember(a.Answer); err != nil {
		fact.Why = err.Error()
	} else {
		fact.ID = a.Memory
	}
	return fact
}

// follows are the facts that a choice stands for.
func follows(c *guard.Case, q ask.Question, a ask.Answer) []history.Fact {
	s := c.Step
	switch q.Kind {
	case ask.Overlap:
		return nil // what was chosen is read when it is the step's turn
	case ask.Education, ask.Confirmation:
		if a.Choice != choice.GiveUp && a.Choice != choice.Skip {
			return nil // what was chosen is read when the step begins
		}
	case ask.Obsolete:
		if a.Choice != choice.GiveUp {
			return nil
		}
		return []history.Fact{&history.StepFailed{Class: history.Refused, Halts: true,
			Reasons: []string{"the plan no longer holds: the run was aborted by " + a.By}}}
	case ask.Dependency:
		if by := c.Blocker(); a.Choice == choice.Block && by != nil {
			return []history.Fact{question.BlockedBy(s, by)}
		}
	case ask.Threshold:
		if a.Choice == choice.Dynamic {
			return []history.Fact{&history.ModeSwitched{From: c.Run.Mode, To: plan.Dynamic,
				Cause: "asked for by " + a.By}}
		}
	}
	switch happened := q.Kind != ask.Checkpoint; a.Choice {
	case choice.Again, choice.Propose:
		return []history.Fact{repeat(s, recovery.AskRung, "asked for by "+a.By)}
	case choice.Accept:
		return []history.Fact{repeat(s, recovery.AcceptRung, "what it did was accepted by "+a.By)}
	case choice.Revert:
		return []history.Fact{repeat(s, recovery.RevertRung,
			"what it did beyond its declaration was reverted by "+a.By)}
	case choice.Skip:
		return []history.Fact{&history.StepSkipped{Why: answered(q, a),
			By: a.By}}
	case choice.Settled:
		if happened {
			return []history.Fact{repeat(s, recovery.AcceptRung, "it did happen, says "+a.By)}
		}
		return []history.Fact{&history.StepSkipped{Why: strings.TrimSuffix("settled in answer to "+q.ID+": "+a.Reason, ": "), By: a.By, Done: true}}
	case choice.GiveUp, choice.Block:
		return []history.Fact{&history.StepFailed{Class: class(s), Reasons: reasons(s, q),
			Halts: a.Choice == choice.GiveUp}}
	}
	return nil
}

// repeat has the latest method of a step tried once more.
func repeat(s *history.Step, rung, why string) *history.Recovery {
	method := recovery.Primary
	if last := s.Last(); last != nil {
		method = last.Method.Method
	}
	return &history.Recovery{Rung: rung, Method: method, Why: why, Repeats: s.Rungs(rung) + 1}
}

// refuse is what becomes of a question that nobody answers.
func refuse(c *guard.Case, why string) []history.Located {
	q := *lane.Pending(c.Run)
	c = c.About(c.Run.Step(q.Step))
	at, said := c.Step.Where(q.Attempt), bound.Text(why, bound.Line)
	final := &history.Unanswered{Question: q.ID, Why: said, Final: true}
	switch {
	case q.Kind == ask.Stage, aboutForeign(q):
		return at.Locate(final) // what needs the speclet is blocked when its turn comes; nothing of others is touched
	case q.Kind == ask.Overlap, q.Kind == ask.Rollback, q.Kind == ask.Chain:
		return at.Locate(final) // they run one after another; nothing is undone; the run ends as it is
	}
	if by := c.Blocker(); q.Kind == ask.Dependency && by != nil {
		// blocked, and no failure of its own
		return c.Step.Where(0).Locate(final, question.BlockedBy(c.Step, by))
	}
	if c.Step.Status == history.Pending {
		return c.Step.Where(0).Locate(final, question.NotBegun(c.Step, q, said)) // what nobody ran has not failed
	}
	return at.Locate(final, undecided(c, q, said))
}

// undecided is what becomes of a step that failed and about which nobody decided
// otherwise.
func undecided(c *guard.Case, q ask.Question, why string) *history.StepFailed {
	return &history.StepFailed{Class: class(c.Step), Halts: halts(c),
		Reasons: slices.Concat(reasons(c.Step, q), []string{fmt.Sprintf("nobody decided otherwise: %s", why)})}
}

// reasons are why a step failed.
func reasons(s *history.Step, q ask.Question) []string {
	if f := failure(s); f != nil {
		return f.Reasons
	}
	return []string{q.Why}
}
