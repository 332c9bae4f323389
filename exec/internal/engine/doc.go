// Package engine decides what a run does next.
//
// [Decider.Decide] is a pure function of a contract, a policy and the history
// of a run: it looks at no clock, no file and no process, and two calls with
// equal arguments return equal results. It returns everything that should be
// under way now, in the order of the plan, as values of type [Wanted]. Whoever
// calls it has the world do that, appends what came of it to the journal as
// facts, and asks again:
//
//	for {
//		wanted := decider.Decide(run, seen)
//		if len(wanted) == 0 {
//			break
//		}
//		... start what is not under way, append the facts of what ended
//	}
//
// A live run, one that is resumed after a crash, and one that goes on after an
// answer take the same way through the same code: there is no state but the
// history. What a controller saw and that still holds ([guard.Seen]) is an
// argument too; it never outlives the controller.
//
// Duties of the caller, in this order: every fact of a [Record] is appended,
// durably, before anything that follows from it; an effect begins only after
// the fact that announces it; each action that has begun ends with at least one
// fact, a [guard.Seen.Saw], or the end of the loop.
package engine
