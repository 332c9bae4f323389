package scan

import (
	"sync"
	"sync/atomic"
)

// A crew are the readers of one scan. Each works through a stack of its own,
// the latest first, so that few folders are open at once; only when somebody
// has nothing to do are jobs handed over, the oldest ones, which are the
// largest.
type crew struct {
	size    int
	waiting atomic.Int32
	mu      sync.Mutex
	cond    sync.Cond
	shared  []job
	over    bool
}

// A job is a folder that is to be read, or with a range some entries of one
// that is open.
type job struct {
	v      *visit
	lo, hi int
}

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

// A spare keeps the buffers of readers from one scan to the next one.
type spare struct{ pool sync.Pool }

func (s *spare) take(w *walk) *reader {
	r, _ := s.pool.Get().(*reader)
	if r == nil {
		r = &reader{}
	}
	r.walk = w
	return r
}

func (s *spare) give(r *reader) {
	clear(r.jobs[:cap(r.jobs)])
	r.walk.reads.Add(r.reads)
	r.walk, r.jobs, r.reads = nil, r.jobs[:0], 0
	s.pool.Put(r)
}
