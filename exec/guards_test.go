package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
)

// freeze is a guard of a host: no step of task 1 begins before somebody has let
// it through.
var freeze = guard.Of("freeze", func(c *guard.Case) guard.Verdict {
	if c.Step.Task != "1" {
		return guard.Pass()
	}
	return guard.Ask(c, "freeze", "nothing is changed before the release")
})

func TestGuardOfAHost(t *testing.T) {
	for choice, want := range map[string]history.Status{choice.GoOn: history.Achieved,
		choice.GiveUp: history.NotAchieved} {
		t.Run(choice, func(t *testing.T) {
			b := exectest.New(t, rowOf(1, "", ""), nil, exectest.Script{"1.1": exectest.Write("1", "x")})
			b.Controller.Guards = []guard.Guard{freeze}
			var asked []ask.Kind
			b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
				asked = append(asked, q.Kind)
				return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, By: "somebody"}
			})
			run := b.Run(t)
			run.Want(t, want)
			if len(asked) != 1 || asked[0] != "freeze" {
				t.Errorf("asked %v, want the guard's question once", asked)
			}
			if got := run.Report.Run.Roles.Guards; len(got) != 1 || got[0] != "freeze" {
				t.Errorf("the journal names the guards %v", got)
			}
		})
	}
}

// onGuard runs one step under a guard, and somebody who goes on with whatever
// is asked.
func onGuard(t *testing.T, look func(c *guard.Case) guard.Verdict) (*exectest.Bench, *exectest.Result) {
	t.Helper()
	b := exectest.New(t, rowOf(1, "", ""), nil, exectest.Script{"1.1": exectest.Write("1", "x")})
	b.Controller.Guards = []guard.Guard{guard.Of("freeze", look)}
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice.GoOn, By: "somebody"}
	})
	return b, b.Run(t)
}

var (
	goOn  = ask.Choice{Key: choice.GoOn, Label: "go on", Consequence: "it runs"}
	plain = ask.Question{Kind: "mine", What: "w", Why: "y", Choices: []ask.Choice{goOn}}
)

// TestQuestionOfAGuardIsFilledIn asks what names neither id, run nor step.
func TestQuestionOfAGuardIsFilledIn(t *testing.T) {
	_, run := onGuard(t, func(c *guard.Case) guard.Verdict {
		if c.Step.Chosen("mine", choice.GoOn) {
			return guard.Pass()
		}
		return guard.Hold(plain)
	})
	run.Want(t, history.Achieved)
}

// TestGuardThatWantsWhatCannotBe is refused by its name, and the run can be
// resumed once it is mended.
func TestGuardThatWantsWhatCannotBe(t *testing.T) {
	elsewhere, later := plain, plain
	elsewhere.Step, later.ID = "9.9", "q7"
	foreign, untried, blocks := plain, plain, plain
	foreign.Run, untried.Step, untried.Attempt = "other", "1.1", 1<<40
	blocks.Kind, blocks.Choices = ask.Dependency, []ask.Choice{{Key: choice.Block, Label: "l", Consequence: "c"}}
	chosen := func(key string) guard.Verdict {
		q := plain
		q.Target, q.Choices = "1.1", []ask.Choice{{Key: key, Label: "l", Consequence: "c"}}
		return guard.Hold(q)
	}
	for says, verdict := range map[string]guard.Verdict{
		"has no choices":                     guard.Hold(ask.Question{Kind: "mine", What: "w", Why: "y"}),
		"which the plan does not have":       guard.Hold(elsewhere),
		`there is no advice of kind "other"`: guard.Consult("other"),
		"a later one of the run gets":        guard.Hold(later),
		`is about run "other"`:               guard.Hold(foreign),
		"is about attempt 1099511627776":     guard.Hold(untried),
		"blocked, and nothing blocks it":     guard.Hold(blocks),
		"there is no observation 99":         guard.Look(99),
		"a fact that is nil":                 guard.Record(nil),
		"records a fact that is nil":         guard.Hold(plain, (*history.Lesson)(nil)),
		"the fact attempt-ended":             guard.Record(&history.AttemptEnded{}),
		"the fact run-started":               guard.Record(&history.Started{}),
		"the fact run-sealed":                guard.RecordRun(&history.Sealed{}),
		"the fact step-failed":               guard.RecordRun(&history.StepFailed{}),
		"the fact asked":                     guard.RecordRun(&history.Asked{}),
		`blocked by "9.9", which`:            guard.Record(&history.StepBlocked{By: "9.9"}),
		`choice "a" accepts what`:            chosen(choice.Accept),
		`choice "b" cannot set the run back`: chosen(choice.Back),
		"it ends the step, and wants":        guard.Record(&history.StepFailed{}, &history.StepSkipped{}),
		"ends the step, and wants more":      guard.Hold(plain, &history.StepSkipped{}),
	} {
		t.Run(says, func(t *testing.T) {
			b, run := onGuard(t, func(*guard.Case) guard.Verdict { return verdict })
			letGoFor(t, b, run, says)
		})
	}
}

// TestQuestionOfAGuardHasAnIdOfItsOwn refuses a second question with the id of
// the first.
func TestQuestionOfAGuardHasAnIdOfItsOwn(t *testing.T) {
	first, second := plain, plain
	first.ID, second.ID, second.Kind = "mine", "mine", "another"
	b, run := onGuard(t, func(c *guard.Case) guard.Verdict {
		if c.Step.Chosen("mine", choice.GoOn) {
			return guard.Hold(second)
		}
		return guard.Hold(first)
	})
	letGoFor(t, b, run, `the id "mine", and another one of the run has it`)
}

// TestGuardsAreToldApart by their names: errors and the journal have nothing
// else.
func TestGuardsAreToldApart(t *testing.T) {
	passes := func(*guard.Case) guard.Verdict { return guard.Pass() }
	for says, names := range map[string][]string{
		`guard 1 is called "binding", as is one that every run has`: {"binding"},
		`guard 1 is called "budget", as is one that every run has`:  {"budget"},
		`guard 2 is called "freeze", as is guard 1`:                 {"freeze", "freeze"},
		"guard 1 has no name": {""},
	} {
		b := exectest.New(t, rowOf(1, "", ""), nil, exectest.Script{"1.1": exectest.Write("1", "x")})
		for _, name := range names {
			b.Controller.Guards = append(b.Controller.Guards, guard.Of(name, passes))
		}
		var refused *exec.RefusedError
		_, err := b.Controller.Lock(t.Context(), b.Draft)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want a refusal that says %q", err, says)
		}
	}
}

// TestGuardThatNeverPasses is stopped, whatever it wants each time.
func TestGuardThatNeverPasses(t *testing.T) {
	for name, verdict := range map[string]guard.Verdict{
		"asks":            guard.Hold(plain),
		"records":         guard.Record(&history.Lesson{}),
		"records for all": guard.RecordRun(&history.StrategySet{}),
		"wants advice":    guard.Consult("research"),
		"looks":           guard.Look(guard.Tree),
	} {
		t.Run(name, func(t *testing.T) {
			b, run := onGuard(t, func(*guard.Case) guard.Verdict { return verdict })
			letGoFor(t, b, run, "100 times")
		})
	}
}

// letGoFor wants the run to be let go because of the guard at its step, and
// to come to its end without it.
func letGoFor(t *testing.T, b *exectest.Bench, run *exectest.Result, says string) {
	t.Helper()
	var refused *exec.RefusedError
	if !errors.As(run.Err, &refused) || !strings.Contains(run.Err.Error(), `guard "freeze" at step 1.1: `) ||
		!strings.Contains(run.Err.Error(), says) {
		t.Fatalf("%v, want a refusal that names guard and step, and says %q", run.Err, says)
	}
	if at := run.Report.Run; at.Sealed != nil || at.Head.Seq > 400 {
		t.Errorf("sealed: %v, after %d records", at.Sealed, at.Head.Seq)
	}
	b.Controller.Guards[0] = guard.Of("freeze", func(*guard.Case) guard.Verdict { return guard.Pass() })
	report, err := b.Controller.Resume(t.Context(), b.Lock(t), run.Report.Run.Started.Run)
	if err != nil {
		t.Fatalf("resumed with the guard mended: %v (%s)", err, report.Status())
	}
}

// TestGuardThatPanics is named with the run, of which the report says how far
// it came.
func TestGuardThatPanics(t *testing.T) {
	_, run := onGuard(t, func(*guard.Case) guard.Verdict { panic("oh") })
	var panicked *exec.PanicError
	if !errors.As(run.Err, &panicked) || !strings.Contains(panicked.Stack, "guards_test.go") {
		t.Fatalf("%v, want a panic whose stack says where", run.Err)
	}
	id := run.Report.Run.Started.Run
	if want := `exec: guard "freeze" panicked in run ` + id + ": oh"; id == "" || run.Err.Error() != want {
		t.Errorf("%v, want %s", run.Err, want)
	}
	if got := run.Status(); got != history.Running {
		t.Errorf("the report says %q", got)
	}
}
