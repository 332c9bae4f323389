package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/plan"
)

// lanesPlan is a plan of three to five tasks in one wave or two, of which most
// may run at once.
func lanesPlan(d dice) *plan.Plan {
	p := &plan.Plan{Schema: 1, Goal: "simulate", Profile: plan.Observe}
	p.ErrorPropagation.Strategy = pick(d, "", plan.HaltOnCritical, plan.ContinueAndLog, plan.CollaborativeReview)
	for t := range 3 + d.IntN(3) {
		task := randomTask(d, t)
		task.Kind, task.ResearchEnabled = "", false
		p.Tasks = append(p.Tasks, task)
	}
	waves(d, p)
	return p
}

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
	var facts []history.Fact
	f := &history.AttemptFailed{Class: g.class(), Reasons: []string{"it did not work"}}
	if with := g.run.JoinedWith(s); len(with) > 0 && g.dice.in(2) {
		aside := &history.JoinFailed{}
		for _, o := range with {
			aside.With = append(aside.With, o.Address)
		}
		f.Class, facts = history.GateFailed, append(facts, aside)
		g.Aside++
	}
	g.fold(at.Locate(append(facts, f, &history.RestoreBegun{To: g.run.Tree, Discarded: g.tree()})...)...)
	if g.dice.in(10) {
		g.crash()
		return
	}
	g.fold(at.Locate(&history.Restored{Tree: g.run.Tree.Tree})...)
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
		if s.SetAside() != nil {
			j.broken("step %s, which was set aside, runs beside others", s.Address)
		}
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

// back are the laws of what is wanted while work that came back waits to be
// joined: nobody is asked, nothing is delivered, and no step begins.
func (j *judge) back(c *guard.Case, w engine.Wanted) {
	run := c.Run
	if len(c.Seen.Back) == 0 || run.Stopping != nil || run.Abandoned != nil {
		return
	}
	switch w.Action.(type) {
	case engine.Join:
	default:
		j.broken("%T is wanted while steps %v wait to be joined", w.Action, c.Seen.Back)
	}
}

// alone are the laws of an attempt after one that was set aside: it comes by
// itself, by the same method, and costs no rung.
func (j *judge) alone(c *guard.Case, method string) {
	last := c.Step.Last()
	if last != nil && last.Aside != nil && c.Step.Next == nil && method != last.Method.Method {
		j.broken("step %s, which was set aside, is attempted by %s and not by %s", c.Step.Address, method,
			last.Method.Method)
	}
}

// afterAside is the law of what follows an attempt that was set aside: nothing
// of the ladder before the step was attempted alone.
func (j *judge) afterAside(c *guard.Case, s *history.Step, f history.Fact) {
	last := s.Last()
	if last == nil || last.Aside == nil || last.Failure == nil || s.Refusal != nil || c.LeftBehind(s) {
		return
	}
	switch f := f.(type) {
	case *history.Recovery, *history.StepFailed:
		j.broken("%s of step %s, which was set aside and not attempted alone", f.Type(), s.Address)
	case *history.Asked:
		if f.Question.Kind == ask.StepFailed {
			j.broken("somebody is asked about step %s, which was set aside and not attempted alone", s.Address)
		}
	}
}

// joined are the laws of work that is joined: it is that of a group, none
// before it waits, and nobody is asked before it.
func (j *judge) joined(run *history.Run, s *history.Step) {
	if lane.Pending(run) != nil || run.Foreign != nil || run.Restoring != nil {
		j.broken("step %s is joined while the run waits for a person, or for a restore", s.Address)
	}
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
