package recovery

import (
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Names of the rungs, as they stand in the journal.
const (
	RetryRung  = "retry"
	BackupRung = "backup"
	AskRung    = "ask"
)

// Primary is the name of a step's own method.
const Primary = "primary"

// BackupName is the name of the method that a backup is.
func BackupName(b plan.Backup) string { return "backup_" + b.ID }

// Retry tries the primary method again: where the step says on_failure =
// "retry", at most max_retries times (once where it gives no number), and only
// where that is lawful: the executor is stateless, the step can be undone, and
// the failure is none that the same method must meet again.
func Retry() Rung {
	return Rung{Name: RetryRung, Try: func(s Situation) (Next, bool) {
		if s.Step.OnFailure != plan.Retry || !repeatable(s) {
			return Next{}, false
		}
		last := s.History.Last()
		if last != nil && last.Method.Method != Primary {
			return Next{}, false
		}
		allowed := 1
		if s.Step.MaxRetries != nil {
			allowed = *s.Step.MaxRetries
		}
		used := s.History.Rungs(RetryRung)
		if used >= allowed {
			return Next{}, false
		}
		return Next{Method: Primary, Why: fmt.Sprintf("retry %d of %d", used+1, allowed)}, true
	}}
}

// Backup tries the step's backups, each once, in the order of the plan.
func Backup() Rung {
	return Rung{Name: BackupRung, Try: func(s Situation) (Next, bool) {
		if !undoable(s) || !methodMatters(s.Failure.Class) {
			return Next{}, false
		}
		used := s.History.Rungs(BackupRung)
		if used >= len(s.Step.Backups) {
			return Next{}, false
		}
		b := s.Step.Backups[used]
		return Next{Method: BackupName(b), Why: fmt.Sprintf("backup %d of %d: %s", used+1, len(s.Step.Backups), b.Description)}, true
	}}
}

// Ask asks a person: when the plan says on_failure = "ask", when the failed
// step is critical, and for every failure in collaborative mode. A step that
// says on_failure = "block" stops the run without a question.
func Ask() Rung {
	return Rung{Name: AskRung, Try: func(s Situation) (Next, bool) {
		why := ""
		switch {
		case s.Step.Rollback == plan.Irreversible:
			why = "the step cannot be undone"
		case s.Step.OnFailure == plan.Ask:
			why = "the plan says to ask"
		case s.Step.OnFailure == plan.Block:
			return Next{}, false
		case s.Mode == plan.Collaborative || s.Mode == plan.Education:
			why = fmt.Sprintf("mode %s asks about every failure", s.Mode)
		case s.Step.IsCritical():
			why = "the step is critical and nothing else is left to try"
		default:
			return Next{}, false
		}
		return Next{Ask: true, Why: why}, true
	}}
}

// repeatable reports whether trying the same method again is lawful. A time-out
// is no reason unless its cause is provably not semantic.
func repeatable(s Situation) bool {
	if s.Stateful || !undoable(s) {
		return false
	}
	switch s.Failure.Class {
	case history.TimedOut:
		return s.Failure.Cause == gate.Resources || s.Failure.Cause == gate.Dependency
	case history.Crashed, history.GateFailed, history.Breach, history.Lost:
		return true
	}
	return false
}

// undoable reports whether a failed attempt leaves nothing behind.
func undoable(s Situation) bool { return s.Step.Rollback != plan.Irreversible }

// methodMatters reports whether another method could end otherwise.
func methodMatters(c history.Class) bool {
	switch c {
	case history.Crashed, history.GateFailed, history.Breach, history.TimedOut, history.Lost:
		return true
	}
	return false
}
