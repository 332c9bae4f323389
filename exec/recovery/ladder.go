package recovery

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Situation is all that a rung may look at.
type Situation struct {
	Step    *plan.Step
	History *history.Step
	Failure *history.AttemptFailed
	Mode    plan.Mode
	// Stateful is set if the executor changed something that restoring the
	// tree does not undo.
	Stateful bool
}

// Next is what a rung decided.
type Next struct {
	Rung   string // the rung's name
	Method string // try this method next: "primary", "backup_ID"
	Ask    bool   // or ask a person; if neither, the step has failed
	Why    string
}

// A Rung is one strategy.
type Rung struct {
	Name string
	// Try decides, or returns false to pass to the next rung.
	Try func(s Situation) (Next, bool)
}

// A Ladder is an ordered list of rungs.
type Ladder []Rung

// Standard is retry, then backup, then ask.
func Standard() Ladder { return Ladder{Retry(), Backup(), Ask()} }

// Next climbs the ladder. Where no rung wants to do anything the step has
// failed, and the result says so.
func (l Ladder) Next(s Situation) Next {
	for _, rung := range l {
		if next, ok := rung.Try(s); ok {
			next.Rung = rung.Name
			return next
		}
	}
	return Next{Rung: "none", Why: "nothing is left to try"}
}
