package document

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

func newProgressStep(s *step, in *plan.Step) progressStep {
	out := progressStep{
		TaskID: s.Task, StepID: s.ID, Address: s.Address, Description: s.Title, Status: progressStepStatus(s),
		Critical: s.Critical, RetryCount: s.Retries, Timestamp: s.Ended, Start: s.Started, End: s.Ended,
		MethodUsed: s.Method, Backups: s.Backups, BackupLog: backupLog(s), Prior: []plan.Address{},
		Constraints: ordered[string]{}, Deliverables: []string{}, Message: message(s),
		Escalations: each(s.Questions, newEscalation),
	}
	if out.Timestamp.IsZero() {
		out.Timestamp = s.Started
	}
	if p := s.Propagation; p != nil {
		out.Decision, out.Strategy, out.Concern, out.Prior = p.Decision, p.Strategy, p.Concern, p.Prior
	}
	if in != nil {
		out.Expected = in.ExpectedOutput
	}
	a := s.judged()
	if a == nil {
		out.Constraints = gateResults(s.Gates)
		return out
	}
	out.Constraints = gateResults(s.Gates, a.Gates)
	if in != nil && in.Expect != nil {
		out.OutputMatch = matched(out.Constraints)
	}
	if a.Said != nil {
		out.Output = lastLine(a.Said.Output)
	}
	if a.Ledger != nil && s.Status == history.Completed {
		for _, c := range a.Ledger.Changes {
			if c.Op != "deleted" && c.Kind != "dir" {
				out.Deliverables = append(out.Deliverables, c.text())
			}
		}
	}
	return out
}

// judged is the latest attempt since the run was set back, or nil.
func (s *step) judged() *attempt {
	if n := len(s.Attempts); n > 0 && !s.Attempts[n-1].RolledBack {
		return s.Attempts[n-1]
	}
	return nil
}

func progressStepStatus(s *step) string {
	switch {
	case s.Status != history.InFlight:
		return string(s.Status)
	case s.Retries > 0:
		return "retried"
	}
	return "started"
}

// outputGate is the gate that compares the output of a step with what its plan
// expects.
const outputGate = "expected-output"

func matched(results ordered[string]) *bool {
	for _, r := range results {
		if r.Key == outputGate && r.Value != undecided {
			ok := r.Value == "pass"
			return &ok
		}
	}
	return nil
}

func backupLog(s *step) []progressBackup {
	out := []progressBackup{}
	trigger := ""
	for _, a := range s.Attempts {
		if a.RolledBack {
			continue
		}
		if strings.HasPrefix(a.Method, "backup_") {
			outcome := "in_progress"
			switch a.Outcome {
			case accepted:
				outcome = "success"
			case failed, lost:
				outcome = "failure"
			}
			out = append(out, progressBackup{a.Method, a.Text, trigger, outcome, a.Started, a.Ended})
		}
		if a.Failure != nil {
			trigger = strings.Join(a.Failure.Reasons, "; ")
		}
	}
	return out
}

// message says in one text how a step ended, or what is known so far.
func message(s *step) string {
	switch {
	case s.Failure != nil:
		return strings.Join(append([]string{string(s.Failure.Class)}, s.Failure.Reasons...), "; ")
	case s.Skipped != nil:
		return s.Skipped.Why
	case s.Blocked != nil:
		return s.Blocked.Why
	case s.Status == history.Completed && s.Method != "primary":
		return "completed by " + s.Method
	case s.Status == history.Completed:
		return "completed"
	}
	if f := s.trouble(); f != nil {
		return strings.Join(f.Reasons, "; ")
	}
	return ""
}

// lastLine is the last line of an output that is not empty.
func lastLine(output string) string {
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
