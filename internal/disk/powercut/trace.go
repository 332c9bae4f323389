package powercut

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/internal/disk"
)

// A Trace is what was done to a folder, in order. It is read only, and safe for
// concurrent use.
type Trace struct {
	start image
	steps []step
	// since is, for each step, after how many it was durable; never where it
	// was not.
	since []int
}

// never is later than every moment.
const never = int(^uint(0) >> 1)

// newTrace finds out since when each step was durable. A change of contents
// waits for a sync of the file; a name for one of each folder that it touches;
// and what a sync that failed covered stays in doubt for ever, but for names.
func newTrace(start image, steps []step) *Trace {
	t := &Trace{start: start, steps: steps, since: make([]int, len(steps))}
	var pending []int
	wants := map[int][]int{} // folders that a step still has to see synced
	for i, s := range steps {
		t.since[i] = never
		if !isSync(s.kind) {
			pending = append(pending, i)
			wants[i] = s.folders()
			continue
		}
		t.since[i] = i + 1
		left := pending[:0]
		for _, p := range pending {
			switch q := steps[p]; {
			case !q.touchedBy(s, wants[p]):
				left = append(left, p)
			case s.failed && len(wants[p]) > 0: // a name: the next sync saves it
				left = append(left, p)
			case s.failed: // it stays pending for ever
			default:
				if s.kind == disk.SyncAll {
					wants[p] = nil
				}
				if wants[p] = slices.DeleteFunc(wants[p], func(n int) bool { return n == s.node }); len(wants[p]) > 0 {
					left = append(left, p)
				} else {
					t.since[p] = i + 1
				}
			}
		}
		pending = left
	}
	return t
}

// Len is how many operations there were. Moment k is after k of them.
func (t *Trace) Len() int { return len(t.steps) }

// Operation says in words what was done from moment k to k+1.
func (t *Trace) Operation(k int) string {
	s := t.steps[k]
	text := fmt.Sprintf("%s %s", s.kind, s.path)
	switch s.kind {
	case disk.Write:
		text += fmt.Sprintf(" at %d, %d bytes", s.offset, len(s.data))
	case disk.Rename, disk.RenameNew, disk.Exchange, disk.Link:
		text += " to " + s.as
	case disk.Truncate:
		text += fmt.Sprintf(" to %d bytes", s.size)
	}
	return text
}

// At is the moment after k operations.
func (t *Trace) At(k int) *Cut {
	c := &Cut{trace: t, at: k}
	for i := range k {
		if t.since[i] > k {
			c.pending = append(c.pending, i)
		}
	}
	return c
}

// A Cut is a moment at which the power goes.
type Cut struct {
	trace   *Trace
	at      int
	pending []int
}

// Pending are the numbers of the operations that were not durable, in order.
func (c *Cut) Pending() []int { return c.pending }

// image is what is left at the cut.
func (c *Cut) image(choose Choice) image {
	img := c.trace.start.clone()
	for i := range c.at {
		var fate Fate
		if c.trace.since[i] > c.at {
			fate = choose(i)
		}
		img.apply(c.trace.steps[i], fate)
	}
	return img
}
