package guard

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// An Observation is something that a controller looks at, and that holds until
// something happens that may have changed it.
type Observation int

const (
	// Bindings: nothing moved that the run is bound to: plan, lock file, hold,
	// envelope, repository.
	Bindings Observation = iota + 1
	// Tree: the folder in which steps work is the tree that was accepted.
	Tree
	// Requests: what a person has asked of the run from outside.
	Requests
	// Done: what a step declares that was acknowledged as done, or is so in the
	// words of a summary.
	Done
	// Due: the time that a step or a task waits for has come.
	Due
	// Workspace: nobody else changed the workspace of a run that works in a
	// layer. It is looked for at some points only: nothing of anybody is touched
	// in between.
	Workspace
	observations
)

// Seen is what was looked at and still holds. It is no part of the journal: a
// controller that takes a run up has to look anew, whatever the one before it
// saw. The zero value has seen nothing. Guards only read it.
type Seen struct {
	holds [observations]bool
	// Of is the step for which the bindings were looked at.
	Of plan.Address
	// Request is what a person asked of the run; nil if nobody did.
	Request *ask.Request
	// For is what speaks for a step being done.
	For []string
	// Against is what speaks against it, where a summary says so and no lock does.
	Against []string
	// Back are the steps of a group whose attempts have come back, and whose
	// work waits in its lane to be joined.
	Back []plan.Address
}

// Saw notes that something was looked at, and holds.
func (s *Seen) Saw(o Observation) { s.holds[o] = true }

// Holds reports whether something was looked at and not forgotten since.
func (s *Seen) Holds(o Observation) bool { return s.holds[o] }

// Forget notes that observations have to be made anew.
func (s *Seen) Forget(all ...Observation) {
	for _, o := range all {
		s.holds[o] = false
	}
}
