package engine

import (
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/exec/recovery"
)

// A Decider decides about runs of one contract, each under its policy. It keeps
// nothing between two calls, and may be used from several goroutines.
type Decider struct {
	Contract *guard.Contract
	// Ladder is the one whose rungs the policy of the run names.
	Ladder recovery.Ladder
	// Always are asked before anything else is done about a step, and Guards
	// before one begins.
	Always, Guards []guard.Guard
}

// New makes a decider with the guards that every run has.
func New(c *guard.Contract, ladder recovery.Ladder) *Decider {
	return &Decider{Contract: c, Ladder: ladder, Always: guards.Always(), Guards: guards.Table()}
}

// about is the case of a run: all that decisions follow from.
func (d *Decider) about(run *history.Run, seen *guard.Seen) *guard.Case {
	return &guard.Case{Contract: d.Contract, Run: run, Seen: seen}
}

// begin asks the guards about a step that has not begun.
func (d *Decider) begin(c *guard.Case) []Wanted {
	for _, g := range d.Guards {
		if v := g.Look(c); !v.Passes() {
			return heard(c, g, v)
		}
	}
	return about(c, Begin{Start: guards.Checkpoint(c)})
}
