package history

import (
	"time"

	"github.com/planlock/planlock/gate/approval"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// ApprovalStatus is where a task stands with its reviewers.
type ApprovalStatus string

const (
	Approved      ApprovalStatus = "approved"       // all reviewers approved, and nothing critical was raised
	Rejected      ApprovalStatus = "rejected"       // one did not; a patched draft may follow
	ApprovedRetry ApprovalStatus = "approved_retry" // they approved a patched draft
	FailedRetry   ApprovalStatus = "failed_retry"   // they were not won over, and nothing more is tried
)

// Runs reports whether the steps of the task may run.
func (s ApprovalStatus) Runs() bool { return s == Approved || s == ApprovedRetry }

// Approval is a decision of the reviewers about a task, before its first step.
type Approval struct {
	Task    string            `json:"task_id"`
	Status  ApprovalStatus    `json:"preliminary_status"`
	Reviews []approval.Review `json:"reviews,omitempty"` // in the order of the reviewers; none where they were not asked again
	Reasons []string          `json:"reasons,omitempty"` // why it was not approved
	Jobs    []approval.Job    `json:"approved_jobs,omitempty"`
	Retry   int               `json:"retry_attempt"` // 0 for the draft as planned
	Attempt string            `json:"attempt_id"`    // as in "2/approval#1", from 1
	// Step and Patch name the patched method of the draft that was decided on.
	Step  plan.Address `json:"step,omitempty"`
	Patch string       `json:"patch_id,omitempty"`
	// Terminal says why nothing more is tried; "" where the task runs, or a patched draft may follow.
	Terminal string `json:"terminal,omitempty"`

	// Decided is when, and Undone is set if the run was set back to before the
	// task. Both are known from the journal's order.
	Decided time.Time `json:"-"`
	Undone  bool      `json:"-"`
}

// Open reports whether a patched draft may follow.
func (a *Approval) Open() bool { return a.Status == Rejected && a.Terminal == "" }

// ExecutionStatus is how an attempt, or a task, went.
type ExecutionStatus string

const (
	Succeeded        ExecutionStatus = "SUCCEEDED"         // it ended well, and was accepted
	ExecutionFailed  ExecutionStatus = "FAILED"            // it ended otherwise
	RetryableFailure ExecutionStatus = "RETRYABLE_FAILURE" // it was ended by time, by a signal, or by want of memory
	RetrySucceeded   ExecutionStatus = "RETRY_SUCCEEDED"   // as SUCCEEDED, after a failed attempt
	RetryFailed      ExecutionStatus = "RETRY_FAILED"      // as FAILED, after a failed attempt
	NotExecuted      ExecutionStatus = "N/A"               // nothing was attempted
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

// Retries counts what was tried anew at the three points of a task.
type Retries struct {
	Approval     int `json:"approval"`
	Execution    int `json:"execution"`
	Verification int `json:"verification"`
}

// FinalStatus is what a task came to.
type FinalStatus string

const (
	TaskCompleted   FinalStatus = "completed"    // approved, carried out, and its evidence was found
	TaskFailed      FinalStatus = "failed"       // not that
	TaskFailedFinal FinalStatus = "failed_final" // not that, and all that may be tried was tried
)

// Verification is what became of the search for evidence.
type Verification string

const (
	VerificationPass   Verification = "pass"   // all of it was found
	VerificationFail   Verification = "fail"   // something was not
	VerificationNone   Verification = "N/A"    // nobody looked
	VerificationWaived Verification = "waived" // nobody was to look: the gates of the steps were enough
)

// TaskOutcome is the last word about a task.
type TaskOutcome struct {
	Task         string          `json:"task_id"`
	Status       FinalStatus     `json:"status"`
	Reason       string          `json:"status_reason"`
	Approval     ApprovalStatus  `json:"approval,omitempty"` // "" where nobody was asked
	Execution    ExecutionStatus `json:"execution"`
	Verification Verification    `json:"verification"`
	Retries      Retries         `json:"retries"`
	Attempts     int             `json:"attempts_total"` // of its steps, those that were undone too
	Runs         []string        `json:"run_ids,omitempty"`
	Artifacts    []string        `json:"artifacts,omitempty"`
	Undone       bool            `json:"-"` // the run was set back to before the end of the task
}
