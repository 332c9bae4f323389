package recovery

import (
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Names of the rungs, as they stand in the journal.
const (
	RetryRung    = "retry"
	feedbackRung = "feedback"
	backupRung   = "backup"
	reflectRung  = "reflect"
	pivotRung    = "pivot"
	researchRung = "research"
	AskRung      = "ask"
	AcceptRung   = "accept" // no rung: a person accepted what an attempt did
	RevertRung   = "revert" // no rung: a person had what it did too much reverted
)

// Primary is the name of a step's own method.
const Primary = "primary"

// Retry tries the same method again, and only where that is lawful: the
// executor is stateless, the tree was restored, so that the inputs are the
// same, and the failure is none that the same method must meet again.
//
// The zero value retries the primary method where the step says on_failure =
// "retry": max_retries times, once where it gives no number. With Times, that
// is the number instead.
type Retry struct {
	// Times is how often, where the plan does not say. 0: only steps that say
	// on_failure = "retry" are retried.
	Times int
	// Approaches retries every method, not only the primary, and counts anew
	// for each: after a backup, a pivot and research.
	Approaches bool
	Backoff    Backoff
}

// Name is "retry".
func (Retry) Name() string { return RetryRung }

// Try retries while there are retries left.
func (r Retry) Try(s Situation) (Next, bool) {
	allowed, why := r.allowed(s.Step)
	if allowed == 0 {
		return pass(why)
	}
	if why := unlawful(s); why != "" {
		return pass(why)
	}
	class := classOf(s.Failure)
	if !class.Retry {
		return pass("the same method would meet it again: " + class.Means)
	}
	method, used := current(s), since(s.History, RetryRung)
	if r.Approaches {
		used = since(s.History, RetryRung, backupRung, pivotRung, researchRung)
	} else if method != Primary {
		return pass("only the primary method is retried")
	}
	if class.Cause == gate.Resources {
		allowed = min(allowed, 1) // what ran out twice is not there
	}
	if used >= allowed {
		return pass(fmt.Sprintf("%d of %d retries are used", used, allowed))
	}
	next := Next{Method: method, Why: fmt.Sprintf("retry %d of %d", used+1, allowed)}
	if s.Run != nil {
		next.After = r.Backoff.wait(class, s.Run.Started.Run, string(s.History.Address), used+1)
	}
	return next, true
}

// allowed is how often a step may be retried; if never, it says why.
func (r Retry) allowed(step *plan.Step) (times int, why string) {
	switch {
	case step.OnFailure == plan.Retry && step.MaxRetries != nil:
		return *step.MaxRetries, "the plan allows no retry"
	case step.OnFailure == plan.Retry:
		return max(r.Times, 1), ""
	case step.OnFailure == "":
		return r.Times, ""
	}
	return 0, ""
}
