// Package recovery is the ladder: what is tried after a failure, in order,
// until something succeeds or a person must be asked.
//
// A [Ladder] is a list of rungs. Each rung looks at a [Situation], which is the
// step, its history so far and the latest failure, and either says what to do
// next or passes to the next rung. Rungs keep no memory of their own: how often
// one was used stands in the history, so that a run that crashed climbs on
// where it was.
//
//	ladder := recovery.Standard()
//	next := ladder.Next(recovery.Situation{Step: step, History: h, Failure: f})
//	switch {
//	case next.Method != "": // try this one
//	case next.Ask:          // ask a person
//	default:                // the step has failed
//	}
//
// Rungs are pure functions and may be called concurrently.
package recovery
