package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// errCancelled is why the work of a job ends that was called back.
var errCancelled = errors.New("remote: the job was called back")

// Memory is a queue in this process: for tests, and for workers in it. The zero
// value is ready. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	jobs    map[string]*memoryJob
	order   []string
	changed chan struct{} // closed, and made anew, when something changed
}

type memoryJob struct {
	job    Job
	lease  *memoryLease
	result *Result
	lost   bool
}

// change tells all who wait. It is called with mu held.
func (m *Memory) change() {
	if m.changed != nil {
		close(m.changed)
	}
	m.changed = make(chan struct{})
}

// wait waits until look says that it is enough. It is called without mu, and look
// with it.
func (m *Memory) wait(ctx context.Context, look func() bool) error {
	for {
		m.mu.Lock()
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		enough, changed := look(), m.changed
		m.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// Submit gives a job away; see Queue.
func (m *Memory) Submit(ctx context.Context, j Job) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs[j.Key] != nil {
		return nil
	}
	if m.jobs == nil {
		m.jobs = map[string]*memoryJob{}
	}
	m.jobs[j.Key] = &memoryJob{job: j}
	m.order = append(m.order, j.Key)
	m.change()
	return nil
}

// Result waits for what came of a job; see Queue.
func (m *Memory) Result(ctx context.Context, key string) (r Result, err error) {
	waited := m.wait(ctx, func() bool {
		switch job := m.jobs[key]; {
		case job == nil:
			err = fmt.Errorf("%w: %q was not given away", ErrLost, key)
		case job.lost:
			err = fmt.Errorf("%w: %q", ErrLost, key)
		case job.result == nil:
			return false
		default:
			r = *job.result
		}
		return true
	})
	return r, errors.Join(waited, err)
}

// Cancel calls a job back; see Queue.
func (m *Memory) Cancel(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if job := m.jobs[key]; job != nil && job.result == nil {
		m.lose(job, errCancelled)
	}
	return nil
}

// lose takes a job from whoever has it.
func (m *Memory) lose(job *memoryJob, why error) {
	job.lost = true
	if job.lease != nil {
		job.lease.end(why)
	}
	m.change()
}

// Lose has the job with a key be lost, as if the machine of its worker were gone:
// for tests.
func (m *Memory) Lose(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if job := m.jobs[key]; job != nil && job.result == nil {
		m.lose(job, ErrLost)
	}
}

// Take waits for a job; see Source.
func (m *Memory) Take(ctx context.Context, fit func(Job) Fit) (lease Lease, err error) {
	err = m.wait(ctx, func() bool {
		var best *memoryJob
		most := Unfit
		for _, key := range m.order {
			job := m.jobs[key]
			if job.lease != nil || job.lost || job.result != nil {
				continue
			}
			if f := fit(job.job); f > most {
				best, most = job, f
			}
		}
		if best == nil {
			return false
		}
		l := &memoryLease{of: m, job: best}
		l.ctx, l.end = context.WithCancelCause(context.WithoutCancel(ctx))
		best.lease, lease = l, l
		return true
	})
	return lease, err
}

type memoryLease struct {
	of  *Memory
	job *memoryJob
	ctx context.Context
	end context.CancelCauseFunc
}

func (l *memoryLease) Job() Job { return l.job.job }

func (l *memoryLease) Context() context.Context { return l.ctx }

func (l *memoryLease) Done(_ context.Context, r Result) error {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.job.lost || l.job.lease != l || l.job.result != nil {
		return ErrLost
	}
	l.job.result = &r
	l.end(nil)
	l.of.change()
	return nil
}

func (l *memoryLease) Return(context.Context) error {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.job.lost || l.job.lease != l || l.job.result != nil {
		return ErrLost
	}
	l.job.lease = nil
	l.end(nil)
	l.of.change()
	return nil
}
