package history

import "github.com/planlock/planlock/plan"

// ModeOf is the mode that holds for a step while that of the run is of: its own
// where it asks for more, as a collaborative step of a silent run does. A step
// that asks for less has that of the run, and where somebody other than the plan
// chose silent, it is silent.
func (r *Run) ModeOf(step *plan.Step, of plan.Mode) plan.Mode {
	if step == nil || of == plan.Collaborative || of == plan.Silent && r.Started.ModeBy != "plan" {
		return of
	}
	if step.Mode == plan.Collaborative || step.Mode == plan.Education {
		return step.Mode
	}
	return of
}
