package attempt

import (
	"slices"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
)

// Unserved says that whoever serves an executor will not serve it for some time.
type Unserved struct {
	Until  time.Time // zero: nobody said until when
	Reason string
}

// How long is waited where nobody says until when: longer with each time, and at
// least for a moment, and at most as long as quotas last, whatever is said.
const (
	waitFirst   = 5 * time.Minute
	waitMost    = time.Hour
	waitLeast   = 5 * time.Second
	waitLongest = 8 * 24 * time.Hour
)

// unserved is the fault of an attempt whose executor was not served. It says when
// the attempt is made again.
func (t *trial) unserved() *fault {
	now, said := t.Now(), t.outcome.Unserved
	again, until := 0, said.Until
	for _, a := range slices.Backward(t.s.Attempts) {
		if a.Number == t.number {
			continue
		}
		if a.Failure == nil || a.Failure.Class != history.NotServed {
			break
		}
		again++
	}
	doubled := func(first time.Duration) time.Time { return now.Add(min(first<<min(again, 20), waitMost)) }
	switch {
	case !until.After(now): // nobody said, or it is over and nothing is better
		until = doubled(waitFirst)
	case until.Before(doubled(waitLeast)):
		until = doubled(waitLeast)
	case until.After(now.Add(waitLongest)):
		until = now.Add(waitLongest)
	}
	until = until.UTC().Add(time.Second - 1).Truncate(time.Second)
	f := faultf(history.NotServed, "it is not served until %s: %s", until.Format(time.RFC3339),
		bound.Text(said.Reason, bound.Line))
	f.Until = until
	return f
}
