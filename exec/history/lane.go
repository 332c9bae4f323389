package history

import (
	"slices"

	"github.com/planlock/planlock/exec/ask"
)

// A Lane is a strand of work that is under way: one step, with the attempt and
// the question that it waits for.
type Lane struct {
	Step     *Step
	Attempt  *Attempt      // that began, and has neither failed nor been accepted; nil if there is none
	Question *ask.Question // about the step, that nobody has answered; nil if there is none
}

// Lanes are the steps that are under way, in the order in which they began. A
// step is under way from the first time it started until it is over, also while
// the run waits or nobody has it in hand.
func (r *Run) Lanes() []Lane {
	lanes := make([]Lane, len(r.lanes))
	for i, s := range r.lanes {
		lanes[i] = Lane{Step: s, Attempt: s.InFlight(), Question: r.asked(s)}
	}
	return lanes
}

// InFlight is the attempt of the step that began and has neither failed nor
// been accepted, or nil.
func (s *Step) InFlight() *Attempt {
	if a := s.Last(); a != nil && a.Failure == nil && s.Status == InFlight {
		return a
	}
	return nil
}

// Questions are those that nobody has answered, in the order in which they were
// asked. A step has one at most, and so has the run as a whole.
func (r *Run) Questions() []*ask.Question {
	var open []*ask.Question
	for _, o := range r.open {
		open = append(open, &o.exchange.Question)
	}
	return open
}

// An openQuestion is a question that waits, and the step that it is about, nil
// for the run.
type openQuestion struct {
	step     *Step
	exchange *Exchange
}

// asked is the open question about a step, or about the run; nil if there is
// none.
func (r *Run) asked(s *Step) *ask.Question {
	for _, o := range r.open {
		if o.step == s {
			return &o.exchange.Question
		}
	}
	return nil
}

// enter notes that a step is under way.
func (r *Run) enter(s *Step) {
	if !slices.Contains(r.lanes, s) {
		r.lanes = append(r.lanes, s)
	}
}

// leave notes that a step is not under way any more.
func (r *Run) leave(s *Step) {
	if i := slices.Index(r.lanes, s); i >= 0 {
		r.lanes = slices.Delete(r.lanes, i, i+1)
	}
}
