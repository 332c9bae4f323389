package gate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger"
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
// nothing does. A partial blocks because every criterion must hold. What the
// plan tolerates stops nothing.
func (j Judgement) Blocks() bool {
	return j.Level > Informs && (j.Verdict == nil || j.Verdict.Result != Passed && !j.Verdict.Tolerated)
}

// Passes reports whether the gate said yes: that it blocks nothing does not mean
// that.
func (j Judgement) Passes() bool { return j.Verdict != nil && j.Verdict.Result == Passed }

// Judged reports whether the gate had something to judge: it says no to
// something, or could not decide it, or says yes to more than nothing.
func (j Judgement) Judged() bool { return j.Verdict == nil || !j.Verdict.Idle }

// MayAskAgain reports whether asking the same gate once more may be lawful: it
// ran out of time, says of itself that it is stateless, and the cause is shown
// (not guessed) to be resources or a dependency. Nothing asks again by default.
func (j Judgement) MayAskAgain() bool {
	var late *TimeoutError
	return j.Stateless && errors.As(j.Err, &late) && late.Proven &&
		(late.Cause == Resources || late.Cause == Dependency)
}

// Reasons say in words why a judgement blocks, a line for each finding.
func (j Judgement) Reasons() []string {
	if j.Verdict == nil {
		return []string{fmt.Sprintf("gate %s could not decide: %v", j.Gate, j.Err)}
	}
	var lines []string
	for _, f := range j.Verdict.Findings {
		text := f.Message
		if name := ledger.Quote(f.Path); f.Path != "" && !strings.Contains(text, f.Path) &&
			!strings.Contains(text, name) {
			text = name + ": " + text
		}
		lines = append(lines, fmt.Sprintf("%s: %s", j.Gate, text))
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("gate %s says %s", j.Gate, j.Verdict.Result)}
	}
	return lines
}
