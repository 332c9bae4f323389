package recovery

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

// Ask asks a person: when the plan says on_failure = "ask", when the failed
// step is critical or cannot be undone, and for every failure in the modes
// collaborative and education. A step that says on_failure = "block" stops the
// run without a question.
type Ask struct {
	// Always asks about steps that are not critical, too.
	Always bool
}

// Answers reports whether a rung is what a person decided, in answer to a
// question, and not the ladder.
func Answers(rung string) bool { return rung == AskRung || rung == AcceptRung || rung == RevertRung }

// Repeats reports whether a rung tries the same method once more, and decides
// for no other.
func Repeats(rung string) bool { return rung == RetryRung || rung == feedbackRung }

// Name is "ask".
func (Ask) Name() string { return AskRung }

// Try asks, or lets the step fail.
func (a Ask) Try(s Situation) (Next, bool) {
	why := ""
	switch {
	case s.Step.Rollback == plan.Irreversible:
		why = "the step cannot be undone"
	case s.Step.OnFailure == plan.Ask:
		why = "the plan says to ask"
	case s.Step.OnFailure == plan.Block:
		return pass("")
	case a.Always && undeclared(s.Failure):
		why = beyond
	case s.Step.IsCritical(): // whatever the mode: it may become another one while the question waits
		why = "the step is critical and nothing else is left to try"
	case s.Mode == plan.Collaborative || s.Mode == plan.Education:
		why = fmt.Sprintf("mode %s asks about every failure", s.Mode)
	case a.Always:
		why = "nothing else is left to try"
	default:
		return pass("")
	}
	return Next{Ask: true, Why: why}, true
}
