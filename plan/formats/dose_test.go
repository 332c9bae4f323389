//go:build !torture

package formats_test

// A part of the corpus is tried: how many plans of each format, and how many steps
// the longest may have.
const (
	most    = 1
	longest = 40
)
