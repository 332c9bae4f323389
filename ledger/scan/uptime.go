package scan

import "time"

// An uptime is what the clock that counts from the start of the machine shows,
// sleep included: just before the wall clock was read, and just after. Both are
// 0 where there is no such clock. No program can set it, and it goes on from
// one process to the next.
type uptime struct{ before, after time.Duration }

// known reports whether there is such a clock.
func (u uptime) known() bool { return u.before > 0 && u.after > 0 }

// clocks reads the wall clock, and that of the machine around it. Where
// this process had to wait in between it tries again: the wider apart the two
// readings are, the sooner the wall clock seems to have been set back.
func clocks() (wall time.Time, up uptime) {
	const tries, near = 5, time.Millisecond
	for range tries {
		up.before = sinceBoot()
		wall = time.Now()
		up.after = sinceBoot()
		if up.after-up.before < near {
			break
		}
	}
	return wall, up
}
