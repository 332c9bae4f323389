package analysis

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/plan"
)

// Failures say what failed, and where.
type Failures struct {
	Steps   []FailedStep // that failed, or of which an attempt did, in the order of the plan
	Tasks   []FailedTask // every task
	Overall Rate         // steps that failed in the end, of all
	// Clustered is the task in which more than half of at least three failed
	// steps lie, "" if there is none.
	Clustered string
	Causes    []Cause // what the failures have in common, in the order in which it was met
}

// A FailedStep failed at least once, or was not tried at all.
type FailedStep struct {
	Step     plan.Address
	Failures int    // attempts that were faulty, those that were set back since too
	Retries  int    // as [history.Tries] counts them
	Resolved string // the method that completed the step; "" if none did
	Cause    string // what the messages of the last failure say
	// Refused says why the step may not begin; nil where it may.
	Refused []string
}

// A FailedTask is the share of a task's steps that failed in the end.
type FailedTask struct {
	Task string
	Rate Rate
}

// A Cause is what several failures have in common.
type Cause struct {
	Name  string
	Steps []plan.Address
}

// failures goes through the plan once. A step that failed at first and was
// completed by another method stands among the steps, and not in the rates.
func failures(p *plan.Plan, r *history.Run) Failures {
	f := Failures{}
	byTask := map[string]int{}
	causes := map[string]int{}
	for _, row := range rows(p, r) {
		if n := len(f.Tasks); n == 0 || f.Tasks[n-1].Task != row.task.ID {
			f.Tasks = append(f.Tasks, FailedTask{Task: row.task.ID})
		}
		task := &f.Tasks[len(f.Tasks)-1]
		task.Rate.Of++
		f.Overall.Of++
		if row.was.Status == history.Failed {
			task.Rate.N++
			f.Overall.N++
			byTask[row.task.ID]++
		}
		s := failedStep(row.was)
		if s.Failures == 0 && row.was.Status != history.Failed {
			continue
		}
		f.Steps = append(f.Steps, s)
		if s.Cause == "" {
			continue
		}
		at, known := causes[s.Cause]
		if !known {
			at = len(f.Causes)
			causes[s.Cause] = at
			f.Causes = append(f.Causes, Cause{Name: s.Cause})
		}
		f.Causes[at].Steps = append(f.Causes[at].Steps, s.Step)
	}
	for _, t := range f.Tasks {
		if n := byTask[t.Task]; f.Overall.N >= 3 && 2*n > f.Overall.N {
			f.Clustered = t.Task
		}
	}
	return f
}

// failedStep is what became of the attempts of a step. The cause is that of the
// last failure that has a known one; a failure whose lines say nothing known
// leaves it as it is.
func failedStep(s *history.Step) FailedStep {
	all := attempts(s)
	f := FailedStep{Step: s.Address, Retries: s.Tries().Retries}
	for i, a := range all {
		if !a.Faulty() {
			continue
		}
		f.Failures++
		if root := cause.Of(*a.Failure, all[i:i+1]); root.Error != cause.Unknown {
			f.Cause = string(root.Error)
		}
	}
	if s.Failed != nil && s.Failed.Class == history.Refused {
		f.Refused = s.Failed.Reasons
	}
	if s.Status == history.Completed && f.Failures > 0 {
		f.Resolved = s.Completed.Method
	}
	return f
}
