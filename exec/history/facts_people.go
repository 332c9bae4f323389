package history

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Recovery is what a rung of the ladder decided.
type Recovery struct {
	Rung   string `json:"rung"`   // "retry", "backup", "reflect", "pivot", "research", "feedback", "ask"
	Method string `json:"method"` // of the next attempt; "" if there is none
	Why    string `json:"why"`
	// Repeats counts how often this rung has been used in this step, this time included.
	Repeats int `json:"repeats"`
	// After is how long the next attempt waits for whatever was busy, and Passed
	// says why the rungs before this one had nothing to do.
	After  time.Duration `json:"after_ns,omitempty"`
	Passed []Passed      `json:"passed,omitempty"`
	At     time.Time     `json:"-"` // when it was decided: the wait began then
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
	// Of a switch that dynamic mode made by itself: the triggers that fired, the
	// methods tried in the steps that they looked at ("1.2 primary failed"), what
	// is suggested, and how many steps had failed in a row.
	Triggers       []string `json:"triggers,omitempty"`
	Methods        []string `json:"methods,omitempty"`
	Recommendation string   `json:"recommendation,omitempty"`
	Consecutive    int      `json:"consecutive,omitempty"`

	// When it was recorded, and at which step ("" for the run); set by the fold.
	At   time.Time    `json:"-"`
	Step plan.Address `json:"-"`
}

// String is "dynamic to collaborative: critical failure".
func (f *ModeSwitched) String() string { return fmt.Sprintf("%s to %s: %s", f.From, f.To, f.Cause) }

// Lesson is what a step taught in education mode, once it was over. The situation and
// the approaches stand in the question that Question names.
type Lesson struct {
	Question    string        `json:"question,omitempty"` // the checkpoint before the step
	Recommended string        `json:"recommended"`        // the method that was recommended
	Chosen      string        `json:"chosen"`             // the method that the person chose
	Used        string        `json:"used"`               // the method that was used last
	Result      string        `json:"result"`             // what happened
	Lesson      string        `json:"lesson"`             // what to keep of it
	Others      []LessonOther `json:"others,omitempty"`   // the approaches that were not used
	Status      StepStatus    `json:"status"`             // how the step ended
}

// LessonOther is what an approach that was not used would have done otherwise.
type LessonOther struct {
	Method string `json:"method"`
	Would  string `json:"would"`
}

// Remembered says that somebody wanted a choice to be remembered, and what came of it.
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

// StepFailed is final: the step was undone and is not tried again.
type StepFailed struct {
	Class   Class    `json:"class"`
	Reasons []string `json:"reasons"`
	Halts   bool     `json:"halts"`            // the run ends because of it
	Passed  []Passed `json:"passed,omitempty"` // why the rungs of the ladder had nothing left to do
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
	// Unblock are the ways to have the step run after all.
	Unblock []string `json:"unblock,omitempty"`
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
