package history

import (
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Asked is an escalation.
type Asked struct {
	Question ask.Question `json:"question"`
}

func (*Asked) Type() string { return "asked" }

func (f *Asked) String() string { return f.Question.ID + ": " + f.Question.What }

// Answered is a decision on one.
type Answered struct {
	Answer ask.Answer `json:"answer"`
}

func (*Answered) Type() string { return "answered" }

func (f *Answered) String() string {
	return sprint("%s: %s by %s: %s", f.Answer.Question, f.Answer.Choice, f.Answer.By, f.Answer.Reason)
}

// Unanswered says that an escalation was refused, or an answer to it.
type Unanswered struct {
	Question string `json:"question"`
	Why      string `json:"why"`
	Final    bool   `json:"final"` // false: an answer did not count, the question stands
}

func (*Unanswered) Type() string { return "unanswered" }

func (f *Unanswered) String() string { return f.Question + ": " + f.Why }

// Remembered says that somebody wanted a choice to be remembered, and what came
// of it.
type Remembered struct {
	ID       string       `json:"id,omitempty"` // of the remembered choice; "" if it was not remembered
	Question string       `json:"question"`
	Kind     ask.Kind     `json:"kind"`
	Step     plan.Address `json:"step,omitempty"` // "": for the whole plan
	Choice   string       `json:"choice"`
	Reason   string       `json:"reason,omitempty"`
	By       string       `json:"by"`
	At       time.Time    `json:"at"`
	Why      string       `json:"why,omitempty"` // it was not remembered

	Plan ledger.Digest `json:"-"` // of which it is remembered; set by the fold
}

func (*Remembered) Type() string { return "remembered" }

func (f *Remembered) String() string {
	if f.ID == "" {
		return sprint("%s was not remembered: %s", f.Choice, f.Why)
	}
	return sprint("%s as %s, for questions of the kind %s", f.Choice, f.ID, f.Kind)
}
