package standard

import (
	"github.com/planlock/planlock/gate"
)

// Version of the built-in gates and checks. It moves whenever one of them judges differently, and is part of
// the envelope of every run.
const Version = "1"

// Gates returns the built-in gates in the order in which they are asked. Names are stable. The slice is the caller's own.
func Gates() []gate.Gate {
	return []gate.Gate{
		completeness(), declaredNonGoals(), classification(), // planning
		preconditions(),                         // before
		nonGoals(), limits(), syntax(), types(), // during
		invariants(), testIntent(), // before, during, final
		artifacts(), postconditions(), expectedOutput(), evidence(), semanticClass(), // after
		completion(), // final
	}
}

// info fills in what all built-in gates have in common.
func info(name, doc string, level gate.Level, phases ...gate.Phase) gate.Info {
	return gate.Info{Name: name, Doc: doc, Version: Version, Level: level, Phases: phases, Stateless: true}
}
