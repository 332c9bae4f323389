package ask

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/plan"
)

// A Request is what somebody wants of a run that is under way, without having
// been asked: that it stops and asks whether its plan still holds ([Obsolete]),
// or whether to be set back ([Rollback]). It decides nothing; the question that
// comes of it does.
type Request struct {
	Run    string       `json:"run"`
	Kind   Kind         `json:"kind"`           // Obsolete or Rollback
	Step   plan.Address `json:"step,omitempty"` // Rollback: to before which step
	Reason string       `json:"reason"`
	By     string       `json:"by"`
	At     time.Time    `json:"at"`
}

// String says in a line who wants what, and why.
func (r Request) String() string {
	if r.Kind == Rollback {
		return fmt.Sprintf("%s wants the run set back to before %s: %s", r.By, r.Step, r.Reason)
	}
	return fmt.Sprintf("%s says that the plan no longer holds: %s", r.By, r.Reason)
}
