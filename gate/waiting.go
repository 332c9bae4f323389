package gate

import "slices"

// Waiting says what the gate is about to wait for, so that a time-out meanwhile
// is put down to it. Call done when it came. Commands run through Runner are
// seen without it, but only a gate's own word counts as proof of a cause: a
// command may hang because of what the step did.
func (p *Pass) Waiting(cause Cause, what string) (done func()) {
	return p.waiting(&wait{cause: cause, what: what, vouched: true})
}

// waiting notes what a gate waits for, until the function that it returns is
// called. A time-out tells by it why it came.
func (p *Pass) waiting(w *wait) func() {
	r := p.reporting()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = append(r.waits, w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.waits, w); i >= 0 {
			r.waits = slices.Delete(r.waits, i, i+1)
		}
	}
}

// WaitsFor is what the gate waits for at this moment: what was begun last and
// has not come. The gate itself vouches for it, or it was only seen to run a
// command. There is no cause where it waits for nothing.
func (p *Pass) WaitsFor() (cause Cause, what string, vouched bool) {
	r := p.reporting()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waits) == 0 {
		return "", "", false
	}
	last := r.waits[len(r.waits)-1]
	return last.cause, last.what, last.vouched
}
