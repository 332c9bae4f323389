package history

import (
	"time"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// ExecutionStatus is how an attempt, a step or a task went, in one of the words
// below, which documents show as they are.
type ExecutionStatus string

const (
	succeeded      ExecutionStatus = "SUCCEEDED"         // it ended well, and was accepted
	failed         ExecutionStatus = "FAILED"            // it ended otherwise
	retryable      ExecutionStatus = "RETRYABLE_FAILURE" // it was ended by time, by a signal, or by want of memory
	retrySucceeded ExecutionStatus = "RETRY_SUCCEEDED"   // as SUCCEEDED, after a failed attempt
	retryFailed    ExecutionStatus = "RETRY_FAILED"      // as FAILED, after a failed attempt
	notExecuted    ExecutionStatus = "N/A"               // nothing was attempted
)

// Succeeded reports whether it went well, in the end.
func (x ExecutionStatus) Succeeded() bool { return x == succeeded || x == retrySucceeded }

// What became of the search for evidence.
const (
	evidenceFound   = "pass"   // all of it was found
	evidenceMissing = "fail"   // something was not
	notLooked       = "N/A"    // nobody looked
	evidenceWaived  = "waived" // there was nothing to look for, or nobody was to: the gates of the steps were enough
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
	Status       StepStatus      `json:"status"` // Completed, Failed or FailedFinal
	Reason       string          `json:"status_reason"`
	Approval     ApprovalStatus  `json:"approval,omitempty"` // "" where nobody was asked
	Execution    ExecutionStatus `json:"execution"`
	Verification string          `json:"verification"` // "pass", "fail", "N/A", "waived": nobody was to look
	Retries      Retries         `json:"retries"`
	Attempts     int             `json:"attempts_total"` // of its steps, those that were undone too
	Runs         []string        `json:"run_ids,omitempty"`
	Artifacts    []string        `json:"artifacts,omitempty"`
	Undone       bool            `json:"-"` // the run was set back to before the end of the task
}

func (*TaskOutcome) Type() string { return "task-outcome" }

func (f *TaskOutcome) String() string { return sprint("task %s is %s: %s", f.Task, f.Status, f.Reason) }

// The grounds of a last word, besides what it says itself.
type grounds struct {
	Looked  bool // somebody looked for evidence
	Stopped bool // no further retry for evidence was made, although one was left
	Held    bool // what kept the draft from passing was nothing that its reviewers said
}

// conclude sets the status of a last word, and the reason, from the rest of it,
// by the first of these rules that applies:
//
//	the reviewers did not approve it, or the gate did not   failed
//	its evidence was found                                  completed
//	it was carried out, and owed no evidence                completed
//	evidence is missing after all retries                   failed_final
//	it failed, and had been tried anew                      failed_final
//	else                                                    failed
//
// No more of a failed one is tried where all retries are used, or advice is not
// sure enough for another.
//
// A task that nobody reviewed counts as approved, and no reason says that it
// was. Evidence of a task that failed is nobody's to find: it cannot pass.
func (f *TaskOutcome) conclude(about grounds) {
	approved := ""
	if f.Approval != "" {
		approved = "approved, and "
	}
	done, found, r := f.Execution.Succeeded(), f.Verification, f.Retries
	switch {
	case about.Held && f.Approval != "" && !f.Approval.Runs():
		f.Status, f.Reason = Failed, "it did not pass the approval gate"
	case f.Approval == Rejected:
		f.Status, f.Reason = Failed, "its reviewers did not approve it"
	case f.Approval == FailedRetry && r.Approval == 0:
		f.Status, f.Reason = Failed, "its reviewers did not approve it"
	case f.Approval == FailedRetry:
		f.Status, f.Reason = Failed, "its reviewers did not approve it, nor what was made of it"
	case done && found == evidenceFound && r.Verification > 0:
		f.Status, f.Reason = Completed, approved+"its evidence was found after a retry"
	case done && found == evidenceFound:
		f.Status, f.Reason = Completed, approved+"its evidence was found"
	case done && found == evidenceWaived && about.Looked:
		f.Status, f.Reason = Completed, approved+"carried out; it owed no evidence"
	case done && found == evidenceWaived:
		f.Status, f.Reason = Completed, approved+"carried out; nobody asked for evidence"
	case done && found == evidenceMissing && r.Verification > 0 && !about.Stopped:
		f.Status, f.Reason = FailedFinal, "its evidence is missing after all retries"
	case f.Execution == notExecuted:
		f.Status, f.Reason = Failed, "it was not carried out, so there is no evidence"
	case !done && (f.Execution == retryFailed || r.Execution > 0):
		f.Status, f.Reason = FailedFinal, approved+"it failed, also when it was tried anew"
	case !done && r.Verification > 0:
		f.Status, f.Reason = FailedFinal, approved+"its evidence was missing, and it failed when it was tried anew"
	case done && r.Verification > 0:
		f.Status, f.Reason = Failed, approved+"carried out, and its evidence is missing, although something was tried anew"
	case done:
		f.Status, f.Reason = Failed, approved+"carried out, and its evidence is missing"
	default:
		f.Status, f.Reason = Failed, approved+"it failed, so there is no evidence"
	}
}

// final reports whether it ends with one of the three words that a last word
// may end with: a journal may come from anybody.
func (f *TaskOutcome) final() bool {
	return f.Status == Completed || f.Status == Failed || f.Status == FailedFinal
}

// idle reports whether all that is said is that nothing was carried out.
func (f *TaskOutcome) idle() bool {
	return f.Execution == notExecuted && f.Approval != Rejected && f.Approval != FailedRetry
}

// Signals that can end a program are 1 to 64; a shell adds 128 to their number.
const (
	firstSignal = 129
	lastSignal  = 192
)

// Execution is [Attempt.Execution] of an attempt that failed so, nil: did not,
// and whose program ended with a status.
func (f *AttemptFailed) Execution(exit int) ExecutionStatus {
	if f == nil {
		return succeeded
	}
	switch f.Class {
	case TimedOut, OutOfMemory, Exhausted, Lost, Interrupted, OverBudget, NotServed:
		return retryable
	case Crashed:
		if exit >= firstSignal && exit <= lastSignal {
			return retryable
		}
	}
	return failed
}

// Evidence is what was found of what a task should have left behind.
type Evidence struct {
	Task   string            `json:"task_id"`
	Kind   evidence.TaskType `json:"type"`
	Items  []evidence.Item   `json:"items,omitempty"`        // as many as a journal takes, the missing first
	More   int               `json:"more,omitempty"`         // how many others there are
	Lost   int               `json:"more_missing,omitempty"` // how many of these were not found
	Pass   bool              `json:"pass"`                   // something was asked for, and all of it was found
	Retry  int               `json:"retry"`                  // 0 for the first look
	Action string            `json:"action,omitempty"`       // of the retry: "requery", "regenerate"
	Undone bool              `json:"-"`                      // the run was set back to before the end of the task
}

func (*Evidence) Type() string { return "evidence" }

// Lacks reports whether something that was asked for was not found. A task that
// owes nothing lacks nothing, and has shown nothing.
func (f *Evidence) Lacks() bool { return !f.Pass && len(f.Items) > 0 }

func (f *Evidence) String() string {
	if len(f.Items) == 0 {
		return sprint("task %s (%s) owes no evidence", f.Task, f.Kind)
	}
	verdict, n := "missing", f.Missing()
	if f.Pass {
		verdict, n = "found", len(f.Items)+f.More-n
	}
	return sprint("evidence of task %s (%s) is %s: %d of %s", f.Task, f.Kind, verdict, n,
		count(len(f.Items)+f.More, "item"))
}

// Missing is how much of what was asked for was not found.
func (f *Evidence) Missing() int {
	n := f.Lost
	for _, item := range f.Items {
		if item.State != evidence.Found {
			n++
		}
	}
	return n
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
