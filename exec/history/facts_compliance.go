package history

import (
	"time"

	"github.com/planlock/planlock/plan"
)

// Compliance is the look at a task before its first step.
type Compliance struct {
	Task     string      `json:"task_id"`
	Critical int         `json:"critical_count"` // critical steps of the task
	Total    int         `json:"total_count"`
	Checked  []string    `json:"checked"` // articles, as in "IV"
	Violated []Violation `json:"violations,omitempty"`

	At     time.Time `json:"-"` // when it was recorded; set by the fold
	Undone bool      `json:"-"` // the task gained steps since; set by the fold
}

// A Violation of an article.
type Violation struct {
	Article  string       `json:"article"`
	Severity string       `json:"severity"` // "warning", "critical"
	Step     plan.Address `json:"step,omitempty"`
	Why      string       `json:"description"`
	Action   string       `json:"corrective_action"`
}

// Complied is the latest look at a task that stands, or nil.
func (r *Run) Complied(task string) *Compliance {
	for i := len(r.Compliance) - 1; i >= 0; i-- {
		if c := &r.Compliance[i]; c.Task == task && !c.Undone {
			return c
		}
	}
	return nil
}
