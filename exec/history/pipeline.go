package history

import "time"

// applyPipeline folds a fact about a task, and reports whether it is one.
func (r *Run) applyPipeline(at time.Time, fact Fact) bool {
	switch f := fact.(type) {
	case *Approval:
		f.Decided = at
		r.Approvals = append(r.Approvals, *f)
	case *Evidence:
		r.Evidence = append(r.Evidence, *f)
	case *EvidenceRetry:
		f.At = at
		r.EvidenceRetries = append(r.EvidenceRetries, *f)
	case *TaskOutcome:
		r.Outcomes = append(r.Outcomes, *f)
	default:
		return false
	}
	return true
}

// undoPipeline forgets what was decided about tasks of which a step was set back.
// A step that is set back to find missing evidence keeps its task's approval and
// its retries: they would be endless else.
func (r *Run) undoPipeline(tasks map[string]bool, by string) {
	for i := range r.Outcomes {
		r.Outcomes[i].Undone = r.Outcomes[i].Undone || tasks[r.Outcomes[i].Task]
	}
	if by == ByEvidenceRetry {
		return
	}
	for i := range r.Approvals {
		r.Approvals[i].Undone = r.Approvals[i].Undone || tasks[r.Approvals[i].Task]
	}
	for i := range r.Evidence {
		r.Evidence[i].Undone = r.Evidence[i].Undone || tasks[r.Evidence[i].Task]
	}
	for i := range r.EvidenceRetries {
		r.EvidenceRetries[i].Undone = r.EvidenceRetries[i].Undone || tasks[r.EvidenceRetries[i].Task]
	}
}

// ByEvidenceRetry is who set a run back to carry a step out again because the evidence of its task is missing.
const ByEvidenceRetry = "evidence retry"

// Approval is the latest decision of the reviewers about a task that stands, or nil.
func (r *Run) Approval(task string) *Approval {
	return latest(r.Approvals, func(a *Approval) bool { return a.Task == task && !a.Undone })
}

// Verified is the latest look for a task's evidence that stands, or nil.
func (r *Run) Verified(task string) *Evidence {
	return latest(r.Evidence, func(e *Evidence) bool { return e.Task == task && !e.Undone })
}

// EvidenceRetry is the latest decision about a task's missing evidence that stands, or nil.
func (r *Run) EvidenceRetry(task string) *EvidenceRetry {
	return latest(r.EvidenceRetries, func(e *EvidenceRetry) bool { return e.Task == task && !e.Undone })
}

// Outcome is the last word about a task, or nil while there is none.
func (r *Run) Outcome(task string) *TaskOutcome {
	return latest(r.Outcomes, func(o *TaskOutcome) bool { return o.Task == task && !o.Undone })
}

func latest[T any](list []T, is func(*T) bool) *T {
	for i := len(list) - 1; i >= 0; i-- {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}
