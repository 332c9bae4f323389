package engine

import (
	"slices"
	"strings"

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
	if by := accepted(c.Run); by != "" && (c.Step.Status != history.InFlight || c.Step.WithinTree()) {
		return one(Record{Facts: c.Step.Where(0).Locate(keep(c, by, "what changed was accepted as what the run is bound to")...)})
	}
	return one(Record{Facts: c.Step.Where(c.Step.Tried()).Locate(&history.Asked{Question: question.Foreign(c)})})
}

// settled is what follows from an answer to that.
//
// Where the step met what somebody else did, or is under way, and theirs is
// kept, the step has not happened: it runs again on theirs.
func settled(c *guard.Case, q ask.Question, a Answer) []history.Located {
	s := c.Step
	facts := s.Where(q.Attempt).Locate(&history.Answered{Answer: a.Answer}, question.Addendum(c, q, a.Answer))
	more := func(of ...history.Fact) { facts = append(facts, s.Where(0).Locate(of...)...) }
	switch a.Choice {
	case choice.Theirs:
		more(keep(c, a.By, answered(q, a.Answer))...)
	case choice.Ours:
		more(&history.Settled{Tree: c.Run.Tree, By: a.By})
	}
	return facts
}

// keep is what follows where what somebody else did is part of the tree from now
// on.
func keep(c *guard.Case, by, reason string) []history.Fact {
	f, s := c.Run.Foreign, c.Step
	facts := []history.Fact{&history.Settled{Tree: f.Adopt, By: by}}
	if f.Met || s.Status == history.InFlight {
		facts = append(facts, &history.RolledBack{To: s.Address, Snapshot: f.Adopt, By: by, Reason: reason,
			Alone: len(c.Run.Groups) > 0})
	}
	return append(facts, &history.RestoreBegun{To: f.Adopt})
}

// accepted is who let the run go on although files moved that it is bound to, where
// these are all that somebody else changed; "": there is more to ask about.
func accepted(run *history.Run) (by string) {
	if run.Foreign.Met || len(run.Foreign.Changes) == 0 {
		return ""
	}
	for _, change := range run.Foreign.Changes {
		_, name, _ := strings.Cut(change, " ")
		moved := func(text string) bool { return strings.HasPrefix(text, "context "+name+" ") }
		at := slices.IndexFunc(run.Moves, func(m history.MovesAccepted) bool { return slices.ContainsFunc(m.Moved, moved) })
		if at < 0 {
			return ""
		}
		by = run.Moves[at].By
	}
	return by
}

// aboutForeign reports whether a question is about what somebody else did.
func aboutForeign(q ask.Question) bool { return q.Kind == ask.External || q.Kind == ask.Conflict }
