//go:build !torture

package crash

import "testing"

// theDose is that of every day: some seconds. All of it takes go test -tags torture.
func theDose(t testing.TB) dose {
	if testing.Short() {
		return dose{plot: short, every: 60, singles: 300, seeds: 15, again: 2, killed: 4, faults: 400}
	}
	return dose{plot: short, every: 20, singles: 120, seeds: 60, again: 6, killed: 12, faults: 199}
}
