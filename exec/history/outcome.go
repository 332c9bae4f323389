package history

import (
	"time"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

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

// Verification is what became of the search for evidence.
type Verification string

const (
	VerificationPass   Verification = "pass"   // all of it was found
	VerificationFail   Verification = "fail"   // something was not
	VerificationNone   Verification = "N/A"    // nobody looked
	VerificationWaived Verification = "waived" // nobody was to look: the gates of the steps were enough
)

// FinalStatus is what a task came to.
type FinalStatus string

const (
	TaskCompleted   FinalStatus = "completed"    // approved, carried out, and its evidence was found
	TaskFailed      FinalStatus = "failed"       // not that
	TaskFailedFinal FinalStatus = "failed_final" // not that, and all that may be tried was tried
)

// Retries counts what was tried anew at the three points of a task.
type Retries struct {
	Approval     int `json:"approval"`
	Execution    int `json:"execution"`
	Verification int `json:"verification"`
}

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

func (*TaskOutcome) Type() string { return "task-outcome" }

func (f *TaskOutcome) String() string { return sprint("task %s is %s: %s", f.Task, f.Status, f.Reason) }

// Conclude is the last word about a task, by the first of these rules that
// applies:
//
//	the reviewers did not approve it                        failed
//	its evidence was found                                  completed
//	it was carried out, and nobody asked for evidence       completed
//	it failed, or evidence is missing, after retries        failed_final
//	else                                                    failed
//
// A task that nobody reviewed counts as approved. Evidence of a task that
// failed is nobody's to find: it cannot pass.
func Conclude(a ApprovalStatus, x ExecutionStatus, v Verification, r Retries) (FinalStatus, string) {
	done := x == Succeeded || x == RetrySucceeded
	switch {
	case a == Rejected:
		return TaskFailed, "its reviewers did not approve it"
	case a == FailedRetry:
		return TaskFailed, "its reviewers did not approve it, nor what was made of it"
	case done && v == VerificationPass && r.Verification > 0:
		return TaskCompleted, "approved, and its evidence was found after a retry"
	case done && v == VerificationPass:
		return TaskCompleted, "approved, and its evidence was found"
	case done && v == VerificationWaived:
		return TaskCompleted, "approved and carried out; nobody asked for evidence"
	case done && v == VerificationFail && r.Verification > 0:
		return TaskFailedFinal, "its evidence is missing after all retries"
	case x == NotExecuted:
		return TaskFailed, "it was not carried out, so there is no evidence"
	case !done && (x == RetryFailed || r.Execution > 0 || r.Verification > 0):
		return TaskFailedFinal, "approved, and it failed after all retries"
	case done:
		return TaskFailed, "approved and carried out, and its evidence is missing"
	}
	return TaskFailed, "approved, and it failed, so there is no evidence"
}

// Signals that can end a program are 1 to 64; a shell adds 128 to their number.
const (
	firstSignal = 129
	lastSignal  = 192
)

// ExecutionOf is [Attempt.Execution] of an attempt that failed so, nil: did
// not, and whose program ended with a status.
func ExecutionOf(f *AttemptFailed, exit int) ExecutionStatus {
	if f == nil {
		return Succeeded
	}
	switch f.Class {
	case TimedOut, OutOfMemory, Lost, Interrupted:
		return RetryableFailure
	case Crashed:
		if exit >= firstSignal && exit <= lastSignal {
			return RetryableFailure
		}
	}
	return ExecutionFailed
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

// ByEvidenceRetry is who set a run back to carry a step out again because the
// evidence of its task is missing.
const ByEvidenceRetry = "evidence retry"
