package exec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// replan is the choice that stops a run so that another plan can be made.
const replan = "n"

// disclaimer are the words with which a person goes on with a plan that no longer holds.
const disclaimer = "go on with a plan that no longer holds"

// requestPoll is how often a running attempt looks whether somebody wants it to stop.
const requestPoll = time.Second

// errRequested cuts an attempt off because somebody wants the run to stop and ask.
var errRequested = errors.New("exec: somebody wants the run to stop and ask")

// Request leaves a request for a run that has not ended: that its plan no longer holds, or that it is to be set
// back to before a step. A controller that has the run in hand cuts off the attempt that is under way, restores the
// checkpoint, and asks; one that resumes it later asks before anything runs. r.Run must be the whole id.
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
	ws := e.c.workspace()
	ws.Dir = e.root
	return ws.requests()
}

// heed asks what somebody requested, before anything else is done about a step.
func (e *execution) heed(ctx context.Context, s *history.Step) (asked bool, err error) {
	if e.run.Pending() != nil || e.run.Restoring != nil || inFlight(s) {
		return false, nil
	}
	if q, still := e.obsoleteStill(s); still {
		return true, e.ask(ctx, s, e.obsoleteQuestion(s, q.Why))
	}
	r, err := e.requests().Requested(ctx, e.run.Started.Run)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		e.warn(err.Error())
		return false, e.withdraw(ctx)
	}
	if r.Kind == ask.Obsolete {
		return true, e.ask(ctx, s, e.obsoleteQuestion(s, fmt.Sprintf("%s says so: %s", r.By, r.Reason)))
	}
	to := e.run.Step(r.Step)
	if to == nil || to.Checkpoint == nil || !e.canUnwind(to) {
		e.warn(fmt.Sprintf("%s wants the run set back to before %s, which is not possible", r.By, r.Step))
		return false, e.withdraw(ctx)
	}
	q := e.question(s, ask.Rollback, fmt.Sprintf("the run stands before %s", title(s)),
		fmt.Sprintf("%s wants it set back to before %s: %s", r.By, r.Step, r.Reason), nil,
		choiceBack(to), ask.Choice{Key: goOn, Label: "go on", Consequence: "nothing is undone"}, choiceStop(), choiceGiveUp(s))
	q.Target = to.Address
	return true, e.ask(ctx, s, q)
}

// withdraw removes a request that has become a question, or cannot become one.
func (e *execution) withdraw(ctx context.Context) error {
	return e.requests().Withdraw(ctx, e.run.Started.Run)
}

// obsoleteStill reports whether the run was stopped because its plan no longer holds: resuming it asks again, unless the plan was amended
// since.
func (e *execution) obsoleteStill(s *history.Step) (ask.Question, bool) {
	if !chosenLast(s, replan) {
		return ask.Question{}, false
	}
	q := s.Questions[len(s.Questions)-1].Question
	return q, q.Kind == ask.Obsolete && e.asksOf(q)
}

// asksOf reports whether a question is about the plan that the run has now.
func (e *execution) asksOf(q ask.Question) bool { return e.run.AskedUnder(q.ID) == e.run.Started.Plan }

func (e *execution) obsoleteQuestion(s *history.Step, why string) ask.Question {
	evidence := []string{fmt.Sprintf("%d of %d steps are complete, and stay", e.run.Count(history.Completed), len(e.run.Steps)),
		fmt.Sprintf("the checkpoint is tree %s", e.run.Tree.Tree.Short())}
	return e.question(s, ask.Obsolete, "the plan no longer holds", why, evidence,
		ask.Choice{Key: replan, Label: "stop, and plan again", Consequence: "nothing more runs under this plan; lock and run another one, or add steps to it"},
		ask.Choice{Key: goOn, Label: "go on all the same", Consequence: "the disclaimer becomes part of the record", Acknowledge: disclaimer},
		ask.Choice{Key: giveUp, Label: "abort the run", Consequence: "the run ends; what is complete stays"})
}

// followsObsolete are the facts that a decision about the plan stands for.
func (e *execution) followsObsolete(s *history.Step, a ask.Answer) []history.Fact {
	if a.Choice != giveUp {
		return nil
	}
	return []history.Fact{&history.StepFailed{Class: history.Refused, Halts: true,
		Reasons: []string{"the plan no longer holds: the run was aborted by " + a.By}}}
}

// watch cuts ctx off when somebody leaves a request. The caller stops it before it goes on.
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
		if _, err := e.requests().Requested(ctx, e.run.Started.Run); err == nil {
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
