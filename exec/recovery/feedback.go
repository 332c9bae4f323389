package recovery

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// usualRounds is how often a step is carried out and judged before a person is
// asked, the first time included.
const usualRounds = 3

// Feedback has the step carried out again by whoever did it, who is told what
// was found, until there were three rounds. What was judged is sent back with
// the findings, what was not (a crash) with the error. Where the plan says
// on_failure = "retry", max_retries limits the rounds too. A file that nobody
// declared is for a person to decide about, at once, where one is there.
type Feedback struct {
	Rounds int // 0: three
}

// Name is "feedback".
func (Feedback) Name() string { return feedbackRung }

// Try goes into the next round.
func (f Feedback) Try(s Situation) (Next, bool) {
	rounds := f.Rounds
	if rounds == 0 {
		rounds = usualRounds
	}
	switch {
	case s.Step.OnFailure == plan.Block, s.Step.OnFailure == plan.Ask:
		return pass("")
	case s.Step.OnFailure == plan.Retry && s.Step.MaxRetries != nil:
		rounds = min(rounds, *s.Step.MaxRetries+1)
	}
	if why := unlawful(s); why != "" {
		return pass(why)
	}
	class := classOf(s.Failure)
	if !class.Retry {
		return pass("the same method would meet it again: " + class.Means)
	}
	if undeclared(s.Failure) && attended(s) {
		return pass(beyond)
	}
	round := s.History.Rungs(feedbackRung) + 1 // the one that failed
	if round >= rounds {
		return pass(fmt.Sprintf("%d of %d rounds are used", round, rounds))
	}
	told := "what went wrong"
	if class.Judged {
		told = "what was found"
	}
	return Next{Method: current(s), Why: fmt.Sprintf("round %d of %d, with %s", round+1, rounds, told)}, true
}

// beyond is why a person is asked about such a failure at once.
const beyond = "it changed what nobody declared, and a person decides about that"

// undeclared reports whether all that is wrong with an attempt is that it changed
// files which its step does not declare.
func undeclared(f *history.AttemptFailed) bool {
	return f.Class == history.Breach && len(f.Findings) > 0 &&
		!slices.ContainsFunc(f.Findings, func(found gate.Finding) bool { return found.Code != code.ArtifactExtra })
}

// attended reports whether somebody is there to be asked, as far as anybody knows.
func attended(s Situation) bool { return s.Run == nil || s.Run.Roles.Attended() }
