// Package testfirst tells what the failure of a test says. A test that was
// written before what it is for must fail, and fail in what was written: one
// that fails for want of a folder fails before and after, whatever anybody
// wrote. What a command of a test runs is read from its words.
package testfirst
