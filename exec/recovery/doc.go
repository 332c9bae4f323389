// Package recovery is the ladder: what is tried after a failure, in order,
// until something succeeds or a person must be asked.
//
// A [Ladder] is a list of rungs. Each [Rung] looks at a [Situation], which is
// the step, its history so far and the latest failure, and either says what to
// do next or passes to the next rung. Rungs keep no memory of their own: how
// often one was used stands in the history, so that a run that crashed climbs
// on where it was.
//
//	ladder := recovery.Ladder{recovery.Retry{}, recovery.Backup{}, recovery.Reflect{}, recovery.Ask{}}
//	next := ladder.Next(recovery.Situation{Step: step, History: h, Failure: f})
//	switch {
//	case next.Method != "": // try this one, after next.After
//	case next.Advise != "": // have an advisor say something, and climb again
//	case next.Ask:          // ask a person
//	default:                // the step has failed
//	}
//
// The rungs are [Retry], [Feedback], [Backup], [Reflect], [Pivot], [Research]
// and [Ask]; their zero values have the usual limits. What may follow a failure
// of which class stands in one table, [Classes]. Package preset holds ladders
// that belong together with other settings.
//
// Rungs are pure functions and may be called concurrently. What the plan says
// of a step (on_failure, max_retries, critical_flag) goes before what a rung
// says.
package recovery
