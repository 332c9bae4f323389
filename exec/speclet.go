package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/flow"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// askAboutStage asks what becomes of the speclets that need one whose critical step failed: try that step once more, go on without them,
// or stop. It asks as soon as the step has failed, once, and nobody is asked under the strategy direct, in silent mode, or where nobody
// is there; then those that need it are blocked and all others go on.
func (e *execution) askAboutStage(ctx context.Context) (asked bool, err error) {
	set := e.run.Flow.Strategy
	if len(e.plan.Speclets) == 0 || set == nil || set.Strategy != history.Orchestrated || e.c.Escalator == nil ||
		e.run.Mode == plan.Silent || e.run.Current() != nil || e.busy() {
		return false, nil
	}
	for _, failed := range e.run.NotCompleted() {
		if failed.Status != history.Failed || !failed.Critical || failed.Failed.Halts {
			continue
		}
		id := e.specletOf(failed.Task)
		if id == "" {
			continue
		}
		waiting := flow.Dependents(e.plan, e.run, id)
		next := e.firstPending(waiting)
		what := fmt.Sprintf("speclet %s failed at step %s, and %s", id, title(failed), need(waiting))
		if next == nil || e.askedStage(what) {
			continue
		}
		return true, e.ask(ctx, next, e.question(next, ask.Stage, what, "what needs a speclet runs only when that is complete",
			firstOf(failed.Failed.Reasons, 5), stageChoices(failed, waiting)...))
	}
	return false, nil
}

func need(speclets []string) string {
	if len(speclets) == 1 {
		return speclets[0] + " needs it"
	}
	return strings.Join(speclets, ", ") + " need it"
}

func stageChoices(failed *history.Step, waiting []string) []ask.Choice {
	var choices []ask.Choice
	if failed.Rollback != plan.Irreversible {
		choices = append(choices, ask.Choice{Key: again, Label: fmt.Sprintf("try step %s once more", failed.Address),
			Consequence: "the run is set back to before it: its ladder begins anew, and all that follows runs after it"})
	}
	halt := choiceStop()
	return append(choices,
		ask.Choice{Key: goOn, Label: "go on without " + strings.Join(waiting, ", "), Consequence: "they are blocked, what does not need them runs, and the end is PARTIAL at best"},
		halt,
		ask.Choice{Key: giveUp, Label: "give the run up", Consequence: "the run ends here; what was completed stays"})
}

// specletOf is the speclet that a task belongs to, "" if it belongs to none.
func (e *execution) specletOf(task string) string {
	for _, s := range e.plan.Speclets {
		if slices.Contains(s.Tasks, task) {
			return s.ID
		}
	}
	return ""
}

// firstPending is the first step of speclets that has not begun, or nil.
func (e *execution) firstPending(speclets []string) *history.Step {
	for _, s := range e.run.Steps {
		if s.Status == history.Pending && slices.Contains(speclets, e.specletOf(s.Task)) {
			return s
		}
	}
	return nil
}

// askedStage reports whether the question has been put since the run was last set back to before it.
func (e *execution) askedStage(what string) bool {
	for _, s := range e.run.Steps {
		for _, x := range s.Questions {
			if x.Question.Kind == ask.Stage && x.Question.What == what {
				return true
			}
		}
	}
	return false
}

// stageSettled reports whether somebody decided to go on without what needs a step that failed, or that is blocked by one that did.
func (e *execution) stageSettled(by *history.Step) bool {
	for by.Blocked != nil {
		by = e.run.Step(by.Blocked.By)
	}
	return slices.ContainsFunc(e.run.Steps, func(s *history.Step) bool {
		return slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return x.Question.Kind == ask.Stage && about(x.Question, by) && x.Answer != nil && x.Answer.Choice == goOn
		})
	})
}

// about reports whether a question about a stage was asked because of a step.
func about(q ask.Question, failed *history.Step) bool {
	return strings.Contains(q.What, " at step "+title(failed)+", ")
}

// tryStageAgain sets the run back to before the step because of which a question about a stage was asked. The tree is already the one
// before it: nothing has run since.
func (e *execution) tryStageAgain(ctx context.Context, asked *history.Step, q ask.Question, a ask.Answer) error {
	for _, failed := range e.run.Steps {
		if failed.Status != history.Failed || !about(q, failed) {
			continue
		}
		answered := of(asked, q.Attempt)
		return e.recordAll(ctx, located{answered, &history.Answered{Answer: a}}, located{answered, e.addendum(asked, q, a)},
			located{of(failed, 0), &history.RolledBack{To: failed.Address, Snapshot: e.run.Tree, By: a.By}})
	}
	return fmt.Errorf("exec: question %s: the step that it is about has not failed", q.ID)
}
