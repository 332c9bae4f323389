package history

import "time"

// An Idle is a time in which nobody had the run in hand: from the last record
// before it was taken up again until it was.
type Idle struct{ From, To time.Time }

// idle notes that the run was taken up again. Of the times only what the journal holds of them counts, not the clock of a process.
func (r *Run) idle(at time.Time) {
	if at.After(r.Latest) {
		r.Idle = append(r.Idle, Idle{r.Latest.Round(0), at.Round(0)})
	}
}

// Worked is how long controllers were at work from one moment to another; 0 if
// one of them is not known, or the second is not the later one.
func (r *Run) Worked(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() || !to.After(from) {
		return 0
	}
	took := to.Sub(from)
	for _, idle := range r.Idle {
		first, last := idle.From, idle.To
		if first.Before(from) {
			first = from
		}
		if last.After(to) {
			last = to
		}
		took -= max(last.Sub(first), 0)
	}
	return max(took, 0)
}
