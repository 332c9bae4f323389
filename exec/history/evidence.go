package history

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// Telemetry is what an attempt said about itself on its standard output, or in
// its outcome. It proves nothing: evidence is looked for elsewhere.
type Telemetry struct {
	Status    ExecutionStatus    `json:"status"`
	Runs      []string           `json:"run_ids,omitempty"`   // in the order in which they were named, each once
	Artifacts []string           `json:"artifacts,omitempty"` // likewise
	Metrics   map[string]float64 `json:"metrics,omitempty"`   // the last value of each
	Dropped   int                `json:"dropped,omitempty"`   // lines that were too many, or that nobody could read
}

func (*Telemetry) Type() string { return "telemetry" }

func (f *Telemetry) String() string {
	text := fmt.Sprintf("%s · %s · %s · %s",
		f.Status, count(len(f.Runs), "run"), count(len(f.Artifacts), "artifact"), count(len(f.Metrics), "metric"))
	if f.Dropped > 0 {
		text += fmt.Sprintf(" · %s dropped", count(f.Dropped, "line"))
	}
	return text
}

func (f *Telemetry) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Telemetry = f
	return nil
}

// Evidence is what was found of what a task should have left behind.
type Evidence struct {
	Task   string            `json:"task_id"`
	Kind   evidence.TaskType `json:"type"`
	Items  []evidence.Item   `json:"items,omitempty"`
	Pass   bool              `json:"pass"`
	Retry  int               `json:"retry"`            // 0 for the first look
	Action string            `json:"action,omitempty"` // of the retry: "requery", "regenerate"
	Undone bool              `json:"-"`                // the run was set back to before the end of the task
}

func (*Evidence) Type() string { return "evidence" }

func (f *Evidence) String() string {
	found := 0
	for _, item := range f.Items {
		if item.State == evidence.Found {
			found++
		}
	}
	verdict := "missing"
	if f.Pass {
		verdict = "found"
	}
	return sprint("evidence of task %s (%s) is %s: %d of %s", f.Task, f.Kind, verdict, found,
		count(len(f.Items), "item"))
}

func (f *Evidence) ofRun(r *Run, _ moment) error {
	r.Evidence = append(r.Evidence, *f)
	return nil
}

// Verified is the latest look for a task's evidence that stands, or nil.
func (r *Run) Verified(task string) *Evidence {
	return latest(r.Evidence, func(e *Evidence) bool { return e.Task == task && !e.Undone })
}

// EvidenceRetry is what is done about missing evidence, or why nothing is.
type EvidenceRetry struct {
	Task       string        `json:"task_id"`
	Retry      int           `json:"retry"`              // from 1
	Action     string        `json:"action,omitempty"`   // "requery", "regenerate"; "" where Terminal is set
	Step       plan.Address  `json:"step,omitempty"`     // that is carried out again
	Patch      string        `json:"patch_id,omitempty"` // with this method
	Confidence float64       `json:"confidence"`         // of the advice
	After      time.Duration `json:"after_ns,omitempty"` // how long to wait before looking again
	Terminal   string        `json:"terminal,omitempty"` // why nothing more is tried
	At         time.Time     `json:"-"`                  // when it was decided: the wait began then
	Undone     bool          `json:"-"`                  // the run was set back to before the end of the task
}

func (*EvidenceRetry) Type() string { return "evidence-retry" }

func (f *EvidenceRetry) String() string {
	return sprint("task %s, retry %d: %s%s", f.Task, f.Retry, f.Action, f.Terminal)
}

func (f *EvidenceRetry) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.EvidenceRetries = append(r.EvidenceRetries, *f)
	return nil
}

// EvidenceRetry is the latest decision about a task's missing evidence that
// stands, or nil.
func (r *Run) EvidenceRetry(task string) *EvidenceRetry {
	return latest(r.EvidenceRetries, func(e *EvidenceRetry) bool { return e.Task == task && !e.Undone })
}

// ByEvidenceRetry is who set a run back to carry a step out again because the
// evidence of its task is missing.
const ByEvidenceRetry = "evidence retry"
