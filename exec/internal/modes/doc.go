// Package modes measures when dynamic mode must ask a person.
//
// A run in dynamic mode goes on by itself until one of four triggers fires:
// steps failed in a row, backups carry the load that primary methods should
// carry, the quality of what steps deliver declines, or a task has had as many
// failures as its plan allows. Each is a number that follows from the journal,
// set against a threshold:
//
//	rows := modes.Observe(run, nil)
//	for _, m := range modes.Fired(modes.For(p, modes.Triggers{}).Measure(rows)) {
//		fmt.Println(m) // "3 steps failed in a row (1.1, 1.2, 2.1); 3 are enough to ask"
//	}
//
// # What counts
//
// The rows are the steps that were completed or failed, in the order in which
// they ended; steps that were skipped or blocked say nothing about methods and
// are left out. A window begins when dynamic mode begins, so that a person who
// switches back to it is not asked about the same steps again.
//
// # The edges of a window
//
// A count (failures in a row, the same backup, exhausted steps, failures of a
// task) fires as soon as it is reached, however few steps there have been. A
// share (steps that needed backups, mismatches, violations) needs its whole
// window, because one of one is no pattern: with fewer steps than that it is
// measured and does not fire. The growth of retries compares two whole windows.
// From no retries at all growth has no percentage; it fires when the retries of
// a step reach on average what would be growth from one, half a retry.
//
// # Promises
//
// Everything here is a pure function: the same history gives the same result,
// and nothing is kept between calls. Nothing here decides; exec does, and what
// was measured stands in the journal and in the question.
package modes
