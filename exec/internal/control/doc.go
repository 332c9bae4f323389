// Package control holds checks against trees that lack the work which they are
// to prove.
//
// A check that holds after a step says something of the step only if it would
// not hold without it. So it is decided twice more, in the copy of the
// workspace in which the run works: on the tree before the step, and on the
// tree after it with nothing in the files that the step wrote. What the checks
// write there vanishes, and the copy holds the step's work again afterwards.
//
// That a check did not hold before is not enough: one that merely looks whether
// a file is there does not hold before either, whatever is in the file.
package control
