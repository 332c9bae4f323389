package modes

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
)

// MeasureRun measures what Measure does of Observe, and looks only at the steps
// that can matter: however long the run is, it takes the same time.
func (t Triggers) MeasureRun(run *history.Run, failing *history.Step) []Measurement {
	return t.Measure(recent(run, failing, 2*t.complete().Window))
}

// Quiet reports whether nothing of what MeasureRun measures can have fired,
// without measuring it: all steps that it would look at were completed by their
// first attempt, and not with a backup. That is so between most steps.
func (t Triggers) Quiet(run *history.Run) bool {
	if t.TaskFailures > 0 && len(run.NotCompleted()) > 0 {
		return false
	}
	concluded := run.Concluded()
	for _, s := range concluded[max(0, len(concluded)-2*t.complete().Window):] {
		if s.EndedAt > run.ModeAt && !plain(s) {
			return false
		}
	}
	return true
}

// plain reports whether a step was completed by its first attempt, with no
// backup.
func plain(s *history.Step) bool {
	return s.Status == history.Completed && len(s.Attempts) == 1 && s.Attempts[0].Failure == nil &&
		!isBackup(s.Attempts[0])
}

// recent is the end of what Observe returns: window steps at least, and those
// before them that belong to a row of failures, and the one that ends that row.
// Before it come the failed steps of the last one's task, which are counted
// however long ago they failed.
func recent(run *history.Run, failing *history.Step, window int) []Step {
	var steps []Step
	if failing != nil {
		steps = append(steps, observeFailing(failing))
	}
	concluded := run.Concluded()
	rest := len(concluded)
	for ; rest > 0; rest-- {
		s := concluded[rest-1]
		if s.EndedAt <= run.ModeAt {
			break
		}
		if n := len(steps); n >= window && !steps[n-1].Failed {
			break
		}
		if s != failing {
			steps = append(steps, observe(s))
		}
	}
	if len(steps) == 0 {
		return nil
	}
	oldest := uint64(0)
	if rest < len(concluded) {
		oldest = concluded[rest].EndedAt
	}
	task := steps[0].Task
	var earlier []*history.Step
	for _, s := range run.NotCompleted() {
		if s.Status == history.Failed && s.Task == task && s != failing && s.EndedAt > run.ModeAt &&
			s.EndedAt < oldest {
			earlier = append(earlier, s)
		}
	}
	slices.SortStableFunc(earlier, func(a, b *history.Step) int { return int(int64(b.EndedAt) - int64(a.EndedAt)) })
	for _, s := range earlier {
		steps = append(steps, observe(s))
	}
	slices.Reverse(steps)
	return steps
}
