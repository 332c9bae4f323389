// Package guards has the guards that every run has, each a file, and the order
// in which they are asked.
package guards

import (
	"github.com/planlock/planlock/exec/guard"
)

// Always lists the guards that are asked before anything else is done about a
// step, also about one that is under way.
func Always() []guard.Guard {
	return []guard.Guard{
		guard.Of("request", request), // a person wants the run to stop and ask
		guard.Of("budget", budget),   // the tokens of this session are nearly used up, or the money of the run is
		guard.Of("stage", stage),     // a speclet failed that others wait for
	}
}

// Table lists the guards of a step that has not begun, in the order in which
// they are asked. The first one that does not let the step pass is heard; after
// what comes of it all are asked again.
func Table() []guard.Guard {
	return []guard.Guard{
		guard.Of("rehearsal", rehearsal),       // the trial ends before what acts outside of its clone
		guard.Of("dependency", dependency),     // an earlier step that it needs is missing
		guard.Of("threshold", threshold),       // failures pile up, so dynamic mode asks
		guard.Of("unproven", unproven),         // a task that it needs left no evidence
		guard.Of("binding", binding),           // something moved, or somebody changed the tree
		guard.Of("done", done),                 // its work was acknowledged as done
		guard.Of("approval", approval),         // the reviewers decide about its task
		guard.Of("repetition", repetition),     // it cannot be undone, and would run once more
		guard.Of("checkpoint", checkpoint),     // the plan wants a person here
		guard.Of("compliance", compliant),      // its task does not keep the articles
		guard.Of("feasibility", feasibility),   // advisors are heard before its task
		guard.Of("propagation", propagation),   // what follows from earlier failures
		guard.Of("education", education),       // it is explained first
		guard.Of("confirmation", confirmation), // a person is asked before a critical one
	}
}
