//go:build !torture

package crash

import "testing"

// theDose is that of every day: some seconds. All of it takes go test -tags
// torture. The short one is for the race detector, which makes everything ten
// times as slow: each class of losses is still there, and each fault, at the
// beginning of a run and in its middle.
func theDose(t testing.TB) dose {
	if testing.Short() {
		return dose{plot: short, every: 100, singles: 500, layers: 20, seeds: 8, some: 5,
			again: 1, killed: 4, faults: 600, orders: 1}
	}
	return dose{plot: short, every: 45, singles: 180, layers: 20, seeds: 40, some: 18,
		again: 4, killed: 6, faults: 379, orders: 1}
}
