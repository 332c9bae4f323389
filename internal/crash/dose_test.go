package crash

import (
	"os"
	"runtime/debug"
	"testing"
)

// A dose is how much is tried.
type dose struct {
	plot
	every   int // operations from one moment to the next
	singles int // the same, for single losses
	layers  int // one in so many of single losses in layers
	seeds   int // random subsets
	some    int // cuts of any class, in a clone and with witnesses
	again   int // times three cuts
	killed  int // kills and failures before a cut
	faults  int // operations from one fault to the next
	orders  int // runs in lanes: each comes to an order of its own
}

// inLanes is the dose for a run in lanes.
func (d dose) inLanes() dose {
	d.plot = inLanes
	return d
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // many small worlds, and little of them stays
	os.Exit(m.Run())
}
