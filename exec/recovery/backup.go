package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// BackupName is the name of the method that a backup is.
func BackupName(b plan.Backup) string { return "backup_" + b.ID }

// Backup tries the step's backups, each once, in the order of the plan, those
// left out of which the trigger condition does not hold (see [triggered]), and,
// where a model did not answer, those that ask the same one. Where a person
// began with a backup, the primary method is the first of what is left.
type Backup struct{}

// Name is "backup".
func (Backup) Name() string { return backupRung }

// Try takes the first method that was not tried.
func (Backup) Try(s Situation) (Next, bool) {
	switch class := classOf(s.Failure); {
	case len(s.Step.Backups) == 0:
		return pass("")
	case s.Step.Rollback == plan.Irreversible:
		return pass("the step cannot be undone")
	case !class.Other:
		return pass("no other method would end otherwise: " + class.Means)
	}
	var left []string
	if s.History.Last() != nil && !tried(s, Primary) {
		if !sameModel(plan.Backup{Executor: s.Step.Executor, Prompt: s.Step.Prompt}, s) {
			return Next{Method: Primary, Why: "the primary method was not tried yet"}, true
		}
		left = append(left, Primary+" asks the model that did not answer")
	}
	for i, b := range s.Step.Backups {
		name := BackupName(b)
		if tried(s, name) {
			continue
		}
		if sameModel(b, s) {
			left = append(left, name+" asks the model that did not answer")
			continue
		}
		if !triggered(b, s) {
			left = append(left, fmt.Sprintf("%s is for %q", name, b.TriggerCondition))
			continue
		}
		return Next{Method: name, Why: fmt.Sprintf("backup %d of %d: %s", i+1, len(s.Step.Backups), b.Description)},
			true
	}
	if left != nil {
		return pass(strings.Join(left, ", "))
	}
	if len(s.Step.Backups) == 1 {
		return pass("the only backup was tried")
	}
	return pass(fmt.Sprintf("all %d backups were tried", len(s.Step.Backups)))
}

// tried reports whether a method was tried, as a rung or a person wanted it.
func tried(s Situation, method string) bool {
	return slices.ContainsFunc(s.History.Attempts, func(a *history.Attempt) bool { return a.Method.Method == method })
}

// sameModel reports whether a backup asks a model that did not answer in time when
// it was last asked, whatever others did since: its executor is given another
// prompt. A command that it had no answer of says nothing of the model.
func sameModel(b plan.Backup, s Situation) bool {
	asked := cmp.Or(b.Executor, s.Step.Executor)
	if b.Prompt == "" {
		return false
	}
	for _, a := range slices.Backward(s.History.Attempts) {
		if a.Method.Executor == asked && (a.Failure == nil || a.Failure.Cause != gate.Deadlock) {
			return a.Failure != nil && a.Failure.Cause == gate.ModelStall
		}
	}
	return false
}

// triggered reports whether the trigger condition of a backup holds: "" and
// "primary_failure" after every failure, "backup_1_failure" once that backup
// was tried, and the name of a class of failure, or of a time-out's cause,
// after a failure of that class. Words that are none of these are for people,
// and hold.
func triggered(b plan.Backup, s Situation) bool {
	condition := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(b.TriggerCondition)), "_", "-")
	if other, ok := strings.CutSuffix(condition, "-failure"); ok && strings.HasPrefix(other, "backup-") {
		return slices.ContainsFunc(s.History.Attempts, func(a *history.Attempt) bool {
			return strings.ReplaceAll(strings.ToLower(a.Method.Method), "_", "-") == other
		})
	}
	if slices.ContainsFunc(Classes(), func(c Class) bool { return string(c.Class) == condition }) {
		return string(s.Failure.Class) == condition
	}
	switch cause := gate.Cause(condition); cause {
	case gate.Resources, gate.Deadlock, gate.ModelStall, gate.Dependency:
		return s.Failure.Cause == cause
	}
	return true
}
