package simulate

import (
	"fmt"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/gate/evidence"
)

// Play plays until the run is sealed or nobody takes it up any more. An error
// names the law that a decision broke.
func (g *Game) Play() error {
	for !g.left {
		wanted := g.decider.Decide(g.run, &g.seen)
		c := &guard.Case{Contract: g.decider.Contract, Run: g.run, Seen: &g.seen}
		if g.Wants != nil {
			wanted = g.Wants(c, wanted)
		}
		if len(wanted) == 0 {
			break
		}
		if g.Decisions++; g.Decisions > mostDecisions {
			return fmt.Errorf("the run does not end: %d decisions", mostDecisions)
		}
		for _, w := range wanted {
			g.judge.look(c, w)
			if g.judge.err != nil {
				return g.judge.err
			}
			g.act(w)
		}
	}
	g.judge.over(g.run, g.left)
	return g.judge.err
}

// act does what is wanted, as well or badly as a world does.
func (g *Game) act(w engine.Wanted) {
	s := g.run.Step(w.Step)
	if g.dice.in(60) {
		g.crash() // before anything came of it
		return
	}
	switch a := w.Action.(type) {
	case engine.Record:
		g.fold(a.Facts...)
	case engine.Look:
		g.look(s, a.What)
	case engine.Put:
		g.put(a.Question)
	case engine.Begin:
		g.begin(s, a.Start)
	case engine.Attempt:
		g.attempt(s, a.Method)
	case engine.Group:
		g.group(a.Members)
	case engine.Join:
		g.join(s)
	case engine.Deliver:
		g.deliver()
	case engine.Restore:
		g.restore(s, w.Attempt)
	case engine.Rewind:
		g.rewind(g.run.Step(a.To), a.By)
	case engine.Consult:
		g.consult(s, string(a.Kind), string(a.Point), a.Rung)
	case engine.Foresee:
		g.fold(s.Where(0).Locate(&history.Advised{Kind: string(a.Kind), Point: "task"})...)
	case engine.Review:
		g.review(s)
	case engine.Verify:
		g.fold(history.Where{}.Locate(&history.Evidence{Task: a.Task, Retry: a.Retry, Action: a.Action,
			Kind: evidence.Experimental,
			Pass: g.dice.in(2), Items: []evidence.Item{{Need: evidence.Need{Kind: evidence.Artifact, Name: "x"}}}})...)
		g.seen.Forget(disturbance.StrangersRan...)
	case engine.Repair:
		g.repair(a.Task)
	case engine.Wait:
		g.now = g.now.Add(a.For)
		g.seen.Forget(disturbance.TimePassed...)
		g.seen.Saw(guard.Due)
	case engine.Pause:
		g.pause(string(a.Why))
	case engine.End:
		g.fold(history.Where{}.Locate(g.End()...)...)
	case engine.Seal:
		g.fold(history.Where{}.Locate(&history.Sealed{})...)
	}
}

// crash ends the controller at once, and takes the run up again.
func (g *Game) crash() { g.takeUp() }

// takeUp has a controller take the run up: it has seen nothing yet.
func (g *Game) takeUp() {
	g.seen = guard.Seen{}
	g.judge.takenUp()
	g.fold(history.Where{}.Locate(&history.Resumed{Reason: "crash"})...)
}

// pause lets go of the run. Mostly somebody takes it up.
func (g *Game) pause(why string) {
	g.fold(history.Where{}.Locate(&history.Paused{Why: why})...)
	if g.dice.in(8) {
		g.left = true
		return
	}
	if to := pick(g.dice, g.run.Steps...); g.dice.in(10) && to.Checkpoint != nil && g.run.Ended == nil &&
		g.run.Foreign == nil {
		// Somebody set the run back from outside, whatever it did there.
		_, snap, _ := g.run.SetBack(to)
		g.fold(to.Where(0).Locate(&history.RolledBack{To: to.Address, Snapshot: snap, By: "somebody"})...)
	}
	g.takeUp()
}
