package temporal

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/gate"
)

// A Source is the side of a worker: a [remote.Source]. It is safe for concurrent
// use, by any number of lanes.
//
// It asks for jobs itself, where the SDK's own workers have them pushed: so it
// asks only while a lane waits, and a job is never kept from a worker that is free.
type Source struct {
	*service
	executors exec.Executors
	ctx       context.Context // of all that it has begun
	end       context.CancelCauseFunc
	wait      sync.WaitGroup

	mu     sync.Mutex
	takers []*taker       // lanes that wait, the first one first
	polls  map[string]int // by task queue: how many ask for jobs
}

// A taker is a lane that waits.
type taker struct{ offer chan offer } // of one

// An offer is what comes of waiting.
type offer struct {
	lease *lease
	err   error
}

var _ remote.Source = (*Source)(nil)

// OpenSource reaches the service. Jobs are taken for these executors: those of the
// worker.
func OpenSource(ctx context.Context, c Config, executors exec.Executors) (*Source, error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	source := &Source{service: s, executors: executors, polls: map[string]int{}}
	source.ctx, source.end = context.WithCancelCause(context.Background())
	return source, nil
}

// Close ends it. Jobs that are taken and not given back are lost.
func (s *Source) Close() {
	s.mu.Lock()
	s.end(errClosed)
	s.mu.Unlock()
	s.wait.Wait()
	s.client.Close()
}

// Take waits for a job; see [remote.Source]. One that is unfit is left to other
// workers; all others are taken as the service gives them, whatever else waits.
func (s *Source) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	for {
		l, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if fit(l.job) > remote.Unfit {
			return l, nil
		}
		s.log.Debug("a job is left to others", "job", l.job.Key)
		if err := l.giveBack(ctx, "it is not able to carry it out", 0); err != nil && ctx.Err() == nil {
			s.log.Warn("a job cannot be handed back", "job", l.job.Key, "err", err)
		}
	}
}

// next waits for a job of any of the executors.
func (s *Source) next(ctx context.Context) (*lease, error) {
	t := &taker{make(chan offer, 1)}
	s.enqueue(t, s.queues(ctx))
	select {
	case o := <-t.offer:
		return o.lease, o.err
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	s.mu.Lock()
	s.takers = slices.DeleteFunc(s.takers, func(other *taker) bool { return other == t })
	s.mu.Unlock()
	select {
	case o := <-t.offer: // it came at the same time
		if ctx.Err() == nil || o.lease == nil {
			return o.lease, o.err
		}
		s.refuse(o.lease)
	default:
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, context.Cause(s.ctx)
}

// queues are the task queues of the executors, as these are now.
func (s *Source) queues(ctx context.Context) (all []string) {
	for name, x := range s.executors {
		var identity string
		if i, ok := x.(gate.Identified); ok {
			var err error
			if identity, err = i.Identity(ctx); err != nil {
				s.log.Warn("an executor does not say which one it is, and gets no jobs", "executor", name, "err", err)
				continue
			}
		}
		all = append(all, TaskQueue(s.Workspace, name, identity))
		if n, ok := x.(exec.Named); ok && name == "" && n.Name() != "" {
			all = append(all, TaskQueue(s.Workspace, n.Name(), identity))
		}
	}
	return all
}

// enqueue has a lane wait, and as many ask each queue as lanes wait.
func (s *Source) enqueue(t *taker, queues []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takers = append(s.takers, t)
	if s.ctx.Err() != nil {
		return
	}
	for _, queue := range queues {
		for s.polls[queue] < len(s.takers) {
			s.polls[queue]++
			s.wait.Go(func() { s.ask(queue) })
		}
	}
}

// enough ends a poll where more ask than lanes wait.
func (s *Source) enough(queue string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil && s.polls[queue] <= len(s.takers) {
		return false
	}
	if s.polls[queue]--; s.polls[queue] == 0 {
		delete(s.polls, queue)
	}
	return true
}

// give gives something to the first lane that waits, if there is one.
func (s *Source) give(o offer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.takers) == 0 {
		return false
	}
	s.takers[0].offer <- o
	s.takers = s.takers[1:]
	return true
}

// ask asks a queue for jobs as long as lanes wait. An answer is never cut off, but
// by Close: a job could be in it.
func (s *Source) ask(queue string) {
	for tries := 0; !s.enough(queue); {
		task, err := s.poll(s.ctx, queue)
		switch {
		case s.ctx.Err() != nil:
		case err == nil && len(task.GetTaskToken()) == 0:
			tries = 0
		case err == nil:
			tries = 0
			s.take(task)
		case passing(err):
			if tries == 0 {
				s.log.Warn("the service does not answer, and is waited for", "address", s.Client.HostPort, "err", err)
			}
			pause(s.ctx, tries)
			tries++
		default:
			s.give(offer{err: s.refused(err)})
			pause(s.ctx, 0)
		}
	}
}

// take has a lane have what was got. A lane that has found another job meanwhile
// does not keep it from other workers.
func (s *Source) take(task *workflowservice.PollActivityTaskQueueResponse) {
	l := &lease{hold: s.held(s.ctx, task)}
	if err := s.data.FromPayloads(task.GetInput(), &l.job); err != nil {
		s.log.Warn("a job cannot be read", "workflow", l.id, "err", err)
		if err := l.unreadable(s.ctx, "job", err); err != nil {
			s.log.Warn("a job cannot be handed back", "workflow", l.id, "err", err)
		}
		return
	}
	s.wait.Go(l.alive)
	if !s.give(offer{lease: l}) {
		s.refuse(l)
	}
}

// refuse hands a job back for which there is no lane.
func (s *Source) refuse(l *lease) {
	ctx, end := context.WithTimeout(s.ctx, moment)
	defer end()
	if err := l.giveBack(ctx, "no lane is free", 50*time.Millisecond); err != nil && s.ctx.Err() == nil {
		s.log.Warn("a job cannot be handed back", "job", l.job.Key, "err", err)
	}
}
