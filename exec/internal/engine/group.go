package engine

import (
	"iter"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// attempt has a step attempted that is about to be: together with those behind
// it that may run at once with it, once they have begun, else by itself.
//
// A step that may run at once is a member of the group if nothing stands in its
// way but that its turn has not come: a question, a refusal, or a retry waits
// until it has.
func (d *Decider) attempt(c *guard.Case) []Wanted {
	if !together(c) {
		return alone(c)
	}
	g, wanted := d.beside(c, func(about *guard.Case) bool { return true })
	if wanted != nil {
		return wanted
	}
	if len(g.Members) == 1 {
		return alone(c)
	}
	if c.Step.Checkpoint.Checkpoint != c.Run.Tree { // somebody else's changes were adopted since
		return about(c, Begin{Start: anew(c)})
	}
	return one(g)
}

// meanwhile has steps attempted that may run at once with one that waits for whoever
// serves its executor: those whose executor is none that somebody waits for. What
// they do is joined and delivered; nil where none of them can go on.
func (d *Decider) meanwhile(c *guard.Case) []Wanted {
	if !together(c) {
		return nil
	}
	g, wanted := d.beside(c, func(about *guard.Case) bool { return about.Step != c.Step && served(about) })
	switch {
	case wanted != nil:
		return wanted
	case len(g.Members) == 0:
		return nil
	case len(g.Members) == 1:
		return alone(c.About(c.Run.Step(g.Members[0].Step)))
	}
	return one(g)
}

// served reports whether nobody waits for the executor of a step.
func served(c *guard.Case) bool {
	_, step := c.Place()
	return !slices.ContainsFunc(c.Run.UnderWay(), func(s *history.Step) bool {
		_, other := c.About(s).Place()
		return unserved(s) && other.Executor == step.Executor
	})
}

// beside are the step and those behind it that may run at once with it, of those that
// are taken, in the order of the plan; or what they need first.
func (d *Decider) beside(c *guard.Case, takes func(*guard.Case) bool) (g Group, wanted []Wanted) {
	for a := range c.Lanes().Beside(rest(c)) {
		about := c.About(c.Run.Step(a))
		if !takes(about) {
			continue
		}
		if about.Step != c.Step {
			wanted, joins := d.candidate(about)
			if wanted != nil {
				return Group{}, wanted
			}
			if !joins {
				continue
			}
		}
		g.Members = append(g.Members, Member{Step: a, Method: nextMethod(about)})
		if len(g.Members) == c.Run.Policy.Jobs {
			break
		}
	}
	slices.SortFunc(g.Members, func(a, b Member) int { // the step may stand behind one that has not begun
		if c.Run.Step(a.Step).Precedes(c.Run.Step(b.Step)) {
			return -1
		}
		return 1
	})
	return g, nil
}

// toJoin is the step whose work is joined next, nil if none waits. A group is
// joined before anything is delivered, and before anybody is asked: then the
// question of one step costs none of the others its work.
func toJoin(c *guard.Case) *history.Step {
	if s := c.Run.Unjudged(); s != nil && slices.Contains(c.Seen.Back, s.Address) {
		return s
	}
	return nil
}

// onceMore reports whether the step was set aside when its group was joined. It
// is carried out once more, alone and on the tree that has the work of the
// others, before the ladder is climbed: what it failed of may be the others'.
func onceMore(c *guard.Case) bool {
	last := c.Step.Last()
	return last != nil && last.Aside != nil && !c.LeftBehind(c.Step)
}

// rest are the step and, behind it, all others that are not over.
func rest(c *guard.Case) iter.Seq[plan.Address] {
	return func(yield func(plan.Address) bool) {
		if !yield(c.Step.Address) {
			return
		}
		for _, s := range c.Run.Open() {
			if s != c.Step && !s.Status.Over() && !yield(s.Address) {
				return
			}
		}
	}
}

// together reports whether the step may begin a group: never after it met
// another one, nor where the run wants to tell which inputs made which tree.
func together(c *guard.Case) bool {
	run := c.Run
	return run.Policy.Jobs > 1 && run.Started.Layered() && !run.Started.Deterministic && inTurn(c)
}

// inTurn reports whether the next thing to do for a step is an attempt by the
// method that is its turn: its first one, or one that was cut off. A step that
// was set aside is carried out alone from there on.
func inTurn(c *guard.Case) bool {
	s, last := c.Step, c.Step.Last()
	if s.Next != nil || s.Refusal != nil || !s.WithinTree() || writesTestFirst(c) || s.SetAside() != nil {
		return false
	}
	return last == nil || last.Failure != nil && !met(s) && cutOff(c.Run, s, last)
}

// writesTestFirst reports whether the step is carried out phase by phase.
func writesTestFirst(c *guard.Case) bool {
	task, step := c.Place()
	return c.Run.Started.TestFirst && len(flow.CycleOf(c.Plan, task, step, c.Run.Flow.Strategy).Phases) > 0
}

// candidate looks at a step that may join a group. What it needs before is
// wanted first, unless that is a person.
func (d *Decider) candidate(c *guard.Case) (wanted []Wanted, joins bool) {
	s := c.Step
	if !inTurn(c) || s.Waits() || unserved(s) {
		return nil, false
	}
	switch {
	case s.Status == history.Pending && lane.Halted(c.Run):
		return nil, false
	case s.Status == history.Pending:
		for _, g := range d.Guards {
			v := g.Look(c)
			if v.Passes() {
				continue
			}
			if wanted = heard(c, g, v); !ahead(wanted[0].Action) {
				return nil, false
			}
			return wanted, false
		}
		return d.begin(c), false
	case s.At < c.Run.ResumedAt:
		return about(c, Begin{Start: anew(c)}), false
	case s.Checkpoint.Checkpoint != c.Run.Tree:
		return about(c, Begin{Start: anew(c)}), false // others were joined since
	}
	return nil, true
}

// ahead reports whether what a guard wants may be done before it is the step's
// turn: nobody is asked, and the step does not end.
func ahead(a Action) bool {
	switch a := a.(type) {
	case Look, Foresee, Review:
		return true
	case Record:
		return !slices.ContainsFunc(a.Facts, func(l history.Located) bool {
			switch l.Fact.(type) {
			case *history.Budget, *history.Compliance, *history.Approval, *history.Advised:
				return false
			}
			return true
		})
	}
	return false
}

// nextMethod is the one that the step is attempted by: its first, or the one
// that was cut off.
func nextMethod(c *guard.Case) string {
	if last := c.Step.Last(); last != nil {
		return last.Method.Method
	}
	return firstMethod(c)
}

func alone(c *guard.Case) []Wanted { return about(c, Attempt{Method: nextMethod(c)}) }

// met reports whether the latest attempt of a step was dropped because it
// changed what another step of its group did.
func met(s *history.Step) bool {
	last := s.Last()
	return last != nil && last.Failure != nil && last.Failure.Class == history.Met
}

// oneByOne reports whether steps that met are to run one after another: the
// plan says so, somebody did, or nobody is there to be asked.
func oneByOne(c *guard.Case) bool {
	run, g := c.Run, c.Step.Group
	if g == nil || run.Policy.OnConflict == "sequential" || run.Mode == plan.Silent || !run.Roles.Escalator {
		return true
	}
	return slices.ContainsFunc(g.Steps, func(a plan.Address) bool {
		return slices.ContainsFunc(run.Step(a).Questions, func(x history.Exchange) bool {
			again := x.Answer != nil && x.Answer.Choice == choice.Again
			return x.Question.Kind == ask.Overlap && (x.Unanswered != nil || again)
		})
	})
}

// overlap asks what becomes of steps that met.
func overlap(c *guard.Case) []Wanted {
	return noted(c, &history.Asked{Question: question.Overlap(c)})
}
