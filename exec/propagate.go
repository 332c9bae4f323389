package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// dependencies are, for each task, all tasks that it needs, directly or not.
type dependencies map[string]map[string]bool

func (d dependencies) on(task, other string) bool { return d[task][other] }

// dependenciesOf follows depends_on of tasks and of the speclets that hold them.
func dependenciesOf(p *plan.Plan) dependencies {
	direct := map[string][]string{}
	holds := map[string][]string{} // tasks of a speclet
	for _, s := range p.Speclets {
		holds[s.ID] = s.Tasks
	}
	for _, t := range p.Tasks {
		direct[t.ID] = slices.Clone(t.DependsOn)
	}
	for _, s := range p.Speclets {
		for _, needs := range s.DependsOn {
			for _, t := range s.Tasks {
				direct[t] = append(direct[t], holds[needs]...)
			}
		}
	}
	all := dependencies{}
	for _, t := range p.Tasks {
		seen := map[string]bool{}
		todo := slices.Clone(direct[t.ID])
		for len(todo) > 0 {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[next] {
				seen[next] = true
				todo = append(todo, direct[next]...)
			}
		}
		all[t.ID] = seen
	}
	return all
}

// concernsListed is how many earlier failures a checkpoint tells about.
const concernsListed = 5

// strategy is what the plan says about earlier failures.
func (e *execution) strategy() plan.Propagation {
	if s := e.plan.ErrorPropagation.Strategy; s != "" {
		return s
	}
	return plan.HaltOnCritical
}

// propagate reads the outcomes of the steps before s and decides whether it
// runs. It returns the checkpoint that says so, or nil where a person had to be
// asked first.
func (e *execution) propagate(ctx context.Context, s *history.Step) (*history.StepStarted, error) {
	start := &history.StepStarted{
		Checkpoint: e.run.Tree, Envelope: e.run.Started.Envelope.Digest(), Git: e.run.Git,
		Strategy: e.strategy(), Decision: "proceed",
	}
	var concerns []string
	reviewed := true
	for _, prior := range e.run.NotCompleted() {
		if !prior.Precedes(s) {
			break
		}
		start.Prior = append(start.Prior, prior.Address)
		if prior.Status != history.Failed {
			continue
		}
		if len(concerns) < concernsListed {
			concerns = append(concerns, clip(fmt.Sprintf("%s failed: %s", prior.Address, strings.Join(prior.Failed.Reasons, "; ")), 200))
		}
		if prior.Critical && start.Strategy == plan.CollaborativeReview && !e.reviewed(prior) {
			reviewed = false
		}
	}
	if last := e.run.Before(s); last != nil && last.Status == history.Completed {
		start.Prior = append(start.Prior, last.Address)
	}
	if len(concerns) == 0 {
		return start, nil
	}
	start.Decision, start.Concern = "proceed with concern", strings.Join(concerns, " · ")
	if start.Strategy != plan.CollaborativeReview {
		return start, nil
	}
	if reviewed {
		start.Decision = "reviewed"
		return start, nil
	}
	return nil, e.ask(ctx, s, e.question(s, ask.Propagation, "step "+title(s),
		"an earlier critical step failed, and the plan asks for a review before anything that follows", concerns,
		choiceGo(s), choiceSkip(s), choiceStop()))
}

// reviewed reports whether a person has let a step run since prior failed.
func (e *execution) reviewed(prior *history.Step) bool {
	for _, s := range e.run.Steps {
		for _, x := range s.Questions {
			if x.Question.Kind == ask.Propagation && x.Answer != nil && x.Answer.Choice == goOn && !x.Question.Asked.Before(prior.Over) {
				return true
			}
		}
	}
	return false
}
