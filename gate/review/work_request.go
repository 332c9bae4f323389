package review

import (
	"fmt"
)

// request is what a reviewer is asked when a task is done. What changed is told
// since the task began, as it may have needed several steps.
func (s *subject) request() Request {
	pass, t := s.pass, s.pass.Task
	r := Request{About: AboutWork, Run: pass.RunID, Task: t.ID, Title: t.Title, Text: t.Description,
		Priority: t.Priority, Step: string(pass.Step.Address),
		Attempt: fmt.Sprintf("%s#%d", pass.Step.Address, pass.Attempt), Retry: max(pass.Attempt-1, 0),
		Acceptance: criteriaOf(pass), Feedback: pass.Feedback, Dir: pass.Dir, Runner: pass.Runner}
	if pass.Plan != nil {
		r.Goal = pass.Plan.Goal
	}
	for _, c := range s.changes {
		r.Changed = append(r.Changed, c.Path)
	}
	return r
}
