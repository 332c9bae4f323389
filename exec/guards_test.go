package exec_test

import (
	"testing"

	"github.com/planlock/planlock/exec/ask"
	decided "github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/question"
)

// freeze is a guard of a host: no step of task 1 begins before somebody has let
// it through.
var freeze = guard.Of("freeze", func(c *decided.Case) guard.Verdict {
	if c.Step.Task != "1" {
		return guard.Pass()
	}
	return guard.Ask(c, "freeze", "nothing is changed before the release")
})

func TestGuardOfAHost(t *testing.T) {
	for choice, want := range map[string]history.Status{question.GoOn: history.Achieved,
		question.GiveUp: history.NotAchieved} {
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
