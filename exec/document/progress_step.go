package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	choices "github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// newProgressStep draws a step; in is the step of the plan, nil if that does
// not have it. What is said of output and gates is that of the latest attempt
// that stands.
func newProgressStep(rep *Model, s *step, in *plan.Step) progressStep {
	out := progressStep{
		TaskID: s.Task, StepID: s.ID, Address: s.Address, Description: s.Title, Status: progressStepStatus(s),
		Critical: s.Critical, RetryCount: s.Retries, Timestamp: s.Ended, Start: s.Started, End: s.Ended,
		MethodUsed: s.Method, Backups: s.Backups, BackupLog: backupLog(s, in), Prior: []plan.Address{},
		Constraints: ordered[result]{}, Deliverables: []string{}, Message: message(rep.of, s),
		Escalations: each(s.Questions, newEscalation), Standing: s.Standing, Carried: s.Carried,
	}
	known := s.Started
	for _, a := range s.Attempts {
		if !a.past {
			out.Lane = cmp.Or(a.Lane, out.Lane)
			for _, at := range []stamp{a.Started, a.Ended} {
				if at.After(known.Time) {
					known = at
				}
			}
		}
	}
	if out.Timestamp.IsZero() {
		out.Timestamp = known
	}
	if p := s.Propagation; p != nil {
		out.Concern = p.Concern
	}
	for _, d := range decisions(s, rep.strategy()) {
		out.Decision, out.Strategy = d.Decision, d.Strategy
		if len(d.Prior) > 0 {
			out.Prior = d.Prior
		}
	}
	if in != nil {
		out.Expected = in.ExpectedOutput
	}
	a := s.judged()
	if a == nil {
		out.Constraints = withNamed(gateResults(s.Gates), in)
		return out
	}
	out.Constraints = withNamed(gateResults(s.Gates, a.Gates), in)
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

// progressStepStatus is the status of a step, where one that is under way says
// whether it was tried before.
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

// matched reports what the gate of the expected output said; nil if it did not
// say.
func matched(results ordered[result]) *bool {
	for _, r := range results {
		if r.Key == outputGate && r.Value != undecided && r.Value != idle {
			ok := r.Value == "pass"
			return &ok
		}
	}
	return nil
}

// backupLog are the attempts with backups, each with the failure before it.
// Attempts that were rolled back are left out.
func backupLog(s *step, in *plan.Step) []progressBackup {
	out, triggers := []progressBackup{}, map[string]string{}
	if in != nil {
		for i := range in.Backups {
			b := &in.Backups[i]
			triggers["backup_"+b.ID] = b.TriggerCondition
		}
	}
	after := ""
	for _, a := range s.Attempts {
		if a.past {
			continue
		}
		if strings.HasPrefix(a.Method, "backup_") {
			outcome := "in_progress"
			switch {
			case a.Outcome == accepted:
				outcome = "success"
			case a.of.Faultless():
				outcome = "cut_off"
			case a.Outcome == failed, a.Outcome == lost:
				outcome = "failure"
			}
			out = append(out, progressBackup{a.Method, a.Text, triggers[a.Method], after, outcome, a.Started, a.Ended})
		}
		if a.Failure != nil {
			after = strings.Join(a.Failure.Reasons, "; ")
		}
	}
	return out
}

// message says in one text how a step ended, or what is known so far.
func message(r *history.Run, s *step) string {
	switch {
	case s.Carried != nil:
		return s.Carried.String()
	case s.Failure != nil:
		return strings.Join(append([]string{s.Failure.Class.String()}, s.Failure.Reasons...), "; ")
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
	if r.Ended != nil && s.Status == history.Pending {
		return "it did not run: " + flow.Unreached(r)
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

// newProgressSummary adds up the run.
func newProgressSummary(rep *Model) progressSummary {
	c := rep.Counts
	out := progressSummary{
		Bases: c.Bases, Repeated: c.Repeated,
		TotalTasks: c.Tasks, CompletedTasks: c.TasksDone,
		TotalSteps: c.Steps, CompletedSteps: c.Completed, FailedSteps: c.Failed, SkippedSteps: c.Skipped,
		BlockedSteps: c.Blocked, PendingSteps: c.Pending + c.Running,
		TotalRetries: c.Retries, BackupsUsed: c.Backups, BackupMethods: ordered[int]{},
		CriticalErrors: []criticalError{}, Propagation: []propagated{}, Rollbacks: rep.RolledBack,
		ModeSwitches: c.ModeSwitches, ModeLog: rep.ModeSwitches, Escalations: c.Questions,
		Seconds: seconds(rep.Duration), Consecutive: c.Consecutive, FinalConsecutive: c.Consecutive,
	}
	if c.Steps > 0 {
		out.SuccessRate = math.Round(1000*float64(c.Completed)/float64(c.Steps)) / 10
	}
	for _, t := range rep.Tasks {
		if t.attempted() {
			out.TasksAttempted++
		}
	}
	for _, s := range rep.steps {
		out.addStep(s, rep.strategy())
	}
	return out
}

// strategy is what a critical failure means in the plan.
func (rep *Model) strategy() string {
	return orElse(string(rep.plan.ErrorPropagation.Strategy), string(plan.HaltOnCritical))
}

// addStep adds a step to the sums, and notes what it says of errors and of how
// they propagated.
func (out *progressSummary) addStep(s *step, strategy string) {
	if s.Critical {
		out.CriticalSteps++
		if s.Status == history.Completed {
			out.CriticalCompleted++
		}
	}
	for _, b := range s.Backups {
		i := slices.IndexFunc(out.BackupMethods, func(p pair[int]) bool { return p.Key == b })
		if i < 0 {
			i = len(out.BackupMethods)
			out.BackupMethods = append(out.BackupMethods, pair[int]{Key: b})
		}
		out.BackupMethods[i].Value++
	}
	switch f, trouble := s.Failure, s.trouble(); {
	case f != nil && s.Critical:
		out.CriticalErrors = append(out.CriticalErrors,
			criticalError{s.Address, s.Task, s.ID, string(f.Class), strings.Join(f.Reasons, "; "), s.Ended})
	case s.Critical && s.Skipped != nil && trouble != nil: // it failed, and was left out then
		out.CriticalErrors = append(out.CriticalErrors, criticalError{s.Address, s.Task, s.ID, string(trouble.Class),
			strings.Join(append(trouble.Reasons[:len(trouble.Reasons):len(trouble.Reasons)],
				"left out by "+s.Skipped.By), "; "), s.Ended})
	}
	for _, d := range decisions(s, strategy) {
		if d.Decision != "proceed" || d.Why != "" {
			out.Propagation = append(out.Propagation, d)
		}
	}
}

// givenUpBy is who gave the step up when asked about it last; "" if nobody did.
func (s *step) givenUpBy() string {
	if n := len(s.Questions); n > 0 && s.Questions[n-1].Answer != nil && s.Questions[n-1].Answer.Choice == choices.GiveUp {
		return s.Questions[n-1].Answer.By
	}
	return ""
}

// unreviewed reports whether nobody said that the step may begin after an earlier
// critical failure.
func (s *step) unreviewed() bool {
	n := len(s.Questions)
	return n > 0 && ask.Kind(s.Questions[n-1].Kind) == ask.Propagation && s.Questions[n-1].Answer == nil
}

// decisions are what was decided about a step because of earlier ones, and what
// its own failure meant for the run, in the order of time. The last one holds.
func decisions(s *step, strategy string) (list []propagated) {
	if p := s.Propagation; p != nil {
		list = append(list, propagated{s.Address, p.Decision, p.Strategy, p.Concern, p.Prior, s.Started})
	}
	switch {
	case s.Blocked != nil && s.Blocked.By != s.Address:
		list = append(list, propagated{s.Address, "blocked", strategy, s.Blocked.Why, []plan.Address{s.Blocked.By},
			s.Ended})
	case s.Blocked != nil && s.unreviewed(): // else nothing came over it from another step
		list = append(list, propagated{s.Address, "blocked", strategy, s.Blocked.Why, []plan.Address{}, s.Ended})
	case s.Failure != nil && s.Failure.Halts:
		why := "the run ends because this step failed"
		if by := s.givenUpBy(); by != "" {
			why += ": " + by + " gave it up"
		} else if strategy != string(plan.HaltOnCritical) {
			why += ", whatever the strategy: the plan blocks it, or it cannot be undone"
		}
		list = append(list, propagated{s.Address, "halt", strategy, why, []plan.Address{}, s.Ended})
	}
	return list
}

// gateResults names each gate with its result; a gate that judged twice is held
// to its worse word.
func gateResults(js ...[]judgement) ordered[result] {
	out := ordered[result]{}
	for _, j := range slices.Concat(js...) {
		i := slices.IndexFunc(out, func(p pair[result]) bool { return p.Key == j.Gate })
		if i < 0 {
			out = append(out, pair[result]{j.Gate, j.Result})
		} else if worse(j.Result) > worse(out[i].Value) {
			out[i].Value = j.Result
		}
	}
	return out
}

// withNamed adds the constraints that a step names, by their keys: they are said
// in words, which no gate judges.
func withNamed(results ordered[result], in *plan.Step) ordered[result] {
	if in != nil {
		for _, name := range in.Constraints {
			results = append(results, pair[result]{"constraints." + strings.TrimPrefix(name, "constraints."), idle})
		}
	}
	return results
}

// worse orders results: the higher, the worse.
func worse(r result) int {
	return slices.Index([]result{idle, "pass", "partial", undecided, "fail"}, r)
}

// newEscalation describes a question in the words of progress logs.
func newEscalation(q question) progressEscalation {
	out := progressEscalation{ID: q.ID, Kind: q.Kind, Prompt: q.What, Reason: q.Why, Asked: q.Asked,
		Options: each(q.Choices, func(c choice) string {
			return fmt.Sprintf("%s: %s (%s)", c.Key, c.Label,
				c.Consequence)
		})}
	if a := q.Answer; a != nil {
		out.Response, out.Words = strings.TrimSpace(a.Choice+": "+a.Label), a.Reason
		out.By, out.At = a.By, a.At
	}
	return out
}
