package modes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/plan"
)

// rows makes steps of one task from letters:
//
//	.  completed at once
//	F  failed, had no backups
//	X  failed, all backups failed too
//	b  completed with backup 1          c  completed with backup 2
//	m  completed after an unexpected output
//	v  completed after it broke a constraint
//	0-9  completed after so many retries
func rows(letters string) []modes.Step {
	var steps []modes.Step
	for i, l := range letters {
		s := modes.Step{Address: plan.Address(fmt.Sprintf("1.%d", i+1)), Task: "1", Methods: []string{fmt.Sprintf("1.%d primary", i+1)}}
		switch {
		case l == 'F':
			s.Failed = true
		case l == 'X':
			s.Failed, s.Backups, s.Exhausted = true, 2, true
		case l == 'b':
			s.Backups, s.Backup = 1, "backup_1 read the source"
		case l == 'c':
			s.Backups, s.Backup = 2, "backup_2 ask the server"
		case l == 'm':
			s.Mismatch = true
		case l == 'v':
			s.Violation = true
		case l >= '0' && l <= '9':
			s.Retries = int(l - '0')
		}
		steps = append(steps, s)
	}
	return steps
}

// Every condition at its threshold, and one below and above it.
func TestConditions(t *testing.T) {
	tests := []struct {
		name  string
		steps string
		t     modes.Triggers
		cond  modes.Condition
		value float64
		fired bool
	}{
		{"two in a row", ".FF", modes.Triggers{}, modes.FailedInARow, 2, false},
		{"three in a row", ".FFF", modes.Triggers{}, modes.FailedInARow, 3, true},
		{"four in a row", "FFFF", modes.Triggers{}, modes.FailedInARow, 4, true},
		{"a completed step starts anew", "FF.FF", modes.Triggers{}, modes.FailedInARow, 2, false},
		{"two are enough where the plan says so", "FF", modes.Triggers{Consecutive: 2}, modes.FailedInARow, 2, true},
		{"one is not then", "F", modes.Triggers{Consecutive: 2}, modes.FailedInARow, 1, false},

		{"the same backup twice", "bb", modes.Triggers{}, modes.SameBackup, 2, false},
		{"the same backup three times", "bbb", modes.Triggers{}, modes.SameBackup, 3, true},
		{"three times within five", "b.b.b", modes.Triggers{}, modes.SameBackup, 3, true},
		{"three times within six", "b.b..b", modes.Triggers{}, modes.SameBackup, 2, false},
		{"two backups, none of them three times", "bcbc", modes.Triggers{}, modes.SameBackup, 2, false},
		{"the more frequent of two", "cbcbc", modes.Triggers{}, modes.SameBackup, 3, true},

		{"two of five needed backups", "b.c..", modes.Triggers{}, modes.BackupRate, 0.4, false},
		{"three of five", "b.c.X", modes.Triggers{}, modes.BackupRate, 0.6, true},
		{"four of five", "bcbc.", modes.Triggers{}, modes.BackupRate, 0.8, true},
		{"all of four: the window is not full", "bcbc", modes.Triggers{}, modes.BackupRate, 1, false},
		{"what lies before the window does not count", "bbb.c..b", modes.Triggers{}, modes.BackupRate, 0.4, false},

		{"two steps exhausted their backups", ".XX", modes.Triggers{}, modes.Exhausted, 2, false},
		{"three steps", ".XXX", modes.Triggers{}, modes.Exhausted, 3, true},
		{"four steps", "XXXX", modes.Triggers{}, modes.Exhausted, 4, true},
		{"a step without backups ends the row", "XXFX", modes.Triggers{}, modes.Exhausted, 1, false},

		{"two of five outputs", "m..m.", modes.Triggers{}, modes.OutputMismatch, 0.4, false},
		{"three of five outputs", "m.m.m", modes.Triggers{}, modes.OutputMismatch, 0.6, true},
		{"half of four, where the window is four", "m..m", modes.Triggers{Window: 4}, modes.OutputMismatch, 0.5, true},
		{"a quarter of four", "m...", modes.Triggers{Window: 4}, modes.OutputMismatch, 0.25, false},
		{"all of four: no whole window", "mmmm", modes.Triggers{}, modes.OutputMismatch, 1, false},

		{"one of five broke a constraint", "v....", modes.Triggers{}, modes.ViolationRate, 0.2, false},
		{"two of five", "v...v", modes.Triggers{}, modes.ViolationRate, 0.4, true},
		{"three of five", "v.v.v", modes.Triggers{}, modes.ViolationRate, 0.6, true},
		{"all of four broke one", "vvvv", modes.Triggers{}, modes.ViolationRate, 1, false},

		{"from 0.8 to 1.0 retries", "2200021200", modes.Triggers{}, modes.RetryGrowth, 0.25, false},
		{"from 0.4 to 0.6 is half as much again", "1100011100", modes.Triggers{}, modes.RetryGrowth, 0.5, true},
		{"from 0.4 to 0.8 is twice as much", "1100022000", modes.Triggers{}, modes.RetryGrowth, 1, true},
		{"from 0.8 to 0.8", "2200022000", modes.Triggers{}, modes.RetryGrowth, 0, false},
		{"it falls", "2200011000", modes.Triggers{}, modes.RetryGrowth, -0.5, false},
		{"from none to 0.4", "0000011000", modes.Triggers{}, modes.RetryGrowth, 0.4, false},
		{"from none to 0.6", "0000011100", modes.Triggers{}, modes.RetryGrowth, 0.6, true},
		{"from none to none", "0000000000", modes.Triggers{}, modes.RetryGrowth, 0, false},
		{"the windows slide", "9110011100", modes.Triggers{}, modes.RetryGrowth, -8.0 / 11, false},

		{"two failures of the task", "F.F.", modes.Triggers{TaskFailures: 3}, modes.FailuresOfATask, 2, false},
		{"three failures of the task", "F.F.F", modes.Triggers{TaskFailures: 3}, modes.FailuresOfATask, 3, true},
		{"a completed step does not start anew", "FF.F.", modes.Triggers{TaskFailures: 3}, modes.FailuresOfATask, 3,
			true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, ok := condition(tt.t.Measure(rows(tt.steps)), tt.cond)
			if !ok {
				t.Fatalf("%s was not measured", tt.cond)
			}
			if diff := m.Value - tt.value; diff > 1e-9 || diff < -1e-9 || m.Fired != tt.fired {
				t.Errorf("%s: measured %v, fired %t; want %v, %t", m, m.Value, m.Fired, tt.value, tt.fired)
			}
			if m.Fired != (m.Recommendation != "") || m.Fired != (len(m.Methods) > 0) {
				t.Errorf("fired %t, with methods %q and the recommendation %q", m.Fired, m.Methods, m.Recommendation)
			}
		})
	}
}

func condition(all []modes.Measurement, c modes.Condition) (modes.Measurement, bool) {
	for _, m := range all {
		if m.Condition == c {
			return m, true
		}
	}
	return modes.Measurement{}, false
}

// Failures in a row count over tasks, where they are more than those of the last.
func TestFailuresInARowOverTasks(t *testing.T) {
	for letters, want := range map[string]float64{"FF": 2, "FFF": 3, "F.F": 1, "FF.": 0} {
		steps := rows(letters)
		for i := range steps {
			steps[i].Task = fmt.Sprint(i)
		}
		m, _ := condition(modes.Triggers{TaskFailures: 2}.Measure(steps), modes.FailuresOfATask)
		if m.Value != want || m.Fired != (want >= 2) {
			t.Errorf("%s: measured %v, fired %t: %s", letters, m.Value, m.Fired, m)
		}
	}
}

// The task of the last step is the one whose failures count.
func TestFailuresOfTheTask(t *testing.T) {
	steps := rows("FF.FF")
	steps[0].Task, steps[1].Task = "0", "0"
	m, _ := condition(modes.Triggers{TaskFailures: 3}.Measure(steps), modes.FailuresOfATask)
	if m.Value != 2 || m.Fired {
		t.Errorf("%s: measured %v; want the two of the last task", m, m.Value)
	}
	if _, ok := condition(modes.Triggers{}.Measure(steps), modes.FailuresOfATask); ok {
		t.Error("a task has a threshold that nobody set")
	}
}

func TestRetriesNeedTwoWindows(t *testing.T) {
	if _, ok := condition(modes.Triggers{}.Measure(rows("000009000")), modes.RetryGrowth); ok {
		t.Error("nine steps were compared as two windows of five")
	}
	if got := (modes.Triggers{}).Measure(nil); got != nil {
		t.Errorf("without steps %v was measured", got)
	}
}

func TestRecommendationPromotesTheBackup(t *testing.T) {
	m, _ := condition(modes.Triggers{}.Measure(rows("bbb")), modes.SameBackup)
	if !strings.Contains(m.Recommendation, "backup_1 read the source") ||
		!strings.Contains(m.Recommendation, "primary") {
		t.Errorf("the recommendation is %q", m.Recommendation)
	}
	if diff := cmp.Diff([]plan.Address{"1.1", "1.2", "1.3"}, m.Steps); diff != "" {
		t.Error(diff)
	}
}

func TestTextsCountOne(t *testing.T) {
	for _, m := range (modes.Triggers{TaskFailures: 2}).Measure(rows("X")) {
		if strings.Contains(m.Text, "1 steps") || strings.Contains(m.Text, "1 times") {
			t.Error(m.Text)
		}
	}
	for _, m := range (modes.Triggers{}).Measure(rows("b")) {
		if strings.Contains(m.Text, "1 times") {
			t.Error(m.Text)
		}
	}
}

func TestForPrefersThePlan(t *testing.T) {
	p := &plan.Plan{}
	p.Execution.Extra = []plan.Setting{{Key: "escalation_threshold", Value: plan.Value{Kind: "integer", Text: "4"}}}
	p.ErrorPropagation.FailureThreshold = 2
	got := modes.For(p, modes.Triggers{Consecutive: 9, TaskFailures: 9, SameBackup: 7})
	want := modes.Triggers{Consecutive: 4, Window: 5, SameBackup: 7, Exhausted: 3, BackupRate: 0.6, MismatchRate: 0.5,
		RetryGrowth: 0.5, ViolationRate: 0.4, TaskFailures: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.Execution.Extra[0].Value.Text = "0"
	if got := modes.For(p, modes.Triggers{}); got.Consecutive != modes.DefaultConsecutive {
		t.Errorf("a threshold of 0 became %d, want the default", got.Consecutive)
	}
}
