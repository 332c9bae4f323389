package exec_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// deaf is a plan whose errors are said not to propagate, under the preset that
// minds.
func deaf(t *testing.T, answers map[ask.Kind]string) *exectest.Bench {
	t.Helper()
	text := strings.Replace(twoSteps(), "[defaults]", "[error_propagation]\nenabled = false\n\n[defaults]", 1)
	b := exectest.New(t, text, workspace, goodScript)
	b.Controller.Preset = "spec"
	if answers != nil {
		b.Controller.Escalator = choose(answers)
	}
	return b
}

// TestCriticalViolationIsAskedAbout asks once, before the task, and is
// collaborative from then on.
func TestCriticalViolationIsAskedAbout(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		return deaf(t, map[ask.Kind]string{ask.Compliance: "g"})
	}, func(t *testing.T, r *exec.Report) {
		if n := len(r.Run.Compliance); n != 1 {
			t.Errorf("looked %d times at one task", n)
		}
		if n := r.Run.Asked; n != 1 {
			t.Errorf("asked %d times", n)
		}
		if r.Run.Mode != plan.Collaborative || len(r.Run.Modes) != 1 || r.Run.Modes[0].Cause != "compliance" ||
			len(r.Run.Modes[0].Measurements) == 0 {
			t.Errorf("mode %s after %+v", r.Run.Mode, r.Run.Modes)
		}
	})
}

func TestNobodyLetsACriticalViolationThrough(t *testing.T) {
	run := deaf(t, nil).Run(t)
	run.Want(t, history.NotAchieved)
	if s := run.Report.Run.Step("1.1"); s.Status != history.Blocked || len(s.Attempts) != 0 {
		t.Errorf("step 1.1 is %s after %d attempts", s.Status, len(s.Attempts))
	}
}

// TestWarningsGoOn records that every step of the task is critical, and goes
// on.
func TestWarningsGoOn(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Controller.Preset = "spec"
	run := b.Run(t)
	run.Want(t, history.Achieved)
	c := run.Report.Run.Task("1").Compliance()
	if c == nil || len(c.Violated) != 1 || c.Violated[0].Article != "VI" || c.Violated[0].Severity != "warning" ||
		run.Report.Run.Asked != 0 {
		t.Errorf("got %+v after %d questions", c, run.Report.Run.Asked)
	}
}

func TestOtherPresetsDoNotMind(t *testing.T) {
	b := deaf(t, nil)
	b.Controller.Preset = "contract"
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if n := len(run.Report.Run.Compliance); n != 0 {
		t.Errorf("looked %d times", n)
	}
}
