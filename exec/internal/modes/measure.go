package modes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

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
	FailuresOfATask Condition = "failures-of-a-task" // failed steps of the task; of FailureThreshold
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

// Fired returns the measurements that reached their threshold.
func Fired(all []Measurement) []Measurement {
	var fired []Measurement
	for _, m := range all {
		if m.Fired {
			fired = append(fired, m)
		}
	}
	return fired
}

// Measure measures all conditions over steps, oldest first, always in the same
// order. Zero fields of t mean the defaults. Without steps nothing is measured.
func (t Triggers) Measure(steps []Step) []Measurement {
	if len(steps) == 0 {
		return nil
	}
	t = t.complete()
	all := []Measurement{t.inARow(steps), t.sameBackup(steps), t.backupRate(steps), t.exhausted(steps),
		t.mismatches(steps), t.violations(steps)}
	if len(steps) >= 2*t.Window {
		all = append(all, t.retries(steps))
	}
	if t.TaskFailures > 0 {
		all = append(all, t.ofTask(steps))
	}
	return all
}

// measured fills in what follows from the steps that a measurement is about.
func measured(m Measurement, steps []Step, recommend string) Measurement {
	for _, s := range steps {
		m.Steps = append(m.Steps, s.Address)
		if m.Fired {
			m.Methods = append(m.Methods, s.Methods...)
		}
	}
	if m.Fired {
		m.Recommendation = recommend
	}
	if len(m.Steps) > 0 {
		m.Text = fmt.Sprintf("%s (%s)", m.Text, addresses(m.Steps))
	}
	return m
}

func addresses(list []plan.Address) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = string(a)
	}
	return strings.Join(texts, ", ")
}

// trailing are the last steps of which all have a property.
func trailing(steps []Step, has func(Step) bool) []Step {
	i := len(steps)
	for i > 0 && has(steps[i-1]) {
		i--
	}
	return steps[i:]
}

// those are the steps that have a property.
func those(steps []Step, has func(Step) bool) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return !has(s) })
}

// last is the window: the last steps, as many as there are.
func (t Triggers) last(steps []Step) []Step { return steps[max(0, len(steps)-t.Window):] }
