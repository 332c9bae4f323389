// Package disturbance says what may not hold any more of what a controller saw,
// after something happened to the run:
//
//	seen.Forget(disturbance.PersonAsked...)
//
// That a run is taken up disturbs all: nothing seen outlives its controller.
package disturbance

import (
	"github.com/planlock/planlock/exec/guard"
)

// Each disturbance, with the observations that it makes doubtful.
var (
	// StrangersRan: a command or code of the host ran that may only look.
	StrangersRan = []guard.Observation{guard.Bindings, guard.Tree}
	// PersonAsked: a question was put; who answers may have looked at the tree,
	// and touched it.
	PersonAsked = []guard.Observation{guard.Bindings, guard.Tree}
	// TimePassed: the run waited, and somebody may have used the time.
	TimePassed = []guard.Observation{guard.Bindings, guard.Tree, guard.Requests}
	// Attempted: an executor worked.
	Attempted = []guard.Observation{guard.Bindings, guard.Tree, guard.Requests, guard.Done}
	// Recorded: the run went on by a fact.
	Recorded = []guard.Observation{guard.Requests, guard.Done, guard.Due}
)
