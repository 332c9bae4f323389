package guards

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// concernsListed is how many earlier failures a checkpoint tells about.
const concernsListed = 5

// propagation asks for a review where the plan wants one after an earlier
// critical failure.
func propagation(c *guard.Case) guard.Verdict {
	_, concerns, reviewed := earlier(c)
	if len(concerns) == 0 || reviewed.critical || c.Propagation() != plan.CollaborativeReview {
		return guard.Pass()
	}
	return guard.Hold(question.Propagation(c, concerns))
}

// Checkpoint is what stands at the beginning of the step: the tree, and what
// was decided about the outcomes of the steps before it.
func Checkpoint(c *guard.Case) *history.StepStarted {
	start := &history.StepStarted{Checkpoint: c.Run.Tree, Envelope: c.Run.Started.Envelope.Digest(), Git: c.Run.Git,
		Strategy: c.Propagation(), Decision: "proceed", Refuted: refuted(c)}
	prior, concerns, reviewed := earlier(c)
	start.Prior = prior
	if len(concerns) == 0 {
		return start
	}
	start.Decision, start.Concern = "proceed with concern", strings.Join(concerns, " · ")
	if start.Strategy == plan.CollaborativeReview && reviewed.all {
		start.Decision = "reviewed"
	}
	return start
}

// reviewed says of which failures persons have let a step run since.
type reviewed struct{ critical, all bool }

// earlier reads the outcomes of the steps before the step: those that matter,
// what they failed of, and which of them persons have reviewed.
func earlier(c *guard.Case) (prior []plan.Address, concerns []string, seen reviewed) {
	seen = reviewed{true, true}
	chosen := c.Step.Chosen(ask.Dependency, choice.GoOn)
	for _, before := range c.Run.NotCompleted() {
		if !before.Precedes(c.Step) {
			break
		}
		prior = append(prior, before.Address)
		if chosen && before.Status != history.Failed && c.Misses(before) && len(concerns) < concernsListed {
			concerns = append(concerns, bound.Text(fmt.Sprintf("%s is %s, and a person had %s run all the same",
				before.Address, before.Status, c.Step.Address), 200))
		}
		if before.Status != history.Failed {
			continue
		}
		if len(concerns) < concernsListed {
			concerns = append(concerns, bound.Text(fmt.Sprintf("%s failed: %s", before.Address,
				strings.Join(before.Failed.Reasons, "; ")), 200))
		}
		since := choice.Reviewed(c.Run, before)
		seen.critical, seen.all = seen.critical && (since || !before.Critical), seen.all && since
	}
	if last := c.Run.Before(c.Step); last != nil && last.Status == history.Completed {
		prior = append(prior, last.Address)
	}
	return prior, concerns, seen
}
