// Package evidence says what a task should have left behind, and what was found
// out about it.
//
// What a job says of itself proves nothing: it is a [Claim]. A [Need] is a
// piece of evidence that is asked for, and an [Item] what was found out about
// one: found, missing or unverifiable. What nobody could verify is said to be
// so, and is not taken for found ([Pass]). [TypeOf] tells experiments, which
// owe a run and their files, from documents, which owe their files alone.
//
// The package computes only; package search looks, and package remote asks
// servers.
package evidence
