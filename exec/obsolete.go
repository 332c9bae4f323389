package exec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// requestPoll is how often a running attempt looks whether somebody wants it to
// stop.
const requestPoll = time.Second

// errRequested cuts an attempt off because somebody wants the run to stop and
// ask.
var errRequested = errors.New("exec: somebody wants the run to stop and ask")

// Request leaves a request for a run that has not ended: that its plan no
// longer holds, or that it is to be set back to before a step. A controller
// that has the run in hand cuts off the attempt that is under way, restores the
// checkpoint, and asks; one that resumes it later asks before anything runs.
// r.Run must be the whole id.
func (w Workspace) Request(ctx context.Context, r ask.Request) error {
	run, err := w.History(ctx, r.Run)
	if err != nil {
		return err
	}
	refuse := func(why string) error {
		return &RefusedError{Run: r.Run, Reasons: []string{why}}
	}
	switch {
	case run.Ended != nil:
		return refuse("the run has ended: nothing more can be asked of it")
	case r.Kind == ask.Rollback && run.Step(r.Step) == nil:
		return refuse(fmt.Sprintf("it has no step %q", r.Step))
	}
	return w.requests().Request(ctx, r)
}

func (w Workspace) requests() *ask.Folder { return &ask.Folder{Dir: w.QuestionDir()} }

func (e *execution) requests() *ask.Folder {
	ws := e.workspace()
	return ws.requests()
}

// lookForRequests finds out what a person has asked of the run from outside. A
// request that cannot be met is withdrawn.
func (e *execution) lookForRequests(ctx context.Context) error {
	e.Rec.Seen.Request = nil
	r, err := e.requests().Requested(ctx, e.Rec.Run.Started.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		e.Warn(err.Error())
		if err := e.withdraw(ctx); err != nil {
			return err
		}
	case r.Kind == ask.Obsolete || e.canSetBack(r.Step):
		e.Rec.Seen.Request = &r
	default:
		e.Warn(fmt.Sprintf("%s wants the run set back to before %s, which is not possible", r.By, r.Step))
		if err := e.withdraw(ctx); err != nil {
			return err
		}
	}
	e.Rec.Seen.Saw(contract.Requests)
	return nil
}

// canSetBack reports whether the run can be set back to before a step.
func (e *execution) canSetBack(a plan.Address) bool {
	to := e.Rec.Run.Step(a)
	return to != nil && to.Checkpoint != nil && question.CanUnwind(e.Rec.Run, to)
}

// withdraw removes a request that has become a question, or cannot become one.
func (e *execution) withdraw(ctx context.Context) error {
	return e.requests().Withdraw(ctx, e.Rec.Run.Started.Run)
}

// watch cuts ctx off when somebody leaves a request. The caller stops it before
// it goes on.
func (e *execution) watch(ctx context.Context) (watched context.Context, unwatch func()) {
	watched, cut := context.WithCancelCause(ctx)
	var mu sync.Mutex // held while it is looked
	var tick *time.Timer
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if watched.Err() != nil {
			return
		}
		if _, err := e.requests().Requested(ctx, e.Rec.Run.Started.Run); err == nil {
			cut(errRequested)
			return
		}
		tick.Reset(requestPoll)
	}
	mu.Lock()
	defer mu.Unlock()
	tick = time.AfterFunc(requestPoll, look)
	return watched, func() {
		cut(nil)
		mu.Lock() // it may be looked just now
		defer mu.Unlock()
		tick.Stop()
	}
}
