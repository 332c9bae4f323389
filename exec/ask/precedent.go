package ask

import (
	"time"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Precedent is a choice that somebody wanted to be remembered: it answers
// questions of its kind, about its step or about any step where it names none,
// of plans with its digest.
type Precedent struct {
	ID       string        `json:"id"`
	Plan     ledger.Digest `json:"plan"`
	Kind     Kind          `json:"kind"`
	Step     plan.Address  `json:"step,omitempty"` // "": any step of the plan
	Choice   string        `json:"choice"`
	Reason   string        `json:"reason,omitempty"`
	By       string        `json:"by"`
	At       time.Time     `json:"at"`
	Run      string        `json:"run"`      // in which it was made,
	Question string        `json:"question"` // in answer to this one
	Revoked  *Revocation   `json:"revoked,omitempty"`
}

// A Revocation says that a remembered choice counts no longer.
type Revocation struct {
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// Applies reports whether p answers q: same kind, its step if it names one, and
// a choice that q has and that may be remembered for it. Whose plan it is, and
// how often it has answered, is for the caller to say.
func (p Precedent) Applies(q Question) bool {
	scope := ForPlan
	if p.Step != "" {
		scope = ForStep
	}
	return p.Revoked == nil && p.Kind == q.Kind && (p.Step == "" || p.Step == q.Step) &&
		q.Rememberable(p.Choice, scope) == nil
}
