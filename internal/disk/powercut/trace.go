package powercut

import (
	"fmt"

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

const never = int(^uint(0) >> 1)

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
				if wants[p] = without(wants[p], s.node); len(wants[p]) > 0 {
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

// folders are those that hold the names that a step changes.
func (s step) folders() []int {
	switch s.kind {
	case disk.Create, disk.Mkdir, disk.Symlink, disk.Remove:
		return []int{s.dir}
	case disk.Link:
		return []int{s.to}
	case disk.Rename:
		if s.dir != s.to {
			return []int{s.dir, s.to}
		}
		return []int{s.to}
	}
	return nil
}

// touchedBy reports whether sync makes s durable, or part of it.
func (s step) touchedBy(sync step, wants []int) bool {
	switch s.kind {
	case disk.Write, disk.Truncate:
		return s.node == sync.node
	case disk.Chmod, disk.Chtimes:
		return s.node == sync.node && sync.kind != disk.SyncData
	}
	for _, w := range wants {
		if w == sync.node {
			return true
		}
	}
	return false
}

func without(list []int, n int) []int {
	var rest []int
	for _, x := range list {
		if x != n {
			rest = append(rest, x)
		}
	}
	return rest
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
	case disk.Rename, disk.Link:
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
