//go:build torture

package formats_test

// All of the corpus is tried.
const (
	most    = 1 << 20
	longest = 1 << 20
)
