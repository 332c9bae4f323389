package history

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

// taskSteps are steps of task 1: C was completed, F failed, f failed without
// being critical, B is blocked, K was attempted and left out then, S was left
// out without an attempt (s: it is not critical), r runs, . has not begun.
func taskSteps(list string) []*Step {
	bad := &Attempt{Failure: &AttemptFailed{Class: Crashed}}
	var steps []*Step
	for i, c := range list {
		s := &Step{Outline: Outline{Address: plan.Address("1." + string(rune('1'+i))), Task: "1",
			Critical: c != 'f' && c != 's'}, Status: Pending}
		switch c {
		case 'C':
			s.Status, s.Attempts = Completed, []*Attempt{{}}
		case 'F', 'f':
			s.Status, s.Attempts = Failed, []*Attempt{bad}
		case 'B':
			s.Status = Blocked
		case 'K':
			s.Status, s.Attempts, s.Skipped = Skipped, []*Attempt{bad}, &StepSkipped{}
		case 'S', 's':
			s.Status, s.Skipped = Skipped, &StepSkipped{}
		case 'r':
			s.Status = InFlight
		}
		steps = append(steps, s)
	}
	return steps
}

// TestExecutionOfATask: a step that was attempted and left out then went as its
// attempts did.
func TestExecutionOfATask(t *testing.T) {
	for steps, want := range map[string]ExecutionStatus{
		"C": succeeded, "F": failed, "f": failed, "fC": succeeded, "Cf": succeeded, "S": notExecuted, "CS": succeeded,
		"K": failed, "CK": failed, "KC": failed, "B": notExecuted, "CB": failed, "C.": failed, ".": notExecuted,
	} {
		r := &Run{Steps: taskSteps(steps)}
		if got := r.Task("1").Execution(); got != want {
			t.Errorf("%s: %s, want %s", steps, got, want)
		}
	}
	left := &Run{Steps: taskSteps("K")}
	o := left.Task("1").Conclude()
	if o.Reason != "it failed, so there is no evidence" || o.Attempts != 1 {
		t.Errorf("left out after an attempt: %+v", o)
	}
}

// TestStatusOfATask: the last word goes first, then the end, then the steps; a
// last word that nothing was carried out does not hide why.
func TestStatusOfATask(t *testing.T) {
	for name, tt := range map[string]struct {
		steps string
		over  StepStatus   // "": nothing is recorded of its end
		word  *TaskOutcome // likewise of its last word
		ended bool
		want  StepStatus
	}{
		"nothing began":                   {"..", "", nil, false, Pending},
		"nothing began of a run that did": {"..", "", nil, true, Pending},
		"half of it":                      {"C.", "", nil, false, InFlight},
		"half of it, and the run ended":   {"C.", "", nil, true, PartlyDone},
		"under way":                       {"r", "", nil, false, InFlight},
		"a critical step failed":          {"F.", "", nil, false, Failed},
		"all of it":                       {"CC", "", nil, false, Completed},
		"left out, and not critical":      {"Cs", "", nil, false, Completed},
		"its end":                         {"C", PartlyDone, nil, false, PartlyDone},
		"its last word": {"C", Completed,
			&TaskOutcome{Status: FailedFinal, Execution: succeeded}, true, FailedFinal},
		"rejected": {"B", Blocked, &TaskOutcome{Status: Failed, Approval: Rejected, Execution: notExecuted}, true,
			Failed},
		"blocked":        {"B", Blocked, &TaskOutcome{Status: Failed, Execution: notExecuted}, true, Blocked},
		"a strange word": {"C", Completed, &TaskOutcome{Status: "fine", Execution: succeeded}, true, Completed},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Run{Steps: taskSteps(tt.steps)}
			if tt.over != "" {
				r.Flow.Tasks = []TaskOver{{Task: "1", Status: tt.over}}
			}
			if tt.word != nil {
				tt.word.Task = "1"
				r.Outcomes = []TaskOutcome{*tt.word}
			}
			if tt.ended {
				r.Ended = &Ended{}
			}
			if got := r.Task("1").Status(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
