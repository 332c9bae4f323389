//go:build torture

package crash

import "testing"

// theDose is all of it: minutes.
func theDose(testing.TB) dose {
	return dose{plot: plot{tasks: 5, stopAfter: "3.1", backTo: "2.5"}, every: 1, singles: 1, layers: 20, seeds: 10_000,
		some: 2_000, again: 200, killed: 300, faults: 1, orders: 2}
}
