// Package builtin lists the built-in gates. A host that wants all of them gives
// [Gates] to its controller; one that wants fewer lists those of the packages
// beside this one, and links no more than it lists.
//
// The gates look only at artifacts: at trees, changes and contents, and at how
// commands end. What an executor says of itself proves nothing to them. Several
// faults are all reported. Where some checks of a gate break and others cannot
// be decided, the gate fails, and the undecided ones are findings beside the
// others; where none breaks, the gate could not decide.
//
// Files are read through a root that neither ".." nor a link leads out of, only
// if they are regular, and up to a size. Parsers are given what steps wrote:
// one that panics has found a fault.
//
// What is not promised: Go declarations are compared by their spelling, without
// resolving types, so an alias that replaces its target counts as a change, and
// a method promoted from an embedded type is not seen. The types gate compiles
// what uses a changed package in the module of that package; other modules of
// the workspace are for checks of the plan.
package builtin

import (
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/artifacts"
	"github.com/planlock/planlock/gate/completion"
	"github.com/planlock/planlock/gate/conditions"
	"github.com/planlock/planlock/gate/expected"
	"github.com/planlock/planlock/gate/intent"
	"github.com/planlock/planlock/gate/invariants"
	"github.com/planlock/planlock/gate/limits"
	"github.com/planlock/planlock/gate/nongoals"
	"github.com/planlock/planlock/gate/semantics"
	"github.com/planlock/planlock/gate/syntax"
	"github.com/planlock/planlock/gate/types"
)

// Gates returns the built-in gates in the order in which they are asked: in
// planning, before a step, during, after, and at the end. Names are stable. The
// slice is the caller's own.
func Gates() []gate.Gate {
	return []gate.Gate{
		completion.Plan(), nongoals.Declared(), semantics.Declared(), // planning
		conditions.Before(),                                         // before
		nongoals.Gate(), limits.Gate(), syntax.Gate(), types.Gate(), // during
		invariants.Gate(), intent.Gate(), // before, during, final
		artifacts.Gate(), conditions.After(), expected.Output(), expected.Evidence(), semantics.Gate(), // after
		completion.Gate(), // final
	}
}
