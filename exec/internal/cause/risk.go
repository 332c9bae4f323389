package cause

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
