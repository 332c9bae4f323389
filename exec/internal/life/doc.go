// Package life begins runs, takes them up again and amends them.
//
// [Life.Begin] looks at everything before it writes the first fact, so what it
// refuses has changed nothing. [Life.Reopen] folds the journal of a run,
// refuses where something moved while nobody had the run in hand, and repairs
// what a crash or a power cut left behind. [Life.Amend] records that a run goes
// on under a plan with further steps.
package life
