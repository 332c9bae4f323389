package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.temporal.io/api/workflowservice/v1"
	sdkactivity "go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

// An Owner carries out the runs of a workspace that are given to it: each is
// a controller of the host's own. Any number of owners, in any number of
// processes, share the runs; one has a run at a time.
type Owner struct {
	Config
	// At is how many runs it has at a time; 0: 1.
	At int
	// Advance begins the run of a task, or resumes it, and returns how it stands
	// when it has ended, waits for a person, or ctx ends. It is as a rule a run of
	// [exec.Controller], whose errors it returns as they are; see the example.
	//
	// report is told how the run stands, as often as Advance likes. It keeps that in
	// mind, and returns once another owner would know it where that is the first time
	// that the state has this Run: so that a run has its id before it begins.
	//
	// ctx ends where the run is cancelled (its cause is an *[exec.Stop]), where the
	// owner is told to end, and where it was not heard of and the run is another's by
	// now ([remote.ErrLost]). An error, other than [exec.ErrWaiting], has the run be
	// gone on with by this or another owner, at once or, where it stands where it
	// stood, after a while: a second, and up to a minute. Where that is of no use, Advance
	// returns a state that is Over and Says why, and no error.
	Advance func(ctx context.Context, t Task, report func(State) error) (State, error)
	// Answer keeps an answer to an open question, or says with an *[ask.RefusedError]
	// why it does not count: it is escalator.Folder.Answer as a rule.
	Answer func(ctx context.Context, a ask.Answer) error
}

// Run carries out what is given to the owner until ctx ends: then each run
// is let go of, at a checkpoint, and others go on with it.
func (o *Owner) Run(ctx context.Context) error {
	if o.Advance == nil || o.Answer == nil {
		return errors.New("temporal: set Owner.Advance and Owner.Answer: how runs are carried out, and answers kept")
	}
	s, err := open(ctx, o.Config)
	if err != nil {
		return err
	}
	defer s.client.Close()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	failed := make(chan error, 1) // the first that is
	w := worker.New(s.client, s.name(runV1), worker.Options{
		StickyScheduleToStartTimeout: s.Silence, // others decide where an owner is gone
		OnFatalError: func(err error) {
			select {
			case failed <- s.refused(err):
			default:
			}
			fail(err)
		}})
	registerRun(w)
	w.RegisterActivityWithOptions(o.answer, sdkactivity.RegisterOptions{Name: answering})
	if err := w.Start(); err != nil {
		return s.refused(err)
	}
	defer w.Stop() // when the last run is let go of: till then it may be asked who cancels it
	var lanes sync.WaitGroup
	for range max(o.At, 1) {
		lanes.Go(func() { o.lane(ctx, s) })
	}
	lanes.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// lane carries out one run after another.
func (o *Owner) lane(ctx context.Context, s *service) {
	for tries := 0; ctx.Err() == nil; {
		task, err := s.poll(ctx, s.name(owners))
		switch {
		case ctx.Err() != nil:
		case err == nil && len(task.GetTaskToken()) == 0:
			tries = 0
		case err == nil:
			tries = 0
			o.take(ctx, s, task)
		default:
			if tries == 0 {
				s.log.Warn("no run is to be had, and that is tried again", "address", s.Client.HostPort, "err", err)
			}
			pause(ctx, tries)
			tries++
		}
	}
}

// take goes on with a run until Advance returns, and says how it stands then.
func (o *Owner) take(ctx context.Context, s *service, task *workflowservice.PollActivityTaskQueueResponse) {
	apart := context.WithoutCancel(ctx)
	h := s.held(apart, task)
	defer h.stop(nil)
	var t Task
	if err := s.data.FromPayloads(task.GetInput(), &t); err != nil {
		s.log.Warn("a task cannot be read", "workflow", h.id, "err", err)
		o.told(s, t, h.unreadable(apart, "task", err))
		return
	}
	over, end := context.WithCancel(apart)
	h.over = over // it is heard of until the run stands at a checkpoint
	r := &reporter{hold: h}
	h.back = sync.OnceFunc(func() {
		r.cancelled.Store(true)
		go func() { h.stop(s.stopOf(apart, h.id)) }() // it is heard of meanwhile
	})
	h.carried = r.details
	stop := context.AfterFunc(ctx, func() { h.stop(context.Cause(ctx)) })
	defer stop()
	var beats sync.WaitGroup
	beats.Go(h.alive)
	state, err := o.advance(h.ctx, t, r.report)
	end()
	beats.Wait()
	o.told(s, t, r.settle(apart, state, err))
}

// advance is Advance, whose panic is an error.
func (o *Owner) advance(ctx context.Context, t Task, report func(State) error) (s State, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("temporal: the owner panicked: %v", p)
		}
	}()
	return o.Advance(ctx, t, report)
}

// told logs that the service was not told of a run.
func (o *Owner) told(s *service, t Task, err error) {
	if err != nil {
		s.log.Warn("the service is not told how a run stands, and has another owner go on", "task", t.Key, "err", err)
	}
}

// stopOf is who cancels a run, as far as that is known.
func (s *service) stopOf(ctx context.Context, id string) error {
	ctx, end := context.WithTimeout(ctx, moment)
	defer end()
	var stop Stop
	d, err := s.describe(ctx, id)
	if noted := d.GetWorkflowExecutionInfo().GetMemo().GetFields()[stopping]; noted != nil {
		err = s.data.FromPayload(noted, &stop)
	}
	if err != nil {
		s.log.Warn("who cancels a run is not known", "workflow", id, "err", err)
	}
	return &exec.Stop{By: cmp.Or(stop.By, "temporal"), Why: cmp.Or(stop.Why, "its workflow was cancelled")}
}

// answer is the activity that keeps an answer.
func (o *Owner) answer(ctx context.Context, a ask.Answer) error {
	err := o.Answer(ctx, a)
	var no *ask.RefusedError
	switch {
	case errors.As(err, &no):
		return temporal.NewNonRetryableApplicationError(no.Error(), refused, nil, *no)
	case err != nil:
		return temporal.NewNonRetryableApplicationError(short(err.Error()), letGo, nil)
	}
	return nil
}

// A reporter is how the run of a hold stands.
type reporter struct {
	*hold
	cancelled atomic.Bool
	mu        sync.Mutex
	state     *State // nil: nothing was reported
}

// report is what Advance calls.
func (r *reporter) report(s State) error {
	r.mu.Lock()
	fresh := r.state == nil || r.state.Run != s.Run
	r.state = &s
	r.mu.Unlock()
	if !fresh {
		return nil
	}
	err := r.try(r.ctx, moment, r.say)
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return r.said(r.ctx, err)
}

// details are what is said with each sign of life.
func (r *reporter) details() []any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == nil {
		return nil
	}
	return []any{r.state.bounded()}
}

// settle says how a run stands that this owner lets go of.
func (r *reporter) settle(ctx context.Context, s State, err error) error {
	ctx, end := context.WithTimeout(ctx, r.silence+moment) // another owner goes on by then
	defer end()
	if s.Run == "" && r.state != nil {
		says := s.Says
		s = *r.state
		s.Says = says
	}
	s = s.bounded()
	never := func() bool { return false } // then another owner finds it as it is
	switch {
	case err == nil, s.Over, errors.Is(err, exec.ErrWaiting):
		return r.complete(ctx, s, nil, never)
	case r.cancelled.Load():
		return r.complete(ctx, nil, temporal.NewCanceledError(s), never)
	}
	s.Says = cmp.Or(s.Says, short(err.Error()))
	return r.complete(ctx, nil, temporal.NewNonRetryableApplicationError(short(err.Error()), letGo, nil, s), never)
}
