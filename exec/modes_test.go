package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/plan"
)

// byBackup does a step with its backup only.
func byBackup(name string) exec.Func {
	return exectest.Methods(map[string]exec.Func{"primary": exectest.Fail("no"),
		"backup_1": exectest.Write(name, name)})
}

// files is a script in which step N.1 writes the file N with what do makes of
// it.
func files(n int, do func(name string) exec.Func) exectest.Script {
	script := exectest.Script{}
	for i := 1; i <= n; i++ {
		name := string(rune('0' + i))
		script[plan.Address(name+".1")] = do(name)
	}
	return script
}

const aBackup = `backups = [{ id = 1, description = "read the source", run = "true" }]`

// Three steps in a row are completed by the same backup: before the fourth
// somebody is asked, with the numbers, and crashes change nothing of that.
func TestDynamicModeAsksWhenBackupsCarryTheLoad(t *testing.T) {
	for choice, after := range map[string]plan.Mode{"g": plan.Collaborative, "m": plan.Dynamic} {
		afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
			b := exectest.New(t, rowOf(4, "", aBackup), nil, files(4, byBackup))
			b.Controller.Escalator = choose(map[ask.Kind]string{ask.Threshold: choice})
			return b
		}, func(t *testing.T, r *exec.Report) {
			first := r.Run.Modes[0]
			if first.Cause != string(modes.BackupDepletion) || !strings.Contains(first.Recommendation, "backup_1 read the source") ||
				len(first.Methods) < 6 || len(first.Measurements) < 6 {
				t.Errorf("the switch is %+v; want it to tell what was measured, tried, and recommended", first)
			}
			if r.Run.Mode != after {
				t.Errorf("answer %s: the mode is %s, want %s", choice, r.Run.Mode, after)
			}
			q := r.Run.Step("4.1").Questions
			if len(q) != 1 || q[0].Question.Kind != ask.Threshold ||
				!strings.Contains(strings.Join(q[0].Question.Evidence, "\n"), "recommendation: ") {
				t.Errorf("questions before 4.1: %+v", q)
			}
		})
	}
}

// Every switch is told with where it goes and why: what dynamic mode does by
// itself, what an answer asks for, what the look at a task calls for.
func TestSwitchesAreTold(t *testing.T) {
	row := func(choice string) func(*testing.T) *exectest.Bench {
		return func(t *testing.T) *exectest.Bench {
			b := exectest.New(t, rowOf(4, "", aBackup), nil, files(4, byBackup))
			b.Controller.Escalator = choose(map[ask.Kind]string{ask.Threshold: choice})
			return b
		}
	}
	for name, c := range map[string]struct {
		bench func(*testing.T) *exectest.Bench
		want  []string
	}{
		"stays": {row("g"), []string{"dynamic to collaborative: backup depletion"}},
		"back":  {row("m"), []string{"dynamic to collaborative: backup depletion", "collaborative to dynamic: asked for by a person"}},
		"looked at": {func(t *testing.T) *exectest.Bench { return deaf(t, map[ask.Kind]string{ask.Compliance: "g"}) },
			[]string{"dynamic to collaborative: compliance"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.bench(t)
			var told []string
			b.Controller.Observe = event.On(func(_ event.Event,
				f *history.ModeSwitched) {
				told = append(told, f.String())
			})
			b.Run(t).Want(t, history.Achieved)
			if !slices.Equal(told, c.want) {
				t.Errorf("told %q, want %q", told, c.want)
			}
		})
	}
}

func TestThresholdsOfThePlan(t *testing.T) {
	for header, asked := range map[string]plan.Address{
		"execution = { default_mode = \"dynamic\", escalation_threshold = 2 }": "2.1",
		"execution = { default_mode = \"dynamic\" }":                           "3.1",
		"execution = { default_mode = \"silent\" }":                            "",
	} {
		b := exectest.New(t, rowOf(4, header, ""), nil, files(4, func(string) exec.Func { return exectest.Fail("no") }))
		p := &person{}
		b.Controller.Escalator = p
		b.Run(t)
		first := plan.Address("")
		if len(p.asked) > 0 {
			first = p.asked[0].Step
		}
		if first != asked {
			t.Errorf("%s: asked first about %q, want %q", header, first, asked)
		}
	}
}

// A critical step for which nothing is left to try ends dynamic mode.
func TestACriticalFailureEndsDynamicMode(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		mended := false
		b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": goodScript["1.1"],
			"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if !mended {
					return exec.Outcome{}, errors.New("no")
				}
				return goodScript["1.2"](ctx, w)
			}})
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer { mended = true; return answer(q, "r") })
		return b
	}, func(t *testing.T, r *exec.Report) {
		if m := r.Run.Modes; len(m) != 1 || m[0].Cause != "critical failure" || m[0].Consecutive != 1 ||
			len(m[0].Methods) == 0 {
			t.Errorf("modes %+v, want one switch because of the critical failure", m)
		}
	})
}

func TestWhoChoseTheMode(t *testing.T) {
	dynamic := "execution = { default_mode = \"dynamic\" }"
	for _, tt := range []struct {
		header string
		mode   plan.Mode
		by     string
		want   string
	}{
		{"", "", "", "default"},
		{dynamic, "", "", "plan"},
		{dynamic, plan.Silent, "", "host"},
		{"", plan.Silent, "person", "person"},
	} {
		b := exectest.New(t, rowOf(1, tt.header, ""), nil,
			files(1, func(name string) exec.Func { return exectest.Write(name, name) }))
		b.Controller.Mode, b.Controller.ModeBy = tt.mode, tt.by
		if got := b.Run(t).Report.Run.Started; got.ModeBy != tt.want || tt.want == "default" && got.Mode != plan.Dynamic {
			t.Errorf("mode %s was chosen by %q, want %q", got.Mode, got.ModeBy, tt.want)
		}
	}
}
