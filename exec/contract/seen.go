package contract

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// An Observation is something that a controller looked at, and that holds until
// it is disturbed.
type Observation int

const (
	// Bindings: nothing moved that the run is bound to: plan, lock file, hold,
	// envelope, repository.
	Bindings Observation = iota
	// Tree: the workspace is the tree that was accepted.
	Tree
	// Requests: what a person has asked of the run from outside.
	Requests
	// Done: what a step that was acknowledged as done declares.
	Done
	// Due: the time that a step or a task waits for has come.
	Due
	observations
)

// A Disturbance is something that happens to a run, after which what was seen
// may not hold any more.
type Disturbance int

const (
	// StrangersRan: a command or code of the host ran that may only look.
	StrangersRan Disturbance = iota
	// PersonAsked: a question was put; who answers may have looked at the tree,
	// and touched it.
	PersonAsked
	// TimePassed: the run waited, and somebody may have used the time.
	TimePassed
	// Attempted: an executor worked.
	Attempted
	// Recorded: the run went on by a fact.
	Recorded
)

// disturbs says which disturbance makes which observations doubtful. That a run
// is taken up disturbs all: nothing seen outlives its controller.
var disturbs = [...][]Observation{
	StrangersRan: {Bindings, Tree},
	PersonAsked:  {Bindings, Tree},
	TimePassed:   {Bindings, Tree, Requests},
	Attempted:    {Bindings, Tree, Requests, Done},
	Recorded:     {Requests, Done, Due},
}

// Seen is what was looked at and still holds. It is no part of the journal: a
// controller that takes a run up has to look anew, whatever the one before it
// saw. The zero value has seen nothing.
type Seen struct {
	holds [observations]bool
	// Of is the step for which the bindings were looked at.
	Of plan.Address
	// Request is what a person asked of the run; nil if nobody did.
	Request *ask.Request
	// For and Against speak for a step being done, and against it.
	For, Against []string
}

// Saw notes that something was looked at, and holds.
func (s *Seen) Saw(o Observation) { s.holds[o] = true }

// Holds reports whether something was looked at and not disturbed since.
func (s *Seen) Holds(o Observation) bool { return s.holds[o] }

// Disturb notes that something happened.
func (s *Seen) Disturb(d Disturbance) {
	for _, o := range disturbs[d] {
		s.holds[o] = false
	}
}

// Forget notes that an observation has to be made anew.
func (s *Seen) Forget(o Observation) { s.holds[o] = false }
