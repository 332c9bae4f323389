package engine

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/plan"
)

// Decide returns everything that should be under way now. Nothing is wanted of
// a sealed run.
func (d *Decider) Decide(run *history.Run, seen *guard.Seen) []Wanted {
	c := d.about(run, seen)
	joins := toJoin(c)
	switch {
	case run.Sealed != nil:
		return nil
	case run.Restoring != nil && lane.Current(run) == nil:
		return one(Restore{})
	case delivers(run) && joins == nil:
		return one(Deliver{})
	case joins == nil && run.ToCommit():
		return one(Commit{})
	case run.Ended != nil:
		return one(Seal{})
	case run.Abandoned != nil, run.Stopping != nil:
		return stopping(c)
	case run.Flow.HandedOver():
		return one(Pause{Why: HandedOver})
	case run.Foreign != nil:
		return foreign(c.About(run.ForeignStep))
	case joins != nil && run.Restoring == nil:
		return attempted(c.About(joins), Join{})
	}
	for _, next := range []func(*guard.Case) []Wanted{tasksThatAreOver, notes, lessons} {
		if wanted := next(c); wanted != nil {
			return wanted
		}
	}
	next := lane.Next(c.Run)
	if next == nil {
		return ending(c)
	}
	c = c.About(next)
	for _, g := range d.Always {
		if v := g.Look(c); !v.Passes() {
			return heard(c, g, v)
		}
	}
	return d.step(c)
}

// stopping is what a run still needs that is to stop, or that nobody wants any
// more: what is under way is dropped. A step of a run that nobody wants has
// failed where an attempt of it did, and how its tasks ended is said.
func stopping(c *guard.Case) []Wanted {
	run := c.Run
	if s := lane.Current(run); s != nil {
		c = c.About(s)
		switch last := s.Last(); {
		case run.Restoring != nil:
			return attempted(c, Restore{})
		case last != nil && last.Failure == nil && s.Status == history.InFlight:
			return lose(c)
		}
	}
	if run.Abandoned == nil {
		return one(Pause{Why: Stopped})
	}
	if f := lane.Current(run).Fault(); f != nil {
		return noted(c, &history.StepFailed{Class: f.Class, Reasons: slices.Concat(f.Reasons,
			[]string{"nothing more was tried: the run was abandoned " + run.Abandoned.String()})})
	}
	if over := flow.Tasks(c.Plan, run, true); len(over) > 0 {
		return one(Record{Facts: history.Where{}.Locate(over[0])})
	}
	return one(Record{Facts: history.Where{}.Locate(&history.Ended{Status: history.NotAchieved,
		Tree: run.Tree.Tree, Reasons: []string{"the run was abandoned " + run.Abandoned.String()}})})
}

// Settle returns what follows from an answer to the open question at once. What
// follows later is decided from the history.
func (d *Decider) Settle(run *history.Run, answered Answer) []history.Located {
	return settle(d.about(run, &guard.Seen{}), answered)
}

// Refuse returns what follows where nobody answers the open question, or nobody
// counts who does.
func (d *Decider) Refuse(run *history.Run, why string) []history.Located {
	return refuse(d.about(run, &guard.Seen{}), why)
}

// step is what the step that is next needs.
func (d *Decider) step(c *guard.Case) []Wanted {
	s, run := c.Step, c.Run
	last := s.Last()
	to, by, why := setBackWanted(c)
	switch {
	case run.Restoring != nil:
		return attempted(c, Restore{})
	case lane.Pending(run) != nil:
		return about(c, Put{Question: *lane.Pending(run)})
	case to != nil:
		return about(c, Rewind{To: to.Address, By: by, Why: why})
	case s.Status == history.Pending:
		return d.begin(c)
	case last != nil && last.Failure == nil:
		return lose(c)
	case met(s) && !oneByOne(c):
		return overlap(c)
	case s.Refusal != nil && s.Next == nil:
		return d.climb(c, s.Refusal)
	case unserved(s) && !c.Seen.Holds(guard.Due):
		if others := d.meanwhile(c); others != nil {
			return others
		}
		return about(c, Wait{Since: last.Ended, For: last.Failure.Until.Sub(last.Ended), Unserved: last.Failure})
	case (s.At < run.ResumedAt || overtaken(c)) && goesOn(c):
		return about(c, Begin{Start: anew(c)}) // nobody knows what became of its preconditions meanwhile
	case s.Next != nil:
		return tryAgain(c)
	case last == nil:
		return d.attempt(c)
	case cutOff(run, s, last) && s.Rollback != plan.Irreversible:
		return d.attempt(c) // nothing was wrong with the method
	case onceMore(c):
		return alone(c)
	}
	return d.climb(c, last.Failure)
}
