package exectest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
)

// holds counts how often a guard holds up the step of a case, which goes on
// with what it wants, until it lets the step pass or the step is over; it gives
// up behind [guard.MostHolds]. The error says what cannot be done.
func holds(g guard.Guard, c *guard.Case) (n int, err error) {
	for ; n <= guard.MostHolds && !c.Step.Status.Over(); n++ {
		v := g.Look(c)
		if v.Passes() {
			break
		}
		if on, err := carryOut(c, engine.WantedBy(c, v), n); err != nil || !on {
			return n, err
		}
	}
	return n, nil
}

// carryOut does what a guard wants for the nth time, where all goes well, and
// reports whether the step can go on.
func carryOut(c *guard.Case, wanted engine.Action, n int) (on bool, err error) {
	switch a := wanted.(type) {
	case engine.Look:
		c.Seen.Of = c.Step.Address
		c.Seen.Saw(a.What)
		return true, nil
	case engine.Foresee:
		said := &history.Advised{Kind: string(a.Kind), Point: string(advice.Task)}
		return true, happen(c, c.Step.Where(0).Locate(said)...)
	case engine.Review:
		said := &history.Approval{Task: c.Step.Task, Status: history.Approved}
		return true, happen(c, history.Where{}.Locate(said)...)
	case engine.Record:
		if err := happen(c, a.Facts...); err != nil {
			return false, err
		}
		if asked, ok := a.Facts[len(a.Facts)-1].Fact.(*history.Asked); ok {
			return answer(c, asked.Question, n)
		}
		return true, nil
	case engine.Refuse:
		return false, errors.New(a.Why)
	}
	return false, fmt.Errorf("exectest: nobody can do %T", wanted)
}

// answer has a person answer the question of a guard so that the step can go
// on: each choice that may let it in turn. It reports whether there is one.
func answer(c *guard.Case, q ask.Question, n int) (on bool, err error) {
	if q.Step != c.Step.Address {
		return false, fmt.Errorf("it asks about step %q, looking at %q", q.Step, c.Step.Address)
	}
	own := slices.DeleteFunc(slices.Clone(q.Choices), func(x ask.Choice) bool {
		return slices.Contains([]string{choice.Skip, choice.Settled, choice.GiveUp, choice.Stop, choice.Back,
			choice.Accept, choice.Propose, choice.Again}, x.Key)
	})
	if len(own) == 0 {
		return false, nil
	}
	x := own[n%len(own)]
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: x.Key, Acknowledged: x.Acknowledge,
		Reason: "go on", By: "somebody"}
	decider := engine.Decider{Contract: c.Contract}
	return true, happen(c, decider.Settle(c.Run, engine.Answer{Answer: a})...)
}

// happen has facts happen in the run of a case.
func happen(c *guard.Case, facts ...history.Located) error {
	c.Seen.Forget(disturbance.Recorded...)
	return happened(c.Run, facts...)
}

// happened adds facts to a run, by way of a journal.
func happened(run *history.Run, facts ...history.Located) error {
	for _, l := range facts {
		fact, err := l.Encode()
		if err == nil {
			err = run.Apply(record.Record{Seq: run.Head.Seq + 1, Fact: fact})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
