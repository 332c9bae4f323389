package flow

import (
	"math/bits"
	"time"

	"github.com/planlock/planlock/plan"
)

const (
	warnAt    = 70 // percent of the token budget: executors are asked to be brief
	handoffAt = 80 // percent: the session ends
)

// Budget is how far a token budget is used up: executors are asked to be brief
// from 70 % on, and the session is handed off from 80 % on. It is exact: 69.9 %
// is not 70 %. A limit of 0 or less is none.
func Budget(used, limit int64) (brief, handoff bool) {
	if limit <= 0 {
		return false, false
	}
	return reached(used, limit, warnAt), reached(used, limit, handoffAt)
}

// reached reports whether used is at least percent of limit, without overflow.
func reached(used, limit int64, percent uint64) bool {
	if used <= 0 {
		return false
	}
	h1, l1 := bits.Mul64(uint64(used), 100)
	h2, l2 := bits.Mul64(uint64(limit), percent)
	return h1 > h2 || h1 == h2 && l1 >= l2
}

// Limit is how long an attempt of a step may take, and by whose word, with what
// gives it longer: as long as the step's timeout says; else, where its task has
// an estimate, twice that for the first attempt and one and a half times that
// for each further one; else [plan.DefaultTimeout].
func Limit(t *plan.Task, s *plan.Step, attempt int) (limit time.Duration, says string) {
	const longest = time.Duration(1<<63-1) / 2
	switch {
	case s.Timeout > 0:
		return s.Timeout, "that is the timeout of the step; give it a longer one only if it needs one"
	case t == nil || t.Estimate <= 0 || t.Estimate > longest:
		return plan.DefaultTimeout, "a step has so long if nothing else is said; if it needs longer, give it a " +
			"timeout in the plan, or its task an estimate"
	case attempt > 1:
		return t.Estimate + t.Estimate/2, "that is once and a half the estimate of its task; " + ownTimeout
	}
	return 2 * t.Estimate, "that is twice the estimate of its task; " + ownTimeout
}

const ownTimeout = "if it needs longer, raise the estimate; a native plan may give the step a timeout"
