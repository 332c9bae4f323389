package history

import "testing"

// TestConclude has a row for each row of the table of final statuses, of the
// ordered rules behind it, and of the table of all outcomes.
func TestConclude(t *testing.T) {
	const (
		approved, rejected, approvedRetry, failedRetry = Approved, Rejected, ApprovedRetry, FailedRetry
		na, none, waived                               = notExecuted, notLooked, evidenceWaived
		pass, fail                                     = evidenceFound, evidenceMissing
	)
	tests := map[string]struct {
		a    ApprovalStatus
		x    ExecutionStatus
		v    string
		r    Retries
		want StepStatus
	}{
		// the table of final statuses
		"truth: rejected":                        {rejected, na, none, Retries{}, Failed},
		"truth: approved and verified":           {approved, succeeded, pass, Retries{}, Completed},
		"truth: approved and not verified":       {approved, failed, none, Retries{}, Failed},
		"truth: approved on retry and verified":  {approvedRetry, succeeded, pass, Retries{Approval: 1}, Completed},
		"truth: rejected on retry":               {failedRetry, na, none, Retries{Approval: 2}, Failed},
		"truth: approved on retry and not found": {approvedRetry, succeeded, fail, Retries{Approval: 1}, Failed},

		// the ordered rules
		"rule: rejected":                 {rejected, na, none, Retries{}, Failed},
		"rule: rejected before all else": {rejected, succeeded, pass, Retries{}, Failed},
		"rule: verification passes":      {approved, succeeded, pass, Retries{}, Completed},
		"rule: verification passes after retry": {approved, succeeded, pass,
			Retries{Verification: 1}, Completed},
		"rule: verification fails and exhausted": {approved, succeeded, fail,
			Retries{Verification: 2}, FailedFinal},
		"rule: verification fails and nothing was retried": {approved, succeeded, fail, Retries{}, Failed},
		"rule: else": {approved, failed, none, Retries{}, Failed},

		// the table of all outcomes
		"outcome 1: rejected": {rejected, na, none, Retries{}, Failed},
		"outcome 2: rejected then approved": {approvedRetry, succeeded, pass,
			Retries{Approval: 1}, Completed},
		"outcome 3: all well": {approved, succeeded, pass, Retries{}, Completed},
		"outcome 4: all well after an execution retry": {approved, retrySucceeded, pass,
			Retries{Execution: 1}, Completed},
		"outcome 5: no evidence": {approved, succeeded, fail, Retries{}, Failed},
		"outcome 6: evidence after a retry": {approved, succeeded, pass,
			Retries{Verification: 1}, Completed},
		"outcome 7: failed and no retry": {approved, failed, none, Retries{}, Failed},
		"outcome 8: failed then succeeded": {approved, retrySucceeded, pass,
			Retries{Execution: 1}, Completed},
		"outcome 9: failed then failed": {approved, retryFailed, none,
			Retries{Execution: 1}, FailedFinal},
		"a retryable failure that was not tried again":  {approved, retryable, none, Retries{}, Failed},
		"nobody reviewed and evidence found":            {"", succeeded, pass, Retries{}, Completed},
		"nobody asked for evidence":                     {approved, succeeded, waived, Retries{}, Completed},
		"nobody asked for evidence and it failed":       {approved, failed, waived, Retries{}, Failed},
		"nobody looked for evidence":                    {approved, succeeded, none, Retries{}, Failed},
		"a claim of evidence does not help what failed": {approved, failed, pass, Retries{}, Failed},
		"failed retry is never completed":               {failedRetry, succeeded, pass, Retries{Approval: 2}, Failed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := TaskOutcome{Approval: test.a, Execution: test.x, Verification: test.v, Retries: test.r}
			o.conclude(grounds{})
			if o.Status != test.want || o.Reason == "" {
				t.Errorf("got %s (%s), want %s", o.Status, o.Reason, test.want)
			}
		})
	}
}

// TestReasonsSayWhatHappened: nobody approved what nobody reviewed, and retries
// that were left are not all retries.
func TestReasonsSayWhatHappened(t *testing.T) {
	for name, tt := range map[string]struct {
		o      TaskOutcome
		about  grounds
		status StepStatus
		reason string
	}{
		"held by the gate": {TaskOutcome{Approval: FailedRetry, Execution: notExecuted}, grounds{Held: true},
			Failed, "it did not pass the approval gate"},
		"held, and passed then": {TaskOutcome{Approval: ApprovedRetry, Execution: succeeded, Verification: evidenceFound}, grounds{Held: true},
			Completed, "approved, and its evidence was found"},
		"owed none": {TaskOutcome{Execution: succeeded, Verification: evidenceWaived}, grounds{Looked: true},
			Completed, "carried out; it owed no evidence"},
		"nobody asked": {TaskOutcome{Approval: Approved, Execution: succeeded, Verification: evidenceWaived}, grounds{},
			Completed, "approved, and carried out; nobody asked for evidence"},
		"all retries": {TaskOutcome{Execution: succeeded, Verification: evidenceMissing, Retries: Retries{Verification: 2}},
			grounds{Looked: true}, FailedFinal, "its evidence is missing after all retries"},
		"failed again": {TaskOutcome{Approval: Approved, Execution: retryFailed, Retries: Retries{Execution: 1}}, grounds{},
			FailedFinal, "approved, and it failed, also when it was tried anew"},
		"one was left": {TaskOutcome{Execution: succeeded, Verification: evidenceMissing, Retries: Retries{Verification: 1}},
			grounds{Looked: true, Stopped: true}, Failed,
			"carried out, and its evidence is missing, although something was tried anew"},
	} {
		tt.o.conclude(tt.about)
		if tt.o.Status != tt.status || tt.o.Reason != tt.reason {
			t.Errorf("%s: %s, %q", name, tt.o.Status, tt.o.Reason)
		}
	}
}

// TestConcludeCompletesOnlyWhatWasDone goes through all combinations: a task is
// completed only if it was approved, carried out, and not without its evidence.
func TestConcludeCompletesOnlyWhatWasDone(t *testing.T) {
	for _, a := range []ApprovalStatus{"", Approved, Rejected, ApprovedRetry, FailedRetry} {
		for _, x := range []ExecutionStatus{succeeded, failed, retryable, retrySucceeded, retryFailed, notExecuted} {
			for _, v := range []string{evidenceFound, evidenceMissing, notLooked, evidenceWaived} {
				for n := range 8 {
					r := Retries{Approval: n & 1, Execution: n >> 1 & 1, Verification: n >> 2}
					o := TaskOutcome{Approval: a, Execution: x, Verification: v, Retries: r}
					o.conclude(grounds{})
					want := (a == "" || a.Runs()) && (x == succeeded || x == retrySucceeded) &&
						(v == evidenceFound || v == evidenceWaived)
					if (o.Status == Completed) != want {
						t.Errorf("%q %s %s %+v: %s (%s)", a, x, v, r, o.Status, o.Reason)
					}
				}
			}
		}
	}
}

func TestExecutionOf(t *testing.T) {
	tests := map[string]struct {
		class Class
		exit  int
		want  ExecutionStatus
	}{
		"no failure":              {"", 0, succeeded},
		"exit 1":                  {Crashed, 1, failed},
		"exit 128":                {Crashed, 128, failed},
		"exit 129: hang-up":       {Crashed, 129, retryable},
		"exit 137: out of memory": {Crashed, 137, retryable},
		"exit 139: crash":         {Crashed, 139, retryable},
		"exit 192: last signal":   {Crashed, 192, retryable},
		"exit 193":                {Crashed, 193, failed},
		"time-out":                {TimedOut, 0, retryable},
		"memory ran out":          {OutOfMemory, 1, retryable},
		"processor time ran out":  {Exhausted, 1, retryable},
		"controller died":         {Lost, 0, retryable},
		"gate":                    {GateFailed, 137, failed},
		"breach":                  {Breach, 0, failed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var f *AttemptFailed
			if test.class != "" {
				f = &AttemptFailed{Class: test.class}
			}
			if got := f.Execution(test.exit); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestExecutionOfAStep derives what retries came to from the attempts.
func TestExecutionOfAStep(t *testing.T) {
	with := func(c Class) *Attempt {
		return &Attempt{Failure: &AttemptFailed{Class: c}}
	}
	good := &Attempt{}
	tests := map[string]struct {
		attempts []*Attempt
		want     ExecutionStatus
	}{
		"none":                {nil, notExecuted},
		"good":                {[]*Attempt{good}, succeeded},
		"bad":                 {[]*Attempt{with(Crashed)}, failed},
		"late":                {[]*Attempt{with(TimedOut)}, retryable},
		"bad and good":        {[]*Attempt{with(Crashed), good}, retrySucceeded},
		"bad, set back, good": {nil, retrySucceeded},
		"bad and bad":         {[]*Attempt{with(Crashed), with(Crashed)}, retryFailed},
		"the controller died": {[]*Attempt{with(Lost), good}, succeeded},
		"interrupted and bad and good": {[]*Attempt{with(Interrupted), with(Breach), good},
			retrySucceeded},
		"a time-out counts and good": {[]*Attempt{with(TimedOut), good}, retrySucceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &Step{Attempts: test.attempts}
			if name == "bad, set back, good" {
				s = &Step{Undone: []*Attempt{with(Crashed)}, Attempts: []*Attempt{good}}
			}
			if got := s.Execution(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
