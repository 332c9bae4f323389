package flow

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TaskOver is how a task ended, or nil if it has not: all its steps are over,
// or ending is set and the run goes no further. Tasks without steps never end.
func TaskOver(p *plan.Plan, run *history.Run, t *plan.Task, ending bool) *history.TaskOver {
	steps := run.OfTask(t.ID)
	over := &history.TaskOver{Task: t.ID, Consecutive: run.Consecutive, Steps: countSteps(steps)}
	if len(steps) == 0 || over.Steps.Open > 0 && !ending {
		return nil
	}
	over.Failures = over.Steps.Failed
	over.Status, over.By = run.Task(t.ID).End()
	over.Reason = reason(run, steps, over)
	over.Unblock = unblock(run, t, over)
	over.Checks = verify(p, run, t, steps)
	return over
}

// Tasks are the tasks that ended and were not recorded, in the order of the
// plan.
func Tasks(p *plan.Plan, run *history.Run, ending bool) []*history.TaskOver {
	unsaid := run.UnsaidTasks()
	if !ending && len(unsaid) == 0 {
		return nil
	}
	recorded := map[string]bool{}
	for i := 0; ending && i < len(run.Flow.Tasks); i++ { // else what is unsaid says it
		recorded[run.Flow.Tasks[i].Task] = true
	}
	var list []*history.TaskOver
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if recorded[t.ID] || !ending && !slices.Contains(unsaid, t.ID) {
			continue
		}
		if over := TaskOver(p, run, t, ending); over != nil {
			list = append(list, over)
		}
	}
	return list
}

// countSteps counts steps by how they stand, with their retries and backups.
func countSteps(steps []*history.Step) history.TaskSteps {
	n := history.TaskSteps{Total: len(steps)}
	for _, s := range steps {
		switch s.Status {
		case history.Completed:
			n.Completed++
		case history.Failed:
			n.Failed++
		case history.Skipped:
			n.Skipped++
		case history.Blocked:
			n.Blocked++
		default:
			n.Open++
		}
		tries := s.Tries()
		n.Retries += tries.Retries
		n.Backups += len(tries.Backups)
	}
	return n
}

// reason says why a task is not completed.
func reason(run *history.Run, steps []*history.Step, over *history.TaskOver) string {
	if over.Status == history.Completed {
		return ""
	}
	if s := failing(steps); s != nil {
		why := ""
		if len(s.Failed.Reasons) > 0 {
			why = ": " + s.Failed.Reasons[0]
		}
		return fmt.Sprintf("step %s failed (%s)%s", s.Address, s.Failed.Class, why)
	}
	for _, s := range steps {
		switch {
		case s.Blocked != nil && s.Blocked.By == s.Address:
			return fmt.Sprintf("step %s did not begin: %s", s.Address, s.Blocked.Why)
		case s.Blocked != nil:
			return fmt.Sprintf("step %s is blocked by step %s", s.Address, s.Blocked.By)
		case s.Skipped != nil && !s.Skipped.Done &&
			(s.Critical || s.FailedAndLeftOut() || over.Status == history.Skipped):
			return fmt.Sprintf("step %s was left out by %s: %s", s.Address, s.Skipped.By, s.Skipped.Why)
		}
	}
	for _, s := range steps {
		if run.Abandoned != nil && len(s.Attempts) > 0 && s.Status != history.Completed {
			return fmt.Sprintf("the run was abandoned before step %s was completed, %s", s.Address, run.Abandoned)
		}
	}
	return Unreached(run)
}

// failing is the step of a task to whose failure its end is due: one that is
// critical, else the first that failed; nil where none did.
func failing(steps []*history.Step) (first *history.Step) {
	for _, s := range steps {
		if s.Failed != nil && (first == nil || s.Critical && !first.Critical) {
			first = s
		}
	}
	return first
}

// Unreached says why what has not begun did not before the run ended.
func Unreached(run *history.Run) string {
	switch halt := halted(run); {
	case halt != nil:
		return fmt.Sprintf("the run was halted by step %s", halt.Address)
	case run.Abandoned != nil:
		return "the run was abandoned before it, " + run.Abandoned.String()
	}
	return "the run ended before it"
}

// halted is the step whose failure ended the run, or nil.
func halted(run *history.Run) *history.Step {
	for _, s := range run.Steps {
		if s.Failed != nil && s.Failed.Halts {
			return s
		}
	}
	return nil
}

// causeOf is the step that a blocked one waits for in the end: one that is not
// blocked, or by nothing but itself.
func causeOf(run *history.Run, s *history.Step) *history.Step {
	for n := 0; s != nil && s.Blocked != nil && n < len(run.Steps); n++ {
		s = run.Step(s.Blocked.By)
	}
	return s
}

// unblock are the ways to get a task done all the same.
func unblock(run *history.Run, t *plan.Task, over *history.TaskOver) []string {
	again := "run what is left of the plan"
	if run.Started.LockFile != "" {
		again = "lock the plan again and run it"
	}
	switch {
	case over.Status == history.Completed:
		return nil
	case over.Status == history.Skipped && halted(run) == nil:
		return []string{again + ", and do not leave the task out"}
	}
	var s *history.Step
	if len(over.By) > 0 {
		s = causeOf(run, run.Step(over.By[0]))
	}
	if s == nil || s.Status == history.Pending {
		s = halted(run)
	}
	if s == nil {
		return []string{again}
	}
	ways := []string{fmt.Sprintf("mend step %s, then %s", s.Address, again)}
	if s.Task == t.ID || over.Status == history.Failed {
		return ways
	}
	if over.Status == history.Blocked || slices.Contains(t.DependsOn, s.Task) {
		ways = append(ways, fmt.Sprintf("take task %s out of what task %s depends on, then %s", s.Task, t.ID, again))
	}
	return append(ways, fmt.Sprintf("in a run in collaborative mode leave step %s out when asked, "+
		"and say then that it is good enough as it is", s.Address))
}
