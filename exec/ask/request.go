package ask

import (
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
