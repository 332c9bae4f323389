package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A service carries jobs out.
type service struct {
	store
	dir  string
	with exec.Controller // but for the workspace

	mu      sync.Mutex
	working map[int64]context.CancelCauseFunc // the jobs that are carried out now
	all     sync.WaitGroup
	closed  bool
}

// errBusy says that a job is being carried out.
var errBusy = errors.New("the job is under way")

// shutdown is why jobs stop that go on when the service starts again.
var shutdown = &exec.Stop{By: "the service", Why: "it shuts down"}

// open goes on with the jobs that were under way when the service ended.
func open(ctx context.Context, dir string, with exec.Controller) (*service, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	st, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &service{store: st, dir: dir, with: with, working: map[int64]context.CancelCauseFunc{}}
	jobs, err := s.unfinished(ctx)
	for _, j := range jobs {
		err = errors.Join(err, s.start(j, "the service"))
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close stops all jobs, and waits until they are.
func (s *service) close() error {
	s.mu.Lock()
	s.closed = true
	for _, cancel := range s.working {
		cancel(shutdown)
	}
	s.mu.Unlock()
	s.all.Wait()
	return s.db.Close()
}

// controller is the one for the workspace of a job.
func (s *service) controller(j job) *exec.Controller {
	c := s.with
	c.Dir, c.RunID, c.Escalator = filepath.Join(s.dir, strconv.FormatInt(j.ID, 10)), j.Run, s.store
	return &c
}

// submit checks a plan, keeps it as a job, and starts it. The run has its id
// before it begins: whatever happens from here on, it is found again.
func (s *service) submit(ctx context.Context, text string) (job, error) {
	if _, err := s.lock(job{Plan: text}); err != nil {
		return job{}, err
	}
	j, err := s.add(ctx, text)
	if err != nil {
		return j, err
	}
	c := s.controller(j)
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return j, err
	}
	if j.Run, err = c.NewRun(ctx); err != nil {
		return j, err
	}
	if err := s.save(ctx, j); err != nil {
		return j, err
	}
	return j, s.start(j, "")
}

func (s *service) lock(j job) (*plan.Locked, error) {
	draft, err := native.Read("plan.toml", []byte(j.Plan))
	if err != nil {
		return nil, err
	}
	return plan.Lock(draft, plan.LockOptions{Check: s.controller(j).Options()})
}

// start carries a job out, or goes on with it, until it ends, waits, or is
// stopped. by lets it go on although what is named in accept moved.
func (s *service) start(j job, by string, accept ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working[j.ID] != nil || s.closed {
		return errBusy
	}
	j.State, j.Says = running, ""
	if err := s.save(context.Background(), j); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.working[j.ID] = cancel
	s.all.Go(func() {
		err := s.carryOut(ctx, j, by, accept)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.working, j.ID)
		s.settle(&j, err)
		cancel(nil)
	})
	return nil
}

func (s *service) carryOut(ctx context.Context, j job, by string, accept []string) error {
	locked, err := s.lock(j)
	if err != nil {
		return err
	}
	c := s.controller(j)
	_, err = c.ResumeAccepting(ctx, locked, j.Run, by, accept...)
	if errors.Is(err, exec.ErrNoRun) { // the service was killed before it began
		_, err = c.Run(ctx, locked)
	}
	return err
}

// settle keeps how a job stands that is not carried out any more.
func (s *service) settle(j *job, err error) {
	var outcome *exec.OutcomeError
	switch {
	case errors.Is(err, shutdown):
		return // it is taken up again
	case err == nil, errors.As(err, &outcome):
		j.State = ended
	case errors.Is(err, exec.ErrWaiting):
		j.State = waiting
	default:
		j.State = stopped
	}
	if err != nil {
		j.Says = err.Error()
	}
	if err := s.save(context.Background(), *j); err != nil && s.with.Log != nil {
		s.with.Log.Error("a job cannot be saved", "job", j.ID, "err", err)
	}
}

// cancel stops a job, which can be resumed.
func (s *service) cancel(id int64, by, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel := s.working[id]
	if cancel == nil {
		return fmt.Errorf("job %d is not under way", id)
	}
	cancel(&exec.Stop{By: by, Why: reason})
	return nil
}

// abandon ends a job for good.
func (s *service) abandon(ctx context.Context, j job, by, reason string) error {
	s.mu.Lock()
	busy := s.working[j.ID] != nil
	s.mu.Unlock()
	if busy {
		return errBusy
	}
	_, err := s.controller(j).Abandon(ctx, j.Run, by, reason)
	if err == nil {
		j.State, j.Says = ended, "abandoned by "+by+": "+reason
		err = s.save(ctx, j)
	}
	return err
}
