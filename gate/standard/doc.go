// Package standard holds the built-in gates and the built-in kinds of checks.
//
//	panel := &gate.Panel{
//		Gates:  append(standard.Gates(), mine),
//		Checks: standard.Checks(),
//	}
//	if err := panel.Validate(); err != nil {
//		return err
//	}
//	for _, j := range panel.Ask(ctx, gate.After, pass) {
//		…
//	}
//
// [Gates] lists the gates in the order in which they are asked: completeness, declared-non-goals and classification in planning;
// preconditions before a step; non-goals, limits, syntax, types, invariants and test-intent during; artifacts, postconditions,
// expected-output, evidence and semantic-class after; and types, invariants, test-intent and completion at the end. Each
// looks only at artifacts: at trees, changes and contents, and at how commands end. What an executor says of itself proves nothing to them.
//
// Several faults are all reported. Where some checks of a gate break and others cannot be decided, the gate fails, and the undecided
// ones are findings beside the others; where none breaks, the gate could not decide.
//
// Files are read through a root that neither ".." nor a link leads out of, only if they are regular, and up to a size. Parsers are given what
// steps wrote: one that panics has found a fault.
//
// What is not promised: Go declarations are compared by their spelling, without resolving types, so an alias that replaces its
// target counts as a change, and a method promoted from an embedded type is not seen. Packages that merely use a changed package are
// not compiled by the types gate; a check of the plan such as go_build with "./..." does that.
package standard
