package modes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// A Step is what the triggers look at in one step that is over.
type Step struct {
	Address   plan.Address
	Task      string
	Failed    bool
	Backup    string   // the backup that it was completed with, with its description; "" if with another method
	Backups   int      // attempts with backups
	Exhausted bool     // it has backups that were tried, and failed all the same
	Retries   int      // attempts with a method that had been tried before
	Mismatch  bool     // an attempt's output was not the expected one
	Violation bool     // an attempt broke what the step was bound to
	Methods   []string // what was tried, in words
}

// Observe returns the steps of a run that were completed or failed since
// dynamic mode began, in the order in which they ended. failing, if not nil, is
// the step that is about to fail: it counts as failed, and as the last.
func Observe(run *history.Run, failing *history.Step) []Step {
	return observed(run, failing, math.MaxUint64)
}

// ObserveBefore is [Observe] as it was when something was written to the journal:
// of the steps that had ended.
func ObserveBefore(run *history.Run, at uint64) []Step { return observed(run, nil, at) }

func observed(run *history.Run, failing *history.Step, before uint64) []Step {
	var over []*history.Step
	for _, s := range run.Steps {
		counts := s.Status == history.Completed || s.Status == history.Failed
		if counts && s != failing && s.EndedAt > run.ModeAt && s.EndedAt < before {
			over = append(over, s)
		}
	}
	slices.SortStableFunc(over, func(a, b *history.Step) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	if failing != nil {
		over = append(over, failing)
	}
	rows := make([]Step, len(over))
	for i, s := range over {
		if s == failing {
			rows[i] = observeFailing(s)
		} else {
			rows[i] = observe(s)
		}
	}
	return rows
}

// observeFailing is what is looked at in a step that is about to fail.
func observeFailing(s *history.Step) Step {
	row := observe(s)
	row.Failed, row.Exhausted = true, row.Backups > 0
	return row
}

// observe is what dynamic mode measures of a step. Attempts that ended through
// no fault of their method do not count.
func observe(s *history.Step) Step {
	row := Step{Address: s.Address, Task: s.Task, Failed: s.Status == history.Failed}
	seen := map[string]bool{}
	for _, a := range s.Attempts {
		if a.Aside != nil || a.Failure != nil && slices.Contains([]history.Class{history.Interrupted, history.Lost,
			history.OverBudget, history.NotServed}, a.Failure.Class) {
			continue // no fault of its method
		}
		name := a.Method.Method
		backup := isBackup(a)
		switch {
		case backup:
			row.Backups++
		case seen[name]:
			row.Retries++
		}
		seen[name] = true
		how := "succeeded"
		if a.Failure != nil {
			how = "failed: " + a.Failure.Class.String()
		} else if backup {
			row.Backup = name + " " + a.Method.Text
		}
		row.Methods = append(row.Methods, fmt.Sprintf("%s %s %s", s.Address, name, how))
		row.Mismatch = row.Mismatch || found(a, func(c string) bool { return c == code.ExpectedOutput })
		row.Violation = row.Violation || violated(a)
	}
	if len(row.Methods) == 0 {
		row.Methods = []string{fmt.Sprintf("%s was not attempted", s.Address)}
	}
	row.Exhausted = row.Failed && row.Backups > 0
	return row
}

func isBackup(a *history.Attempt) bool { return strings.HasPrefix(a.Method.Method, "backup_") }

// violated reports whether an attempt broke what its step was bound to: its
// declaration, its limits, a non-goal, an invariant or its class of change.
func violated(a *history.Attempt) bool {
	return a.Failure != nil && (a.Failure.Class == history.Breach || a.Failure.Class == history.Unrestorable) ||
		found(a, func(c string) bool { return c == code.Invariant || code.Undeclared(c) })
}

// found reports whether a failed attempt was told one of the codes.
func found(a *history.Attempt, one func(code string) bool) bool {
	return a.Failure != nil && slices.ContainsFunc(a.Failure.Findings, func(f gate.Finding) bool { return one(f.Code) })
}
