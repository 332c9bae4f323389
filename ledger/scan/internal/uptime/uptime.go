// Package uptime reads the clock that nobody can set: the one that counts from
// the start of the machine.
package uptime

import "time"

// A Reading is what the clock that counts from the start of the machine shows,
// sleep included: just before the wall clock was read, and just after. Both are
// 0 where there is no such clock. No program can set it, and it goes on from
// one process to the next.
type Reading struct{ Before, After time.Duration }

// Known reports whether there is such a clock.
func (u Reading) Known() bool { return u.Before > 0 && u.After > 0 }

// Read reads the wall clock, and that of the machine around it. Where
// this process had to wait in between it tries again: the wider apart the two
// readings are, the sooner the wall clock seems to have been set back.
func Read() (wall time.Time, up Reading) {
	const tries, near = 5, time.Millisecond
	for range tries {
		up.Before = sinceBoot()
		wall = time.Now()
		up.After = sinceBoot()
		if up.After-up.Before < near {
			break
		}
	}
	return wall, up
}
