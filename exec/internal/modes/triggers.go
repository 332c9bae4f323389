package modes

import (
	"strconv"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Thresholds where neither the plan nor the caller says otherwise.
const (
	DefaultConsecutive   = 3    // failed steps in a row
	DefaultWindow        = 5    // steps that a share is measured over
	DefaultSameBackup    = 3    // successes of one backup within a window
	DefaultExhausted     = 3    // steps in a row for which all backups failed
	DefaultBackupRate    = 0.60 // of a window needed backups
	DefaultMismatchRate  = 0.50 // of a window delivered another output than expected
	DefaultRetryGrowth   = 0.50 // more retries per step than in the window before
	DefaultViolationRate = 0.40 // of a window broke a constraint
)

// Triggers are the thresholds at which dynamic mode asks. Zero fields mean the
// defaults above, and of TaskFailures that there is no threshold.
type Triggers history.Triggers

// For returns t with what the plan says in its place, which goes before t, and
// the defaults where neither says anything: escalation_threshold of [execution]
// is Consecutive, failure_threshold of [error_propagation] is TaskFailures.
func For(p *plan.Plan, t Triggers) Triggers {
	for _, s := range p.Execution.Extra {
		if s.Key == "escalation_threshold" && s.Value.Kind == "integer" {
			if n, err := strconv.Atoi(s.Value.Text); err == nil && n > 0 {
				t.Consecutive = n
			}
		}
	}
	if n := p.ErrorPropagation.FailureThreshold; n > 0 {
		t.TaskFailures = n
	}
	return t.complete()
}

// complete returns t with defaults where it says nothing.
func (t Triggers) complete() Triggers {
	for _, n := range []struct {
		field *int
		value int
	}{
		{&t.Consecutive, DefaultConsecutive}, {&t.Window, DefaultWindow},
		{&t.SameBackup, DefaultSameBackup}, {&t.Exhausted, DefaultExhausted},
	} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	for _, share := range []struct {
		field *float64
		value float64
	}{
		{&t.BackupRate, DefaultBackupRate}, {&t.MismatchRate, DefaultMismatchRate},
		{&t.RetryGrowth, DefaultRetryGrowth}, {&t.ViolationRate, DefaultViolationRate},
	} {
		if *share.field <= 0 {
			*share.field = share.value
		}
	}
	return t
}

// A Trigger is one of the four reasons for which dynamic mode asks.
type Trigger string

const (
	ConsecutiveFailures   Trigger = "consecutive failures"          // steps failed one after the other
	BackupDepletion       Trigger = "backup depletion"              // backups carry what primary methods should
	ConfidenceDegradation Trigger = "confidence degradation"        // what steps deliver gets worse
	FailureThreshold      Trigger = "failure threshold of the task" // a task failed as often as its plan allows
)

// A Condition is what is measured for a trigger.
type Condition string

const (
	FailedInARow Condition = "failed-in-a-row"   // failed steps at the end; of ConsecutiveFailures
	SameBackup   Condition = "same-backup"       // successes of one backup; of BackupDepletion, as the next two
	BackupRate   Condition = "backup-rate"       // share of steps that needed backups
	Exhausted    Condition = "backups-exhausted" // steps at the end for which all backups failed
	// share of unexpected outputs; of ConfidenceDegradation, as the next two
	OutputMismatch  Condition = "output-mismatch-rate"
	RetryGrowth     Condition = "retry-growth"       // more retries per step than in the window before
	ViolationRate   Condition = "violation-rate"     // share of steps that broke a constraint
	FailuresOfATask Condition = "failures-of-a-task" // failed steps of the task, or in a row; of FailureThreshold
)

// A Measurement is one condition, as it stands.
type Measurement struct {
	Trigger   Trigger
	Condition Condition
	Value     float64 // what was measured: a count, a share, or growth (0.5: half as much again)
	Threshold float64 // at which it fires
	Fired     bool
	Steps     []plan.Address // that it is about, oldest first
	Text      string         // in plain words, with the numbers

	// Methods is what was tried in those steps, and Recommendation what might
	// help; both only of one that fired.
	Methods        []string
	Recommendation string
}

// String is the measurement in plain words.
func (m Measurement) String() string { return m.Text }
