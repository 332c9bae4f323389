package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/plan"
)

// waves makes most tasks of a plan ones that may run at once: tasks in one or
// two waves, whose steps mostly write files of their own.
func waves(d dice, p *plan.Plan) {
	for len(p.Tasks) < 5 && !d.in(3) {
		p.Tasks = append(p.Tasks, randomTask(d, len(p.Tasks)))
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		t.Wave = pick(d, "1", "1", "1", "2", "")
		if !d.in(4) {
			t.DependsOn = nil
		}
		for j := range t.Steps {
			s := &t.Steps[j]
			s.Artifacts = &plan.Artifacts{Modify: []string{pick(d, t.ID, t.ID, t.ID, "shared")}}
			if !d.in(6) {
				s.Rollback, s.Compensate = plan.Reversible, ""
			}
		}
	}
}

// group has executors work at once. Their work is dropped if they met, or the
// run was interrupted, and waits to be joined otherwise.
func (g *Game) group(members []engine.Member) {
	began := &history.GroupBegun{}
	facts := history.Where{}.Locate(began)
	for _, m := range members {
		s := g.run.Step(m.Step)
		began.Steps = append(began.Steps, m.Step)
		facts = append(facts, s.Where(s.Tried()+1).Locate(&history.AttemptStarted{Method: m.Method})...)
		g.judge.attempted(s)
	}
	g.Lanes += len(members)
	g.seen.Back = nil
	g.fold(facts...)
	g.seen.Forget(disturbance.Attempted...)
	g.seen.Saw(guard.Tree)
	switch {
	case g.dice.in(12):
		g.crash()
	case g.dice.in(8):
		g.drop(members, history.Met)
	case g.dice.in(20):
		g.drop(members, history.Interrupted)
		g.pause("interrupted")
	default:
		g.seen.Back = slices.Clone(began.Steps)
	}
}

// drop has the work of a group count for nothing.
func (g *Game) drop(members []engine.Member, why history.Class) {
	var facts []history.Located
	for _, m := range members {
		s := g.run.Step(m.Step)
		facts = append(facts, s.Where(s.Tried()).Locate(&history.AttemptEnded{Took: time.Minute},
			&history.AttemptFailed{Class: why, Reasons: []string{fmt.Sprintf("%s at %d", why, g.seq)}},
			&history.RestoreBegun{To: g.run.Tree, Discarded: g.tree()}, &history.Restored{})...)
	}
	g.fold(facts...)
}

// join has the work of one lane judged on the tree of the run.
func (g *Game) join(s *history.Step) {
	g.judge.joined(g.run, s)
	g.seen.Back = slices.DeleteFunc(g.seen.Back, func(a plan.Address) bool { return a == s.Address })
	g.seen.Forget(guard.Tree)
	at := s.Where(s.Tried())
	said := &history.AttemptEnded{Tokens: int64(g.dice.IntN(300)), Took: time.Minute}
	joined := &history.Joined{Onto: g.run.Tree}
	g.fold(at.Locate(append([]history.Fact{said, joined}, g.Work(s, s.Tried())...)...)...)
	if !g.dice.in(3) {
		g.fold(at.Locate(&history.StepCompleted{Snapshot: g.tree(), Method: s.Last().Method.Method})...)
		g.seen.Saw(guard.Tree)
		return
	}
	g.fold(at.Locate(&history.AttemptFailed{Class: g.class(), Reasons: []string{"it did not work"}},
		&history.RestoreBegun{To: g.run.Tree, Discarded: g.tree()})...)
}

// mayGroup are the laws of steps that are attempted at once.
func (j *judge) mayGroup(c *guard.Case, members []engine.Member) {
	run := c.Run
	if len(members) < 2 || len(members) > run.Policy.Jobs || run.Started.Layer == plan.InPlace {
		j.broken("a group of %d steps, with %d jobs in %q", len(members), run.Policy.Jobs, run.Started.Layer)
	}
	wrote := map[string]plan.Address{}
	for n, m := range members {
		s := run.Step(m.Step)
		about := c.About(s)
		j.mayAttempt(about)
		task, step := about.Place()
		if s.Rollback == plan.Irreversible || s.Rollback == plan.Compensatable || task.Wave == "" {
			j.broken("step %s, which is %s and of wave %q, runs beside others", s.Address, s.Rollback, task.Wave)
		}
		if s.Checkpoint.Checkpoint != run.Tree {
			j.broken("step %s of a group begins with another tree", s.Address)
		}
		for _, name := range step.Artifacts.Modify {
			if o := wrote[name]; o != "" {
				j.broken("steps %s and %s both write %s, and are attempted at once", o, s.Address, name)
			}
			wrote[name] = s.Address
		}
		for _, o := range members[:n] {
			before, _ := c.At(o.Step)
			if before.ID == task.ID || before.Wave != task.Wave || c.Needs(task.ID, before.ID) {
				j.broken("steps %s and %s are attempted at once", o.Step, s.Address)
			}
		}
	}
}

// joined are the laws of work that is joined: it is that of a group, and none
// before it waits.
func (j *judge) joined(run *history.Run, s *history.Step) {
	if s.InFlight() == nil || s.Group == nil {
		j.broken("the work of step %s is joined, and there is none", s.Address)
		return
	}
	for _, a := range s.Group.Steps {
		o := run.Step(a)
		if o == s {
			return
		}
		if o.InFlight() != nil {
			j.broken("step %s is joined before %s", s.Address, a)
		}
	}
}
