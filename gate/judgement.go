package gate

import (
	"errors"
	"time"
)

// A Judgement is what asking one gate came to: a verdict, or why there is none.
type Judgement struct {
	Gate      string
	Level     Level
	Phase     Phase
	Stateless bool     // as the gate's Info says
	Verdict   *Verdict // nil: could not decide
	Err       error    // why not; *TimeoutError, *PanicError or what the gate returned
	Took      time.Duration
}

// Blocks reports whether it stops what is going on in its phase: at level 1 and
// 2 everything but a pass does (a fail, a partial, and no decision), at level 0
// nothing does. A partial blocks because every criterion must hold.
func (j Judgement) Blocks() bool {
	return j.Level > Informs && (j.Verdict == nil || j.Verdict.Result != Passed)
}

// MayAskAgain reports whether asking the same gate once more may be lawful: it
// ran out of time, says of itself that it is stateless, and the cause is shown
// (not guessed) to be resources or a dependency. Nothing asks again by default.
func (j Judgement) MayAskAgain() bool {
	var late *TimeoutError
	return j.Stateless && errors.As(j.Err, &late) && late.Proven &&
		(late.Cause == Resources || late.Cause == Dependency)
}

// Blocking picks the judgements that block, in order.
func Blocking(js []Judgement) []Judgement {
	var out []Judgement
	for _, j := range js {
		if j.Blocks() {
			out = append(out, j)
		}
	}
	return out
}
