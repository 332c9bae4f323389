// Package rewind goes back: it restores the tree that the journal announced,
// has steps compensated as the plan says, and sets a run back to before a step.
//
// The journal goes first. A restore is announced before the first file is
// written, and a position moves before the tree does, so whoever takes up a run
// that was cut off finds what is to be finished, and each restore can be
// repeated.
package rewind
