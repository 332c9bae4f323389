// Package carry decides what a run takes over of another one that has ended.
//
// A step is taken over if the other run accepted it, its contract is what it was,
// and so is all that it began with: the steps that it needs are taken over too,
// and nobody has changed since what it declares to read. All of it is a function
// of the two plans, the history of the other run, and of what changed since.
package carry
