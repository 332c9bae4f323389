package cause

import (
	"time"

	"github.com/planlock/planlock/exec/history"
)

// dear is an attempt that counts as expensive.
const dear = 30 * time.Minute

// Cost is what another attempt will cost, from 0 to 1, by what the longest of
// those that were made took.
func Cost(attempts []*history.Attempt) float64 {
	var longest time.Duration
	for _, a := range attempts {
		if a.Said != nil {
			longest = max(longest, a.Said.Took)
		}
	}
	return min(float64(longest)/float64(dear), 1)
}

// Risk is how risky it is to act on an advice: the more severe what went wrong,
// the less sure the advice and the dearer another attempt, the higher (stage
// R6). All are from 0 to 1, and so is the result.
func Risk(confidence, severity, cost float64) float64 {
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	return unit(severity) * (0.8*(1-unit(confidence)) + 0.2*unit(cost))
}

// Priority is what a retry is worth: sure advice against a severe failure
// first, cheap before dear.
func Priority(confidence, severity, cost float64) float64 {
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	return unit(confidence) * (0.5 + 0.5*unit(severity)) * (1 - 0.5*unit(cost))
}
