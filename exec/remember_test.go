package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// remembering answers with a choice and has it remembered.
func remembering(key string, scope ask.Scope, asked *int) policy {
	return func(q ask.Question) ask.Answer {
		*asked++
		a := answer(q, key)
		a.Remember, a.Confirmed = scope, q.RememberWords(key, scope)
		return a
	}
}

func TestRememberAChoice(t *testing.T) {
	asked := 0
	b := exectest.New(t, twoSteps(), workspace, failing(4))
	b.Controller.Escalator = remembering("r", ask.ForStep, &asked)
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if asked != 1 {
		t.Errorf("asked %d times; want once, and then the choice is remembered", asked)
	}
	list, err := exec.Workspace{Dir: b.Dir}.Choices().List(context.Background())
	if err != nil || len(list) != 1 || list[0].Choice != "r" || list[0].Step != "1.2" ||
		list[0].Plan != run.Report.Run.Started.Plan {
		t.Fatalf("remembered %+v, %v", list, err)
	}
	for _, x := range run.Report.Run.Step("1.2").Questions[1:] {
		if !strings.Contains(x.Answer.By, list[0].ID) {
			t.Errorf("question %s was answered by %q, want the remembered choice named", x.Question.ID, x.Answer.By)
		}
	}

	// The next run of the same plan knows it, until it is revoked.
	again := func() (asked int) {
		must(t, exectest.Put(b.Dir, "secret/key", "k\n"))
		if _, err := b.Controller.Rollback(context.Background(), "", "1.1", "", ""); err != nil {
			t.Fatal(err)
		}
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer { asked++; return answer(q, "r") })
		b.Run(t).Want(t, history.Achieved)
		return asked
	}
	if n := again(); n != 0 {
		t.Errorf("the second run asked %d times, want none", n)
	}
	if _, err := (exec.Workspace{Dir: b.Dir}).Choices().Revoke(context.Background(), list[0].ID, "alice",
		"no longer"); err != nil {
		t.Fatal(err)
	}
	if n := again(); n == 0 {
		t.Error("a revoked choice still answers")
	}
	list, err = exec.Workspace{Dir: b.Dir}.Choices().List(context.Background())
	if err != nil || len(list) != 1 || list[0].Revoked == nil || list[0].Revoked.By != "alice" {
		t.Errorf("after it was revoked: %+v, %v; want it kept, with who revoked it", list, err)
	}
}

// A remembered choice answers three times for a step, and then somebody is
// asked again.
func TestARememberedChoiceIsUsedUp(t *testing.T) {
	asked := 0
	b := exectest.New(t, twoSteps(), workspace, failing(2+1+ask.MaxRemembered))
	b.Controller.Escalator = remembering("r", ask.ForPlan, &asked)
	b.Run(t).Want(t, history.Achieved)
	if asked != 2 {
		t.Errorf("asked %d times, want twice: three answers lie between", asked)
	}
}

func TestRememberedChoicesSurviveACrash(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		b := exectest.New(t, twoSteps(), workspace, failing(3))
		asked := 0
		b.Controller.Escalator = remembering("r", ask.ForStep, &asked)
		return b
	}, func(t *testing.T, r *exec.Report) {
		if n := len(r.Run.Remembered); n > 1 {
			t.Errorf("%d choices were remembered, want one at most", n)
		}
	})
}

// What was refused for safety is decided by somebody who looks at it, each
// time.
func TestWhatIsNeverRemembered(t *testing.T) {
	plain := []ask.Choice{{Key: "r", Label: "again", Consequence: "c"},
		{Key: "k", Label: "skip", Consequence: "c", Acknowledge: "skip"},
		{Key: "p", Label: "propose", Consequence: "c", NeedsReason: true}}
	for kind, may := range map[ask.Kind]bool{
		ask.StepFailed: true, ask.Propagation: true, ask.Threshold: true, ask.Education: true, ask.Dependency: true,
		ask.Precondition: false, ask.InFlight: false, ask.Compensation: false, ask.Repository: false,
		ask.Checkpoint: false,
		ask.Deviation:  false, ask.Rollback: false, ask.Obsolete: false, ask.Stage: false,
	} {
		q := ask.Question{ID: "q1", Run: "R", Step: "1.1", Kind: kind, Choices: plain}
		if err := q.Rememberable("r", ask.ForStep); (err == nil) != may {
			t.Errorf("%s: %v, want that it may be remembered: %t", kind, err, may)
		}
		for _, key := range []string{"k", "p", "?"} {
			if q.Rememberable(key, ask.ForPlan) == nil {
				t.Errorf("%s: choice %q may be remembered", kind, key)
			}
		}
	}
}

// Without the words that confirm it, an answer counts once.
func TestRememberingWantsConfirmation(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(3))
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		a := answer(q, "r")
		a.Remember, a.Confirmed = ask.ForStep, "yes"
		return a
	})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	r := run.Report.Run.Remembered
	if len(r) != 2 || r[0].ID != "" || r[0].Why == "" {
		t.Errorf("remembered %+v, want two that were not, and why", r)
	}
	if list, _ := (exec.Workspace{Dir: b.Dir}).Choices().List(context.Background()); len(list) != 0 {
		t.Errorf("remembered %+v", list)
	}
}

// A run is bound to the choices that were there when it began: what a step
// plants answers nothing.
func TestAPlantedChoiceAnswersNothing(t *testing.T) {
	var b *exectest.Bench
	script := failing(2)
	write := script["1.1"]
	script["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		planted := ask.Precedent{ID: "planted", Plan: b.Draft.Plan.Digest(), Kind: ask.StepFailed, Choice: "r", By: "nobody", Run: w.RunID, Question: "q1"}
		if err := (exec.Workspace{Dir: b.Dir}).Choices().Remember(ctx, planted); err != nil {
			return exec.Outcome{}, err
		}
		return write(ctx, w)
	}
	b = exectest.New(t, twoSteps(), workspace, script)
	p := &person{choices: []string{"x"}}
	b.Controller.Escalator = p
	b.Run(t).Want(t, history.NotAchieved)
	if len(p.asked) != 1 {
		t.Errorf("%d questions reached the person, want 1", len(p.asked))
	}
}
