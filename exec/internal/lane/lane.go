// Package lane is the one lane that a run has: the step that is under way, its
// attempt, and the question that waits. A run with several lanes has no single
// answer to these, so callers of this package are what several lanes change.
package lane

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// Current is the step that is under way, or nil.
func Current(r *history.Run) *history.Step {
	for _, s := range r.UnderWay() {
		return s
	}
	return nil
}

// InFlight reports whether an attempt of the current step has begun and nothing
// is known of its end.
func InFlight(r *history.Run) bool {
	s := Current(r)
	return s != nil && s.InFlight() != nil
}

// Pending is the question that waits for an answer, or nil.
func Pending(r *history.Run) *ask.Question {
	for _, q := range r.Questions() {
		return q
	}
	return nil
}

// Next is the step that is under way, or the first that is not over; nil when
// none is left or a failure halted the run.
func Next(r *history.Run) *history.Step {
	if s := Current(r); s != nil {
		return s
	}
	if q := Pending(r); q != nil && r.Step(q.Step) != nil {
		return r.Step(q.Step) // asked before it began
	}
	for _, s := range r.NotCompleted() {
		if s.Failed != nil && s.Failed.Halts {
			return nil
		}
	}
	for _, s := range r.Open() {
		if s.Status == history.Pending {
			return s
		}
	}
	return nil
}
