package compliance

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Check is the look at a task before its first step.
type Check struct {
	Task     string    `json:"task_id"`
	Balance  Ratio     `json:"critical_balance"`
	Checked  []Article `json:"checked"`
	Findings []Finding `json:"findings,omitempty"`
}

// Critical reports whether a person must be asked before the task begins.
func (c Check) Critical() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Severity == Critical })
}

// Before checks a task before its first step: error propagation is on (article
// IV), critical steps are balanced (VI), the outcomes of the tasks before it
// are there to be read (VIII), and the step that ended last has a complete
// record (X).
func Before(p *plan.Plan, r *history.Run, task string) Check {
	c := Check{Task: task, Checked: []Article{Propagation, Balance, Reading, Logging}}
	c.Findings = propagation(p, task)
	for _, t := range p.Tasks {
		if t.ID == task {
			c.Balance = ratioOf(t)
			c.Findings = append(c.Findings, balance(t)...)
		}
	}
	var last *history.Step
	for _, s := range r.Steps {
		if s.Task == task {
			break
		}
		if !s.Status.Over() && dependsOn(p, task, s.Task) {
			c.Findings = append(c.Findings, Finding{Reading, Critical, task, s.Address,
				fmt.Sprintf("step %s is %s, so its outcome cannot be read", s.Address, s.Status), "let the step end first"})
		}
		if s.Status.Over() && (last == nil || s.Over.After(last.Over)) {
			last = s
		}
	}
	if last != nil {
		c.Findings = append(c.Findings, recorded(last)...)
	}
	return c
}

// propagation finds what keeps errors from propagating.
func propagation(p *plan.Plan, task string) []Finding {
	var found []Finding
	e := p.ErrorPropagation
	for _, setting := range []struct {
		name  string
		value *bool
	}{{"enabled", e.Enabled}, {"read_prior_steps", e.ReadPriorSteps}, {"dependency_tracking", e.DependencyTracking}} {
		if setting.value != nil && !*setting.value {
			found = append(found, Finding{Article: Propagation, Severity: Critical, Task: task,
				Why:    fmt.Sprintf("the plan says error_propagation.%s = false", setting.name),
				Action: "errors propagate all the same; take the line out of the plan"})
		}
	}
	return found
}

// balance finds tasks in which every step is critical, or none. A task of one
// step has no balance.
func balance(t plan.Task) []Finding {
	r := ratioOf(t)
	switch {
	case r.Total <= 1:
		return nil
	case r.Critical == r.Total:
		return []Finding{{Article: Balance, Severity: Warning, Task: t.ID,
			Why:    fmt.Sprintf("all %d steps are critical", r.Total),
			Action: "mark steps without which the goal can be reached as not critical"}}
	case r.Critical == 0:
		return []Finding{{Article: Balance, Severity: Warning, Task: t.ID, Why: fmt.Sprintf("none of %d steps is critical", r.Total),
			Action: "mark the steps without which the goal cannot be reached as critical"}}
	}
	return nil
}

// dependsOn reports whether a task, or the speclet that holds it, needs another
// directly.
func dependsOn(p *plan.Plan, task, other string) bool {
	for _, t := range p.Tasks {
		if t.ID == task && slices.Contains(t.DependsOn, other) {
			return true
		}
	}
	return false
}

// recorded finds what the record of a step lacks.
func recorded(s *history.Step) []Finding {
	var lacks []string
	need := func(there bool, what string) {
		if !there {
			lacks = append(lacks, what)
		}
	}
	need(s.Task != "", "task")
	need(s.Status.Over(), "status")
	need(!s.Over.IsZero(), "time of its end")
	if s.Status == history.Completed && s.Carried == nil || s.Status == history.Failed && len(s.Attempts) > 0 {
		need(s.Checkpoint != nil && s.Checkpoint.Decision != "", "decision about earlier errors")
		need(len(s.Attempts) > 0, "attempts")
		for _, a := range s.Attempts {
			need(a.Method.Method != "", fmt.Sprintf("method of attempt %d", a.Number))
			need(!a.Started.IsZero() && !a.Ended.IsZero(), fmt.Sprintf("times of attempt %d", a.Number))
		}
	}
	var found []Finding
	for _, what := range lacks {
		found = append(found, Finding{Logging, Warning, s.Task, s.Address, "its record lacks the " + what, "report this: the controller writes it"})
	}
	return found
}
