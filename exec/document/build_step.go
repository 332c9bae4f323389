package document

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// What became of an attempt.
const (
	accepted = "accepted"
	failed   = "failed"
	running  = "running"
	undone   = "rolled-back"
	lost     = "lost"
)

func newStep(r *history.Run, in *plan.Step, s *history.Step) *step {
	out := &step{
		Address: s.Address, ID: stepID(s), Task: s.Task, Title: s.Title, Status: s.Status,
		Critical: s.Critical, Rollback: s.Rollback, Started: newStamp(s.Started), Ended: newStamp(s.Over),
		Duration: atWork(r, newStamp(s.Started), newStamp(s.Over)),
		Gates:    judgements(s.Gates), Questions: each(s.Questions, newQuestion),
		Recoveries: each(s.Recoveries, newRecovery),
	}
	if in != nil {
		out.Semantic = string(in.SemanticChange)
		if in.Artifacts != nil {
			out.Declared = newDeclared(in.Artifacts.Declared())
		}
	}
	if c := s.Checkpoint; c != nil {
		out.Checkpoint = &stepCheckpoint{newTree(c.Checkpoint), s.At, c.Envelope}
		out.Propagation = &propagation{c.Decision, string(c.Strategy), c.Concern, list(c.Prior)}
	}
	out.addAttempts(r, s)
	out.addEnd(s)
	return out
}

func newRecovery(r history.Recovery) recovery {
	return recovery{Rung: r.Rung, Method: r.Method, Why: r.Why, Repeats: r.Repeats,
		Delay: r.After.Milliseconds(), Passed: r.Passed}
}

// stepID is the id of a step within its task.
func stepID(s *history.Step) string {
	return strings.TrimPrefix(string(s.Address), s.Task+".")
}

func (out *step) addAttempts(r *history.Run, s *history.Step) {
	out.Attempts = []*attempt{}
	out.Retries, out.Backups = tried(s)
	for _, a := range s.Undone {
		out.Attempts = append(out.Attempts, newAttempt(r, s, a, true, false))
	}
	for i, a := range s.Attempts {
		out.Attempts = append(out.Attempts, newAttempt(r, s, a, false, i == len(s.Attempts)-1))
		out.Method = a.Method.Method
	}
}

func (out *step) addEnd(s *history.Step) {
	if c := s.Completed; c != nil {
		t := newTree(c.Snapshot)
		out.Tree, out.Method = &t, c.Method
	}
	if s.Refusal != nil {
		out.Refusal = newFailure(s.Refusal)
	}
	if f := s.Failed; f != nil {
		out.Failure = &stepFailure{f.Class, list(f.Reasons), f.Halts}
	}
	if k := s.Skipped; k != nil {
		out.Skipped = &stepSkipped{k.Why, k.By, k.Done}
	}
	if b := s.Blocked; b != nil {
		out.Blocked = &stepBlocked{b.By, b.Why, b.Unblock}
	}
}

// newAttempt describes an attempt; before says that it was made before the run
// was set back.
func newAttempt(r *history.Run, s *history.Step, a *history.Attempt, before, last bool) *attempt {
	out := &attempt{
		Number: a.Number, Method: a.Method.Method, Text: a.Method.Text, Executor: a.Method.Executor,
		RolledBack: before, Started: newStamp(a.Started), Ended: newStamp(a.Ended),
		Duration: atWork(r, newStamp(a.Started), newStamp(a.Ended)),
		Gates:    judgements(a.Gates), Outcome: lost,
	}
	switch {
	case a.Failure != nil:
		out.Outcome = failed
		out.Failure = newFailure(a.Failure)
	case before:
		out.Outcome = undone
	case last && s.Completed != nil:
		out.Outcome = accepted
	case last && !s.Status.Over():
		out.Outcome = running
	}
	if a.Said != nil {
		out.Said = newSaid(a.Said)
	}
	if a.Accounted != nil {
		out.Ledger = newEntry(a.Accounted)
	}
	if a.Discarded.Tree != "" {
		t := newTree(a.Discarded)
		out.Discarded = &t
	}
	return out
}

func newFailure(f *history.AttemptFailed) *attemptFailure {
	return &attemptFailure{f.Class, f.Cause, list(f.Reasons), findings(f.Findings)}
}

func newSaid(e *history.AttemptEnded) *said {
	out := &said{Output: e.Output, Exit: e.Exit, Error: e.Error, Took: span(e.Took),
		Tokens: e.Tokens, Calls: e.Calls, Stateful: e.Stateful}
	for name, value := range e.Metrics {
		out.Metrics = append(out.Metrics, metric{name, value})
	}
	slices.SortFunc(out.Metrics, func(a, b metric) int { return compare(a.Name, b.Name) })
	return out
}

// account is the entry of the latest attempt that has one, or nil.
func (s *step) account() *entry {
	for _, a := range slices.Backward(s.Attempts) {
		if a.Ledger != nil && !a.RolledBack {
			return a.Ledger
		}
	}
	return nil
}

// trouble is the latest failure of the step, of an attempt or before one, or
// nil.
func (s *step) trouble() *attemptFailure {
	if s.Refusal != nil {
		return s.Refusal
	}
	if a := s.lastFailure(); a != nil {
		return a.Failure
	}
	return nil
}

// lastFailure is the latest attempt that failed, or nil.
func (s *step) lastFailure() *attempt {
	for _, a := range slices.Backward(s.Attempts) {
		if a.Failure != nil && !a.RolledBack {
			return a
		}
	}
	return nil
}
