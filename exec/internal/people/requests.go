package people

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

// requestPoll is how often a running attempt looks whether somebody wants it to
// stop.
const requestPoll = time.Second

// ErrRequested cuts an attempt off because somebody wants the run to stop and
// ask.
var ErrRequested = errors.New("exec: somebody wants the run to stop and ask")

// An Inbox is where people leave what they want of a run from outside.
type Inbox struct {
	*session.Session
	// Folder is where a request lies until it is withdrawn.
	Folder *escalator.Folder
}

// Look finds out what a person has asked of the run from outside. A request
// that cannot be met is withdrawn.
func (i *Inbox) Look(ctx context.Context) error {
	i.Rec.Seen.Request = nil
	r, err := i.Folder.Requested(ctx, i.Rec.Run.Started.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		i.Warn(err.Error())
		if err := i.withdraw(ctx, ask.Request{}); err != nil {
			return err
		}
	case r.Kind == ask.Obsolete || i.canSetBack(r.Step):
		i.Rec.Seen.Request = &r
	default:
		i.Warn(fmt.Sprintf("%s wants the run set back to before %s, which is not possible", r.By, r.Step))
		if err := i.withdraw(ctx, r); err != nil {
			return err
		}
	}
	i.Rec.Seen.Saw(guard.Requests)
	return nil
}

// canSetBack reports whether the run can be set back to before a step.
func (i *Inbox) canSetBack(a plan.Address) bool {
	return question.CanUnwind(i.Rec.Run, i.Rec.Run.Step(a))
}

// withdraw removes a request that has become a question, or cannot become one.
func (i *Inbox) withdraw(ctx context.Context, r ask.Request) error {
	r.Run = i.Rec.Run.Started.Run
	return i.Folder.Withdraw(ctx, r)
}

// Close clears the folder of what waits there for a run that has ended, and
// says whose request nobody was asked about.
func (i *Inbox) Close(ctx context.Context) {
	if r, err := i.Folder.Requested(ctx, i.Rec.Run.Started.Run); err == nil {
		i.Warn(fmt.Sprintf("%s; the run has ended, so nobody is asked", r))
	}
	if err := i.Folder.Close(ctx, i.Rec.Run.Started.Run); err != nil {
		i.Rec.Log.Warn("the questions of the run cannot be withdrawn", "err", err)
	}
}

// Watch cuts ctx off when somebody leaves a request. The caller stops it before
// it goes on.
func (i *Inbox) Watch(ctx context.Context) (watched context.Context, unwatch func()) {
	watched, cut := context.WithCancelCause(ctx)
	var mu sync.Mutex // held while it is looked
	var tick *time.Timer
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if watched.Err() != nil {
			return
		}
		if _, err := i.Folder.Requested(ctx, i.Rec.Run.Started.Run); err == nil {
			cut(ErrRequested)
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
