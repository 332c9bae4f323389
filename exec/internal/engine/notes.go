package engine

import (
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/question"
)

// notes are what follows from the history and was not said yet: the strategy,
// tasks and phases that ended, and that the work turned out to be harder.
func notes(c *guard.Case) []Wanted {
	p, run := c.Plan, c.Run
	if run.Flow.Strategy == nil {
		return strategy(c, flow.Choose(p, run.Started.Steps, run.Policy.Strategy))
	}
	if over := flow.Tasks(p, run, false); len(over) > 0 {
		return one(Record{Facts: history.Where{}.Locate(over[0])})
	}
	if set := flow.Rephase(p, run); set != nil {
		return strategy(c, set)
	}
	if over := flow.PhaseOver(run); over != nil {
		over.Checkpoint = run.Tree
		return one(Record{Facts: history.Where{}.Locate(over)})
	}
	if set := flow.Switch(p, run); set != nil && !c.Busy() {
		return strategy(c, set)
	}
	return nil
}

// strategy is how the run is carried out from here on, with the tree that this
// begins with.
func strategy(c *guard.Case, set *history.StrategySet) []Wanted {
	set.Checkpoint = c.Run.Tree
	return one(Record{Facts: history.Where{}.Locate(set)})
}

// lessons note what steps of education mode taught, once they are over.
func lessons(c *guard.Case) []Wanted {
	if c.Run.Asked == 0 {
		return nil
	}
	for _, s := range c.Run.Steps {
		if l := question.Lesson(s); l != nil {
			return noted(c.About(s), l)
		}
	}
	return nil
}

// ending is what remains where no step is left: what somebody wants to follow on
// a phase that is complete in part, the last words about tasks of which something
// will never run, and the end.
func ending(c *guard.Case) []Wanted {
	if q, ok := question.Chain(c); ok {
		return one(Record{Facts: c.Run.Step(q.Step).Where(q.Attempt).Locate(&history.Asked{Question: q})})
	}
	if over := flow.Tasks(c.Plan, c.Run, true); len(over) > 0 {
		return one(Record{Facts: history.Where{}.Locate(over[0])})
	}
	return one(End{})
}
