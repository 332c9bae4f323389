package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// A taskFailure is a task of which a step failed, be it critical or not.
type taskFailure struct {
	Task     *task
	Steps    []*step // that failed
	Reasons  []string
	Attempts int // of all its steps
}

// failedTasks are in the order of the plan: those that failed, or the others of
// which a step did.
func failedTasks(m *Model, whole bool) []taskFailure {
	var all []taskFailure
	for _, t := range m.Tasks {
		if (t.Class() == failed) != whole {
			continue
		}
		f := taskFailure{Task: t}
		for _, s := range t.Steps {
			f.Attempts += len(s.Attempts)
			if s.Failure != nil {
				f.Steps = append(f.Steps, s)
				f.Reasons = append(f.Reasons, fmt.Sprintf("step %s: %s", s.Address, s.meaning()))
			}
		}
		if !whole && t.Status == string(history.PartlyDone) {
			for _, s := range t.Steps {
				f.Reasons = append(f.Reasons, s.notDone()...)
			}
		}
		if o := m.of.Task(t.ID).Word(); o != nil && whole {
			f.Reasons = append([]string{o.Reason}, f.Reasons...)
		}
		if whole || len(f.Reasons) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// notDone says why a step was not done that nothing failed in; none where it was.
func (s *step) notDone() []string {
	switch {
	case s.Skipped != nil && !s.Skipped.Done:
		return []string{fmt.Sprintf("step %s was left out by %s: %s", s.Address, s.Skipped.By, s.Skipped.Why)}
	case s.Blocked != nil:
		return []string{fmt.Sprintf("step %s is blocked: %s", s.Address, s.Blocked.Why)}
	case !s.Status.Over():
		why := fmt.Sprintf("step %s %s", s.Address, s.of.of.Step(s.Address).Lacks())
		if f := s.trouble(); f != nil {
			why += ": " + strings.Join(f.Reasons, "; ")
		}
		return []string{why}
	}
	return nil
}
