//go:build torture

package simulate_test

// games is how many histories are played, and atLeast how often each guard must
// hold one up.
const (
	games   = 1_000_000
	atLeast = 750
)
