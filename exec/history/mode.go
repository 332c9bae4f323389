package history

import (
	"time"

	"github.com/planlock/planlock/plan"
)

// ModeSwitched says who is asked from now on, and why.
type ModeSwitched struct {
	From         plan.Mode `json:"from"`
	To           plan.Mode `json:"to"`
	Cause        string    `json:"cause"`
	Measurements []string  `json:"measurements,omitempty"`
	// Of a switch that dynamic mode made by itself: the triggers that fired,
	// the methods tried in the steps that they looked at ("1.2 primary
	// failed"), what is suggested, and how many steps had failed in a row.
	Triggers       []string `json:"triggers,omitempty"`
	Methods        []string `json:"methods,omitempty"`
	Recommendation string   `json:"recommendation,omitempty"`
	Consecutive    int      `json:"consecutive,omitempty"`

	// When it was recorded, and at which step ("" for the run); set by the
	// fold.
	At   time.Time    `json:"-"`
	Step plan.Address `json:"-"`
}

func (*ModeSwitched) Type() string { return "mode-switched" }

// String is "dynamic to collaborative: critical failure".
func (f *ModeSwitched) String() string { return sprint("%s to %s: %s", f.From, f.To, f.Cause) }

func (f *ModeSwitched) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.Mode = f.To
	r.Modes = append(r.Modes, *f)
	r.ModeAt = at.seq
	return nil
}

func (f *ModeSwitched) ofStep(r *Run, s *Step, at moment) error {
	f.Step = s.Address
	return f.ofRun(r, at)
}

// Lesson is what a step taught in education mode, once it was over. The
// situation and the approaches stand in the question that Question names.
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

func (*Lesson) Type() string { return "lesson" }

func (f *Lesson) String() string {
	return sprint("%s chosen, %s used: %s", methodName(f.Chosen), methodName(f.Used), f.Lesson)
}

func (f *Lesson) ofStep(_ *Run, s *Step, _ moment) error {
	s.Lesson = f
	return nil
}
