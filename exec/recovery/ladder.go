package recovery

import (
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Situation is all that a rung may look at. It must not be changed.
type Situation struct {
	Step    *plan.Step
	History *history.Step
	Failure *history.AttemptFailed
	Mode    plan.Mode
	// Stateful is set if the executor changed something that restoring the
	// tree does not undo.
	Stateful bool
	// Run is the history of the whole run. It may be nil: then only the step
	// counts.
	Run *history.Run
}

// Next is what a rung decided: one of Method, Ask and Advise, or, where none of
// them is set, that the step has failed.
type Next struct {
	Rung   string        // the rung's name
	Method string        // try this method next: "primary", "backup_ID", "patch_N"
	After  time.Duration // how long to wait before that
	Ask    bool          // ask a person
	// Advise wants advice of this kind, about Point, to stand in the history
	// first; then the ladder is climbed again.
	Advise advice.Kind
	Point  advice.Point
	Why    string
	Passed []history.Passed // the rungs before this one, and why they had nothing to do
}

// A Rung is one strategy.
//
// Try decides, or returns false to pass to the next rung; then Why of what it
// returns is kept, unless it is empty. It is a pure function of the situation,
// and may be called concurrently.
type Rung interface {
	Name() string
	Try(s Situation) (Next, bool)
}

// A Ladder is an ordered list of rungs.
type Ladder []Rung

// Next climbs the ladder. Where no rung wants to do anything the step has
// failed, and the result says so.
func (l Ladder) Next(s Situation) Next {
	var passed []history.Passed
	for _, rung := range l {
		next, ok := rung.Try(s)
		if ok {
			next.Rung, next.Passed = rung.Name(), passed
			return next
		}
		if next.Why != "" {
			passed = append(passed, history.Passed{Rung: rung.Name(), Why: next.Why})
		}
	}
	return Next{Rung: "none", Why: "nothing is left to try", Passed: passed}
}
