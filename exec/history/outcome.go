package history

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

func (f *TaskOutcome) ofRun(r *Run, _ moment) error {
	r.Outcomes = append(r.Outcomes, *f)
	return nil
}

// Outcome is the last word about a task, or nil while there is none.
func (r *Run) Outcome(task string) *TaskOutcome {
	return latest(r.Outcomes, func(o *TaskOutcome) bool { return o.Task == task && !o.Undone })
}

// undoTasks forgets what was decided about tasks of which a step was set back.
// A step that is set back to find missing evidence keeps its task's approval
// and its retries: they would be endless else.
func (r *Run) undoTasks(tasks map[string]bool, by string) {
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

// Execution is how an attempt went: SUCCEEDED without a failure;
// RETRYABLE_FAILURE where time, memory, a signal or the controller's own end
// cut it off, so that nothing says that it cannot succeed; else FAILED.
func (a *Attempt) Execution() ExecutionStatus {
	exit := 0
	if a.Said != nil {
		exit = a.Said.Exit
	}
	return ExecutionOf(a.Failure, exit)
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

// Execution is how a step went, over all its attempts: RETRY_SUCCEEDED or
// RETRY_FAILED where an earlier attempt failed for a reason of its own.
func (s *Step) Execution() ExecutionStatus {
	last := s.Last()
	if last == nil {
		return NotExecuted
	}
	switch got := last.Execution(); {
	case s.Retried() == 0:
		return got
	case got == Succeeded:
		return RetrySucceeded
	default:
		return RetryFailed
	}
}

// Retried counts the attempts that followed one that failed, since the step was
// last set back.
func (s *Step) Retried() int {
	n := 0
	for i := 1; i < len(s.Attempts); i++ {
		if f := s.Attempts[i-1].Failure; f != nil && f.Class != Interrupted && f.Class != Lost {
			n++
		}
	}
	return n
}

// TaskExecution is how a task went: as well as the worst of its steps that its
// end depends on. Steps that were left out on somebody's word, and those that
// failed without being critical, do not count, unless nothing else was done.
func (r *Run) TaskExecution(task string) ExecutionStatus {
	result, retried := NotExecuted, false
	for _, s := range r.Steps {
		if s.Task != task {
			continue
		}
		got := s.Execution()
		retried = retried || s.Retried() > 0
		switch {
		case s.Status == Completed && result == NotExecuted:
			result = Succeeded
		case s.Status == Failed && s.Critical, s.Status == Blocked && s.Critical && got != NotExecuted:
			return got
		case s.Status == Failed && result == NotExecuted:
			result = got
		case s.Status == Blocked && s.Critical && result != NotExecuted, s.Status == Pending && result != NotExecuted:
			return ExecutionFailed // it stopped half-way
		}
	}
	if retried && result == Succeeded {
		return RetrySucceeded
	}
	return result
}

// TaskRetries counts what was tried anew at the three points of a task.
func (r *Run) TaskRetries(task string) Retries {
	var n Retries
	if a := r.Approval(task); a != nil {
		n.Approval = a.Retry
	}
	for _, s := range r.Steps {
		if s.Task == task {
			n.Execution += s.Retried()
		}
	}
	for i := range r.EvidenceRetries {
		if e := &r.EvidenceRetries[i]; e.Task == task && !e.Undone && e.Terminal == "" {
			n.Verification++
		}
	}
	return n
}
