package modes

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
)

// MeasureRun measures what Measure does of Observe, and looks only at the steps that can matter: however long the run
// is, it takes the same time.
func (t Triggers) MeasureRun(run *history.Run, failing *history.Step) []Measurement {
	return t.Measure(recent(run, failing, 2*t.complete().Window))
}

// recent is the end of what Observe returns: window steps at least, and those before them that belong to a row of failures, and the one that
// ends that row. Before it come the failed steps of the last one's task, which are counted however long ago they failed.
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
		if s.Status == history.Failed && s.Task == task && s != failing && s.EndedAt > run.ModeAt && s.EndedAt < oldest {
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
