package guards

import (
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

// stage asks what becomes of the speclets that need one whose critical step
// failed: try that step once more, go on without them, or stop. It asks as soon
// as the step has failed, once: not where somebody who was asked about the step
// said it already. Nobody is asked under the strategy direct, in
// silent mode, or where nobody is there; then those that need it are blocked
// and all others go on.
func stage(c *guard.Case) guard.Verdict {
	set := c.Run.Flow.Strategy
	if len(c.Plan.Speclets) == 0 || set == nil || set.Strategy != history.Orchestrated || !c.Run.Roles.Escalator ||
		c.Run.Mode == plan.Silent || lane.Current(c.Run) != nil || c.Busy() {
		return guard.Pass()
	}
	for _, failed := range c.Run.NotCompleted() {
		if failed.Status != history.Failed || !failed.Critical || failed.Failed.Halts ||
			failed.ChosenLast(choice.Block) {
			continue
		}
		id := c.Speclet(failed.Task)
		if id == "" {
			continue
		}
		waiting := flow.Dependents(c.Plan, c.Run, id)
		next := firstPending(c, waiting)
		if next == nil {
			continue
		}
		if q := question.Stage(c.About(next), failed, id, waiting); !askedStage(c.Run, q.What) {
			return guard.Hold(q)
		}
	}
	return guard.Pass()
}

// firstPending is the first step of speclets that has not begun, or nil.
func firstPending(c *guard.Case, speclets []string) *history.Step {
	for _, s := range c.Run.Steps {
		if s.Status == history.Pending && slices.Contains(speclets, c.Speclet(s.Task)) {
			return s
		}
	}
	return nil
}

// askedStage reports whether the question has been put since the run was last
// set back to before it.
func askedStage(run *history.Run, what string) bool {
	for _, s := range run.Steps {
		for _, x := range s.Questions {
			if x.Question.Kind == ask.Stage && x.Question.What == what {
				return true
			}
		}
	}
	return false
}

// stageSettled reports whether somebody decided to go on without what needs a
// step that failed, or that is blocked by one that did.
func stageSettled(run *history.Run, by *history.Step) bool {
	for by.Blocked != nil && by.Blocked.By != by.Address {
		by = run.Step(by.Blocked.By)
	}
	return by.ChosenLast(choice.Block) || slices.ContainsFunc(run.Steps, func(s *history.Step) bool {
		return slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return question.AboutStage(x.Question, by) && x.Answer != nil && x.Answer.Choice == choice.GoOn
		})
	})
}
