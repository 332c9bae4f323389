package history

import (
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// Recovery is what a rung of the ladder decided.
type Recovery struct {
	Rung   string `json:"rung"`   // "retry", "backup", "ask"
	Method string `json:"method"` // of the next attempt; "" if there is none
	Why    string `json:"why"`
	// Repeats counts how often this rung has been used in this step, this time included.
	Repeats int `json:"repeats"`
}

// Asked is an escalation.
type Asked struct {
	Question ask.Question `json:"question"`
}

// Answered is a decision on one.
type Answered struct {
	Answer ask.Answer `json:"answer"`
}

// Unanswered says that an escalation was refused, or an answer to it.
type Unanswered struct {
	Question string `json:"question"`
	Why      string `json:"why"`
	Final    bool   `json:"final"` // false: an answer did not count, the question stands
}

// ModeSwitched says who is asked from now on, and why.
type ModeSwitched struct {
	From         plan.Mode `json:"from"`
	To           plan.Mode `json:"to"`
	Cause        string    `json:"cause"`
	Measurements []string  `json:"measurements,omitempty"`
}

// StepFailed is final: the step was undone and is not tried again.
type StepFailed struct {
	Class   Class    `json:"class"`
	Reasons []string `json:"reasons"`
	Halts   bool     `json:"halts"` // the run ends because of it
}

// StepSkipped says that a step was left out, and on whose word.
type StepSkipped struct {
	Why  string `json:"why"`
	By   string `json:"by"`
	Done bool   `json:"done,omitempty"` // its work was there already
}

// StepBlocked says that a step cannot run because of an earlier one.
type StepBlocked struct {
	By  plan.Address `json:"by"`
	Why string       `json:"why"`
}

// Paused says that the controller let go of the run, which can be resumed.
type Paused struct {
	Why string `json:"why"` // "waiting", "interrupted", "stopped"
}

// RolledBack says that the run was set back to before a step.
type RolledBack struct {
	To       plan.Address        `json:"to"`
	Snapshot checkpoint.Snapshot `json:"snapshot"`
	By       string              `json:"by,omitempty"`
}
