package history_test

import (
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestConclude has a row for each row of the table of final statuses, of the
// ordered rules behind it, and of the table of all outcomes.
func TestConclude(t *testing.T) {
	const (
		approved, rejected, approvedRetry, failedRetry = history.Approved, history.Rejected, history.ApprovedRetry,
			history.FailedRetry
		na, succeeded, failed, retryable = history.NotExecuted, history.Succeeded, history.ExecutionFailed,
			history.RetryableFailure
		retrySucceeded, retryFailed = history.RetrySucceeded, history.RetryFailed
		none, pass, fail, waived    = history.VerificationNone, history.VerificationPass, history.VerificationFail,
			history.VerificationWaived
	)
	tests := map[string]struct {
		a    history.ApprovalStatus
		x    history.ExecutionStatus
		v    history.Verification
		r    history.Retries
		want history.FinalStatus
	}{
		// the table of final statuses
		"truth: rejected":                  {rejected, na, none, history.Retries{}, history.TaskFailed},
		"truth: approved and verified":     {approved, succeeded, pass, history.Retries{}, history.TaskCompleted},
		"truth: approved and not verified": {approved, failed, none, history.Retries{}, history.TaskFailed},
		"truth: approved on retry and verified": {approvedRetry, succeeded, pass, history.Retries{Approval: 1},
			history.TaskCompleted},
		"truth: rejected on retry": {failedRetry, na, none, history.Retries{Approval: 2},
			history.TaskFailed},
		"truth: approved on retry and not found": {approvedRetry, succeeded, fail, history.Retries{Approval: 1},
			history.TaskFailed},

		// the ordered rules
		"rule: rejected": {rejected, na, none, history.Retries{}, history.TaskFailed},
		"rule: rejected before all else": {rejected, succeeded, pass, history.Retries{},
			history.TaskFailed},
		"rule: verification passes": {approved, succeeded, pass, history.Retries{},
			history.TaskCompleted},
		"rule: verification passes after retry": {approved, succeeded, pass,
			history.Retries{Verification: 1}, history.TaskCompleted},
		"rule: verification fails and exhausted": {approved, succeeded, fail,
			history.Retries{Verification: 2}, history.TaskFailedFinal},
		"rule: verification fails and nothing was retried": {approved, succeeded, fail, history.Retries{},
			history.TaskFailed},
		"rule: else": {approved, failed, none, history.Retries{}, history.TaskFailed},

		// the table of all outcomes
		"outcome 1: rejected": {rejected, na, none, history.Retries{}, history.TaskFailed},
		"outcome 2: rejected then approved": {approvedRetry, succeeded, pass,
			history.Retries{Approval: 1}, history.TaskCompleted},
		"outcome 3: all well": {approved, succeeded, pass, history.Retries{},
			history.TaskCompleted},
		"outcome 4: all well after an execution retry": {approved, retrySucceeded, pass,
			history.Retries{Execution: 1}, history.TaskCompleted},
		"outcome 5: no evidence": {approved, succeeded, fail, history.Retries{},
			history.TaskFailed},
		"outcome 6: evidence after a retry": {approved, succeeded, pass, history.Retries{Verification: 1},
			history.TaskCompleted},
		"outcome 7: failed and no retry": {approved, failed, none, history.Retries{},
			history.TaskFailed},
		"outcome 8: failed then succeeded": {approved, retrySucceeded, pass,
			history.Retries{Execution: 1}, history.TaskCompleted},
		"outcome 9: failed then failed": {approved, retryFailed, none, history.Retries{Execution: 1},
			history.TaskFailedFinal},
		"a retryable failure that was not tried again": {approved, retryable, none, history.Retries{},
			history.TaskFailed},
		"nobody reviewed and evidence found": {"", succeeded, pass, history.Retries{},
			history.TaskCompleted},
		"nobody asked for evidence": {approved, succeeded, waived, history.Retries{},
			history.TaskCompleted},
		"nobody asked for evidence and it failed": {approved, failed, waived, history.Retries{},
			history.TaskFailed},
		"nobody looked for evidence": {approved, succeeded, none, history.Retries{},
			history.TaskFailed},
		"a claim of evidence does not help what failed": {approved, failed, pass, history.Retries{},
			history.TaskFailed},
		"failed retry is never completed": {failedRetry, succeeded, pass, history.Retries{Approval: 2},
			history.TaskFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, why := history.Conclude(test.a, test.x, test.v, test.r)
			if got != test.want || why == "" {
				t.Errorf("got %s (%s), want %s", got, why, test.want)
			}
		})
	}
}

// TestConcludeCompletesOnlyWhatWasDone goes through all combinations: a task is
// completed only if it was approved, carried out, and not without its evidence.
func TestConcludeCompletesOnlyWhatWasDone(t *testing.T) {
	for _, a := range []history.ApprovalStatus{"", history.Approved, history.Rejected, history.ApprovedRetry,
		history.FailedRetry} {
		for _, x := range []history.ExecutionStatus{history.Succeeded, history.ExecutionFailed,
			history.RetryableFailure,
			history.RetrySucceeded, history.RetryFailed, history.NotExecuted} {
			for _, v := range []history.Verification{history.VerificationPass, history.VerificationFail,
				history.VerificationNone, history.VerificationWaived} {
				for n := range 8 {
					r := history.Retries{Approval: n & 1, Execution: n >> 1 & 1, Verification: n >> 2}
					got, why := history.Conclude(a, x, v, r)
					want := (a == "" || a.Runs()) && (x == history.Succeeded || x == history.RetrySucceeded) &&
						(v == history.VerificationPass || v == history.VerificationWaived)
					if (got == history.TaskCompleted) != want {
						t.Errorf("%q %s %s %+v: %s (%s)", a, x, v, r, got, why)
					}
				}
			}
		}
	}
}

func TestExecutionOf(t *testing.T) {
	tests := map[string]struct {
		class history.Class
		exit  int
		want  history.ExecutionStatus
	}{
		"no failure":              {"", 0, history.Succeeded},
		"exit 1":                  {history.Crashed, 1, history.ExecutionFailed},
		"exit 128":                {history.Crashed, 128, history.ExecutionFailed},
		"exit 129: hang-up":       {history.Crashed, 129, history.RetryableFailure},
		"exit 137: out of memory": {history.Crashed, 137, history.RetryableFailure},
		"exit 139: crash":         {history.Crashed, 139, history.RetryableFailure},
		"exit 192: last signal":   {history.Crashed, 192, history.RetryableFailure},
		"exit 193":                {history.Crashed, 193, history.ExecutionFailed},
		"time-out":                {history.TimedOut, 0, history.RetryableFailure},
		"memory ran out":          {history.OutOfMemory, 1, history.RetryableFailure},
		"controller died":         {history.Lost, 0, history.RetryableFailure},
		"gate":                    {history.GateFailed, 137, history.ExecutionFailed},
		"breach":                  {history.Breach, 0, history.ExecutionFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var f *history.AttemptFailed
			if test.class != "" {
				f = &history.AttemptFailed{Class: test.class}
			}
			if got := history.ExecutionOf(f, test.exit); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestExecutionOfAStep derives what retries came to from the attempts.
func TestExecutionOfAStep(t *testing.T) {
	failed := func(c history.Class) *history.Attempt {
		return &history.Attempt{Failure: &history.AttemptFailed{Class: c}}
	}
	good := &history.Attempt{}
	tests := map[string]struct {
		attempts []*history.Attempt
		want     history.ExecutionStatus
	}{
		"none":         {nil, history.NotExecuted},
		"good":         {[]*history.Attempt{good}, history.Succeeded},
		"bad":          {[]*history.Attempt{failed(history.Crashed)}, history.ExecutionFailed},
		"late":         {[]*history.Attempt{failed(history.TimedOut)}, history.RetryableFailure},
		"bad and good": {[]*history.Attempt{failed(history.Crashed), good}, history.RetrySucceeded},
		"bad and bad": {[]*history.Attempt{failed(history.Crashed), failed(history.Crashed)},
			history.RetryFailed},
		"the controller died": {[]*history.Attempt{failed(history.Lost), good}, history.Succeeded},
		"interrupted and bad and good": {[]*history.Attempt{failed(history.Interrupted), failed(history.Breach),
			good}, history.RetrySucceeded},
		"a time-out counts and good": {[]*history.Attempt{failed(history.TimedOut), good}, history.RetrySucceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &history.Step{Attempts: test.attempts}
			if got := s.Execution(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestARollbackUndoesWhatWasDecidedAboutATask: what a person sets back is
// decided anew; what is set back for its evidence keeps its approval and its
// retries.
func TestARollbackUndoesWhatWasDecidedAboutATask(t *testing.T) {
	story := func(by string) *history.Run {
		j := begun().
			add("", 0, &history.Approval{Task: "1", Status: history.Approved}).
			add("1.1", 0, &history.StepStarted{}).
			add("1.1", 1, &history.AttemptStarted{Method: "primary"}, &history.AttemptEnded{},
				&history.StepCompleted{}).
			add("", 0, &history.Evidence{Task: "1"}, &history.EvidenceRetry{Task: "1", Retry: 1, Action: "regenerate"},
				&history.TaskOutcome{Task: "1", Status: history.TaskFailed}).
			add("1.1", 0, &history.RolledBack{To: plan.Address("1.1"), Snapshot: record.Snapshot{Tree: "base"}, By: by})
		if j.last != nil {
			t.Fatal(j.last)
		}
		return &j.run
	}
	person := story("maria")
	if person.Task("1").Approval() != nil || person.Task("1").Evidence() != nil ||
		person.Task("1").EvidenceRetry() != nil ||
		person.Task("1").Outcome() != nil {
		t.Error("what was decided before a person's rollback still stands")
	}
	if len(person.Approvals) != 1 || !person.Approvals[0].Undone {
		t.Error("what was decided before a rollback is gone")
	}
	retry := story(history.ByEvidenceRetry)
	if retry.Task("1").Approval() == nil || retry.Task("1").Evidence() == nil ||
		retry.Task("1").Retries().Verification != 1 ||
		retry.Task("1").Outcome() != nil {
		t.Error("a retry for evidence forgot what it needs to end")
	}
}
