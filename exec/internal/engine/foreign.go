package engine

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/question"
)

// delivers reports whether accepted work is to be brought into the workspace.
// That goes before all else, also where the run is to stop: it was accepted. Of
// a group it waits until nothing is left to be joined.
func delivers(run *history.Run) bool {
	_, ok := run.Undelivered()
	return ok
}

// foreign asks what becomes of what somebody else did in the workspace.
func foreign(c *guard.Case) []Wanted {
	if q := lane.Pending(c.Run); q != nil {
		return about(c, Put{Question: *q})
	}
	return one(Record{Facts: c.Step.Where(c.Step.Tried()).Locate(&history.Asked{Question: question.Foreign(c)})})
}

// settled is what follows from an answer to that.
//
// Where the step met what somebody else did, or is under way, and theirs is
// kept, the step has not happened: it runs again on theirs.
func settled(c *guard.Case, q ask.Question, a Answer) []history.Located {
	f, s := c.Run.Foreign, c.Step
	facts := s.Where(q.Attempt).Locate(&history.Answered{Answer: a.Answer}, question.Addendum(c, q, a.Answer))
	more := func(of ...history.Fact) { facts = append(facts, s.Where(0).Locate(of...)...) }
	switch a.Choice {
	case choice.Theirs:
		more(&history.Settled{Tree: f.Adopt, By: a.By})
		if f.Met || s.Status == history.InFlight {
			more(&history.RolledBack{To: s.Address, Snapshot: f.Adopt, By: a.By, Reason: answered(q, a.Answer),
				Alone: len(c.Run.Groups) > 0})
		}
		more(&history.RestoreBegun{To: f.Adopt})
	case choice.Ours:
		more(&history.Settled{Tree: c.Run.Tree, By: a.By})
	}
	return facts
}

// aboutForeign reports whether a question is about what somebody else did.
func aboutForeign(q ask.Question) bool { return q.Kind == ask.External || q.Kind == ask.Conflict }
