// Package lane picks one of the lanes of a run: the step whose turn it is among
// those that are under way, and the question that is put next. Steps that run
// at once are joined, judged and asked about one after another, so that most of
// a controller looks at one of them at a time.
package lane

import (
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// Current is the step that is under way and whose turn it is, or nil: the first,
// in the order of execution, with an attempt that nobody has judged, else the
// first one. So the lanes of a group are joined before anything is tried again,
// and whoever is asked about several of them is asked in the order of the plan.
func Current(r *history.Run) *history.Step {
	first := r.Unjudged()
	if first != nil {
		return first
	}
	for _, s := range r.UnderWay() {
		if first == nil || s.Precedes(first) {
			first = s
		}
	}
	return first
}

// InFlight reports whether an attempt has begun and nothing is known of its end.
func InFlight(r *history.Run) bool { return r.Unjudged() != nil }

// Pending is the question that waits for an answer, or nil.
func Pending(r *history.Run) *ask.Question {
	for _, q := range r.Questions() {
		return q
	}
	return nil
}

// Halted reports whether a step failed in a way that lets no other one begin.
func Halted(r *history.Run) bool {
	return slices.ContainsFunc(r.NotCompleted(), func(s *history.Step) bool {
		return s.Failed != nil && s.Failed.Halts
	})
}

// Next is the step that is under way and whose turn it is, or the first that is not over; nil when
// none is left or a failure halted the run.
func Next(r *history.Run) *history.Step {
	if s := Current(r); s != nil {
		return s
	}
	if q := Pending(r); q != nil && r.Step(q.Step) != nil {
		return r.Step(q.Step) // asked before it began
	}
	if Halted(r) {
		return nil
	}
	for _, s := range r.Open() {
		if s.Status == history.Pending {
			return s
		}
	}
	return nil
}
