// Package disturbance lists which observations of a controller are out of date
// after something happened to the run, such as a question to a person:
//
//	seen.Forget(disturbance.PersonAsked...)
//
// A controller that takes up a run has observed nothing yet.
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
	PersonAsked = []guard.Observation{guard.Bindings, guard.Tree, guard.Workspace}
	// TimePassed: the run waited, and somebody may have used the time.
	TimePassed = []guard.Observation{guard.Bindings, guard.Tree, guard.Requests}
	// Attempted: an executor worked.
	Attempted = []guard.Observation{guard.Bindings, guard.Tree, guard.Requests, guard.Done}
	// Recorded: the run went on by a fact.
	Recorded = []guard.Observation{guard.Requests, guard.Done, guard.Due}
)
