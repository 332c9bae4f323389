// Package drive is the loop around the decider: it asks what is wanted, and has
// the part do it that can.
//
// A [Drive] knows the parts, and nothing of what they do. It is the same for a
// run that begins, one that is taken up, and one that goes on after an answer.
package drive
