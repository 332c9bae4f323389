package simulate_test

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/engine/simulate"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/plan"
)

// A fault is what is wrong with a decider.
type fault func(g *simulate.Game)

// without leaves a guard out.
func without(name string) fault {
	return func(g *simulate.Game) {
		d := g.Decider()
		is := func(x guard.Guard) bool { return x.Name() == name }
		d.Always, d.Guards = slices.DeleteFunc(d.Always, is), slices.DeleteFunc(d.Guards, is)
	}
}

// wants puts something else in the place of what is wanted.
func wants(instead func(c *guard.Case, w engine.Wanted) engine.Wanted) fault {
	return func(g *simulate.Game) {
		g.Wants = func(c *guard.Case, wanted []engine.Wanted) []engine.Wanted {
			for i := range wanted {
				wanted[i] = instead(c, wanted[i])
			}
			return wanted
		}
	}
}

// facts changes the facts that are to be recorded.
func facts(instead func(c *guard.Case, l history.Located) history.Located) fault {
	return wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
		if r, ok := w.Action.(engine.Record); ok {
			for i := range r.Facts {
				r.Facts[i] = instead(c, r.Facts[i])
			}
		}
		return w
	})
}

// TestPlantedFaultsAreFound plays deciders that are wrong, each in its way. The
// laws must find each of them.
func TestPlantedFaultsAreFound(t *testing.T) {
	begin := func(c *guard.Case, w engine.Wanted) (*history.Step, bool) {
		_, ok := w.Action.(engine.Begin)
		return c.Run.Step(w.Step), ok
	}
	for name, plant := range map[string]fault{
		"no dependency":  without("dependency"),
		"no unproven":    without("unproven"),
		"no binding":     without("binding"),
		"no done":        without("done"),
		"no approval":    without("approval"),
		"no repetition":  without("repetition"),
		"no checkpoint":  without("checkpoint"),
		"no compliance":  without("compliance"),
		"no feasibility": without("feasibility"),
		"no education":   without("education"),
		"no budget":      without("budget"),
		"no request answered": func(g *simulate.Game) {
			g.Decider().Always = append(g.Decider().Always,
				guard.Of("loop", loops))
		},
		"a completed step again": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if _, ends := w.Action.(engine.End); ends && len(c.Run.Concluded()) > 0 {
				return engine.Wanted{Step: c.Run.Concluded()[0].Address, Action: engine.Attempt{Method: "primary"}}
			}
			return w
		}),
		"ends too early": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if s, ok := begin(c, w); ok && s.Task != "1" {
				return engine.Wanted{Action: engine.End{}}
			}
			return w
		}),
		"forgets to undo": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if _, undo := w.Action.(engine.Restore); undo && w.Step != "" {
				return engine.Wanted{Step: w.Step, Action: engine.Attempt{Method: "primary"}}
			}
			return w
		}),
		"never seals": wants(func(_ *guard.Case, w engine.Wanted) engine.Wanted {
			if _, seals := w.Action.(engine.Seal); seals {
				return engine.Wanted{Action: engine.Look{What: guard.Tree}}
			}
			return w
		}),
		"seals too early": wants(func(_ *guard.Case, w engine.Wanted) engine.Wanted {
			if _, ends := w.Action.(engine.End); ends {
				return engine.Wanted{Action: engine.Seal{}}
			}
			return w
		}),
		"steps in the wrong order": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if s, ok := begin(c, w); ok && s.Status == history.Pending {
				last := c.Run.Steps[len(c.Run.Steps)-1]
				return engine.Wanted{Step: last.Address, Action: w.Action}
			}
			return w
		}),
		"attempts on old preconditions": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if s, ok := begin(c, w); ok && s.Status == history.InFlight && s.Refusal == nil {
				return engine.Wanted{Step: w.Step, Action: engine.Attempt{Method: "primary"}}
			}
			return w
		}),
		"asks what was answered": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			s, ok := begin(c, w)
			if !ok || s.Status != history.Pending || len(s.Questions) == 0 || !s.ChosenLast(choice.GoOn) {
				return w
			}
			return engine.Wanted{Action: engine.Record{Facts: s.Where(0).Locate(
				&history.Asked{Question: s.Questions[len(s.Questions)-1].Question})}}
		}),
		"repeats what cannot be undone": facts(func(c *guard.Case, l history.Located) history.Located {
			s := c.Run.Step(l.Where.Step)
			if _, asks := l.Fact.(*history.Asked); asks && s != nil && s.Rollback == plan.Irreversible &&
				s.Last() != nil && s.Refusal == nil {
				return history.Located{Where: s.Where(s.Tried() + 1), Fact: &history.AttemptStarted{Method: "primary"}}
			}
			return l
		}),
		"joins in the wrong order": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if _, joins := w.Action.(engine.Join); joins {
				return engine.Wanted{Step: c.Seen.Back[len(c.Seen.Back)-1], Action: engine.Join{}}
			}
			return w
		}),
		"delivers before all are joined": wants(func(_ *guard.Case, w engine.Wanted) engine.Wanted {
			if _, joins := w.Action.(engine.Join); joins {
				return engine.Wanted{Action: engine.Deliver{}}
			}
			return w
		}),
		"climbs before it goes alone": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			s := c.Run.Step(w.Step)
			if a, tries := w.Action.(engine.Attempt); tries && s.Last() != nil && s.Last().Aside != nil && s.Next == nil {
				return engine.Wanted{Action: engine.Record{Facts: s.Where(s.Tried()).Locate(
					&history.Recovery{Rung: "retry", Method: a.Method})}}
			}
			return w
		}),
		"goes alone by another method": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			s := c.Run.Step(w.Step)
			if _, tries := w.Action.(engine.Attempt); tries && s.SetAside() != nil && s.Next == nil {
				w.Action = engine.Attempt{Method: "backup_1"}
			}
			return w
		}),
		"goes beside others once more": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			s := c.Run.Step(w.Step)
			if a, tries := w.Action.(engine.Attempt); tries && s.SetAside() != nil && s.Next == nil {
				for _, o := range c.Run.UnderWay() {
					if o != s {
						return engine.Wanted{Action: engine.Group{Members: []engine.Member{
							{Step: s.Address, Method: a.Method}, {Step: o.Address, Method: "primary"}}}}
					}
				}
			}
			return w
		}),
		"goes on after a halt": wants(func(c *guard.Case, w engine.Wanted) engine.Wanted {
			if _, ends := w.Action.(engine.End); ends {
				for _, s := range c.Run.Steps {
					if s.Status == history.Pending {
						return engine.Wanted{Step: s.Address,
							Action: engine.Begin{Start: guards.Checkpoint(c.About(s))}}
					}
				}
			}
			return w
		}),
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(faultGames) {
				g := simulate.New(seed)
				plant(g)
				if err := g.Play(); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d games did not show it", faultGames)
		})
	}
}

// faultGames is how many games a fault may stay unseen.
const faultGames = 5000

// loops never lets a step pass, and wants nothing that could ever change that.
func loops(c *guard.Case) guard.Verdict {
	if c.Busy() {
		return guard.Pass()
	}
	return guard.Look(guard.Requests)
}
