package simulate_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/engine/simulate"
	"github.com/planlock/planlock/exec/internal/guards"
)

// A tally counts how often each guard did not let a step pass.
type tally map[string]int

// counted has the guards of a list counted.
func (n tally) counted(guards []guard.Guard) []guard.Guard {
	all := make([]guard.Guard, len(guards))
	for i, g := range guards {
		all[i] = guard.Of(g.Name(), func(c *guard.Case) guard.Verdict {
			v := g.Look(c)
			if !v.Passes() {
				n[g.Name()]++
			}
			return v
		})
	}
	return all
}

// TestEveryHistoryIsLawful plays random histories, and checks the laws after
// each decision. Each guard must have held up enough steps for that to mean
// something.
func TestEveryHistoryIsLawful(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // histories are short, and all of one is garbage at its end
	workers := runtime.GOMAXPROCS(0)
	tallies, decisions := make([]tally, workers), make([]int, workers)
	lanes, aside := make([]int, workers), make([]int, workers)
	var wait sync.WaitGroup
	for w := range workers {
		tallies[w] = tally{}
		wait.Go(func() {
			for seed := uint64(w); seed < games && !t.Failed(); seed += uint64(workers) {
				g := simulate.New(seed)
				d := g.Decider()
				d.Always, d.Guards = tallies[w].counted(d.Always), tallies[w].counted(d.Guards)
				if err := g.Play(); err != nil {
					t.Errorf("seed %d, after %d decisions: %v", seed, g.Decisions, err)
				}
				decisions[w] += g.Decisions
				lanes[w] += g.Lanes
				aside[w] += g.Aside
			}
		})
	}
	wait.Wait()
	sum, all, beside, set := tally{}, 0, 0, 0
	for w, n := range tallies {
		for name, times := range n {
			sum[name] += times
		}
		all += decisions[w]
		beside += lanes[w]
		set += aside[w]
	}
	t.Logf("%d histories, %d decisions, %d attempts beside others, %d set aside, %v", games, all, beside, set, sum)
	if set < games/80 {
		t.Errorf("%d attempts were set aside, and %d are wanted", set, games/80)
	}
	if beside < games/12 {
		t.Errorf("%d attempts beside others, and %d are wanted", beside, games/12)
	}
	for _, g := range append(guards.Always(), guards.Table()...) {
		if sum[g.Name()] < atLeast {
			t.Errorf("guard %s held up %d steps, and %d are wanted", g.Name(), sum[g.Name()], atLeast)
		}
	}
}

// TestSetBackBesideALane plays a history in which two steps begin beside each
// other, and somebody has the run set back to before the one that stands later in
// the plan: the other one goes on.
func TestSetBackBesideALane(t *testing.T) {
	g := simulate.New(988396)
	back := 0
	g.Wants = func(_ *guard.Case, wanted []engine.Wanted) []engine.Wanted {
		for _, w := range wanted {
			if to, ok := w.Action.(engine.Rewind); ok && to.To == "2.1" && w.Step == "1.1" {
				back++
			}
		}
		return wanted
	}
	if err := g.Play(); err != nil || back != 1 {
		t.Errorf("%v; set back %d times, want once", err, back)
	}
}

// TestSameSeedSameGame plays games twice: whoever decides must not look at
// anything but its arguments.
func TestSameSeedSameGame(t *testing.T) {
	for seed := range uint64(200) {
		if a, b := played(t, seed), played(t, seed); a != b {
			t.Fatalf("seed %d was played in two ways:\n%s\n%s", seed, a, b)
		}
	}
}

func played(t *testing.T, seed uint64) string {
	t.Helper()
	g := simulate.New(seed)
	if err := g.Play(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", g.Run().Head) + fmt.Sprint(g.Decisions, g.Run().Status, g.Run().Asked)
}
