//go:build !torture

package crash

import "testing"

// theDose is that of every day: some seconds. All of it takes go test -tags torture.
func theDose(t testing.TB) dose {
	if testing.Short() {
		return dose{plot: short, every: 60, singles: 300, seeds: 15, some: 10, again: 2, killed: 4, faults: 400}
	}
	return dose{plot: short, every: 30, singles: 120, seeds: 50, some: 24, again: 5, killed: 8, faults: 251}
}
