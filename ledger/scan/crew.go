package scan

import "sync"

const (
	aloneBelow = 512 // trees that small are scanned by one reader
	batch      = 256 // entries in a job: enough to share a large folder
)

func (c *crew) start(w *walk) {
	c.cond.L = &c.mu
	c.size = w.scanner.Workers
	if c.size <= 0 {
		c.size = defaultWorkers
		if w.prior != nil && w.prior.root.Len() < aloneBelow {
			c.size = 1
		}
	}
	c.shared = append(c.shared, job{v: w.top})
	var others sync.WaitGroup
	for range c.size - 1 {
		others.Go(func() { c.work(w) })
	}
	c.work(w)
	others.Wait()
}

func (c *crew) work(w *walk) {
	r := w.spare.take(w)
	defer w.spare.give(r)
	for {
		for len(r.jobs) > 0 {
			j := r.jobs[len(r.jobs)-1]
			r.jobs = r.jobs[:len(r.jobs)-1]
			r.do(j)
			if len(r.jobs) > 1 && c.waiting.Load() > 0 {
				c.hand(r)
			}
		}
		if !c.fetch(r) {
			return
		}
	}
}

// hand gives away the older half of a reader's jobs.
func (c *crew) hand(r *reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(r.jobs) / 2
	c.shared = append(c.shared, r.jobs[:n]...)
	r.jobs = r.jobs[:copy(r.jobs, r.jobs[n:])]
	c.cond.Broadcast()
}

// fetch waits for jobs. There are none any more when everybody waits.
func (c *crew) fetch(r *reader) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.waiting.Add(1)
	for len(c.shared) == 0 && !c.over {
		if int(waiting) == c.size {
			c.over = true
			c.cond.Broadcast()
			return false
		}
		c.cond.Wait()
		waiting = c.waiting.Load()
	}
	if c.over {
		return false
	}
	c.waiting.Add(-1)
	n := (len(c.shared) + 1) / 2
	r.jobs = append(r.jobs, c.shared[len(c.shared)-n:]...)
	c.shared = c.shared[:len(c.shared)-n]
	return true
}
