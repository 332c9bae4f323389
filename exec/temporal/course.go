package temporal

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/exec/ask"
)

// A course is what the workflow of a run is given, and gives to the one that goes
// on with it.
type course struct {
	Task Task `json:"task"`
	// Queue is the task queue of the owners.
	Queue string `json:"queue"`
	// Silence is after how long an owner is gone.
	Silence time.Duration `json:"silence"`
	// State is how the run stood last.
	State State `json:"state"`
	// Idle is how often in a row an owner has brought the run no further.
	Idle int `json:"idle,omitempty"`
}

// Names of version 1 of the workflow of a run; see [dispatchV1].
const (
	runV1        = "planlock-run-v1"  // the type of the workflow, and the queue of its decisions and answers
	advancing    = "planlock-advance" // the activity of an owner that goes on with the run
	answering    = "planlock-answer"  // the update, and the activity that keeps an answer
	cancelling   = "planlock-cancel"  // the signal
	owners       = "owners"           // the task queue of owners, in the workspace
	goingOn      = "planlock-go-on"   // the signal
	standing     = "planlock-state"   // the query of how the run stood last; and the memo, for which no owner is needed
	stopping     = "planlock-stop"    // the memo of who cancels it
	refused      = "refused"          // the type of the failure of an answer that does not count
	letGo        = "let-go"           // that of an owner that lets go of a run which has not ended
	longV1       = 1000               // how many events a history has before another one begins
	keepAnswerV1 = 30 * time.Second   // how long an answer may take to be kept
)

func registerRun(w worker.WorkflowRegistry) {
	w.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: runV1})
}

// run has owners go on with a run, one at a time, until it has ended or is
// cancelled. It decides nothing: where a person is to decide it waits, and where an
// owner is gone another one has it.
func run(ctx workflow.Context, c course) (State, error) {
	w := &way{course: c}
	if err := w.listen(ctx); err != nil {
		return w.State, err
	}
	advance, stop := workflow.WithCancel(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           c.Queue,
		StartToCloseTimeout: forever, // the plan knows how long it may take
		HeartbeatTimeout:    c.Silence,
		WaitForCancellation: true, // until the run stands at a checkpoint
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	}))
	workflow.Go(ctx, func(ctx workflow.Context) {
		var by Stop
		workflow.GetSignalChannel(ctx, cancelling).Receive(ctx, &by)
		w.stopped = &by
		w.note(ctx, stopping, by)
		stop()
	})
	for {
		if w.over(ctx) {
			return w.end(ctx)
		}
		if w.long(ctx) {
			w.finish(ctx)
			return w.State, workflow.NewContinueAsNewError(ctx, runV1, w.course)
		}
		w.woken = false
		w.Task.Run = w.State.Run
		var s State
		err := workflow.ExecuteActivity(advance, advancing, w.Task).Get(ctx, &s)
		w.wait(ctx, w.stands(ctx, s, err))
	}
}

// A way is the workflow of a run while it goes on.
type way struct {
	course
	woken   bool  // there may be something to do
	stopped *Stop // who cancelled it, by the signal
}

// note keeps something where it is found without an owner.
func (w *way) note(ctx workflow.Context, name string, of any) {
	_ = workflow.UpsertMemo(ctx, map[string]any{name: of}) // both are JSON
}

// listen has it be asked and told.
func (w *way) listen(ctx workflow.Context) error {
	answer := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: keepAnswerV1,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for told := workflow.GetSignalChannel(ctx, goingOn); told.Receive(ctx, nil); {
			w.woken = true
		}
	})
	return errors.Join(
		workflow.SetQueryHandler(ctx, standing, func() (State, error) { return w.State, nil }),
		workflow.SetUpdateHandlerWithOptions(ctx, answering, func(ctx workflow.Context, a ask.Answer) error {
			err := workflow.ExecuteActivity(answer, answering, a).Get(ctx, nil)
			if err == nil {
				w.woken = true
			}
			return err
		}, workflow.UpdateHandlerOptions{Validator: w.ours}))
}

// ours refuses an answer to another run.
func (w *way) ours(a ask.Answer) error {
	if w.State.Run != "" && a.Run != w.State.Run {
		no := ask.RefusedError{Question: a.Question, Why: fmt.Sprintf("it is for run %q, not for %q", a.Run, w.State.Run)}
		return temporal.NewNonRetryableApplicationError(no.Error(), refused, nil, no)
	}
	return nil
}

// stands takes what came of an owner's work, and says how long there is nothing to
// do; 0: another one goes on at once.
func (w *way) stands(ctx workflow.Context, s State, err error) time.Duration {
	said := details(err, &s)
	s.Says = cmp.Or(s.Says, said)
	if s.Run == "" { // the owner has said nothing of it
		says := s.Says
		s = w.State
		s.Says = says
	}
	further := !s.same(w.State)
	w.State = s
	w.note(ctx, standing, s)
	switch {
	case err == nil && len(s.Questions) > 0 && s.Until.IsZero():
		w.Idle = 0
		return forever
	case err == nil && len(s.Questions) > 0:
		w.Idle = 0
		return max(s.Until.Sub(workflow.Now(ctx)), time.Second)
	case further:
		w.Idle = 0
		return 0
	}
	w.Idle++
	return min(time.Second<<min(w.Idle-1, 6), time.Minute)
}

// details reads the state that an error carries, and says what the error is.
func details(err error, s *State) string {
	var (
		gone *temporal.TimeoutError
		back *temporal.CanceledError
		let  *temporal.ApplicationError
	)
	switch {
	case errors.As(err, &gone):
		_ = gone.LastHeartbeatDetails(s) // there may be none
		return "its owner is gone"
	case errors.As(err, &back):
		_ = back.Details(s)
		return ""
	case errors.As(err, &let):
		_ = let.Details(s)
		return let.Message()
	case err != nil:
		return err.Error()
	}
	return ""
}

// wait waits for as long as there is nothing to do.
func (w *way) wait(ctx workflow.Context, long time.Duration) {
	due := func() bool { return w.woken || w.over(ctx) || w.long(ctx) }
	switch long {
	case 0:
	case forever:
		_ = workflow.Await(ctx, due) // where it is cancelled, it is over
	default:
		_, _ = workflow.AwaitWithTimeout(ctx, long, due)
	}
}

// over reports whether nothing is to be done any more.
func (w *way) over(ctx workflow.Context) bool {
	return w.State.Over || w.stopped != nil || ctx.Err() != nil
}

// long reports whether another history is to begin.
func (w *way) long(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetCurrentHistoryLength() >= longV1
}

// finish waits until those who answer are told what came of it.
func (w *way) finish(ctx workflow.Context) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	_ = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }) // never ends
}

// end ends the workflow as the run has ended, or as cancelled.
func (w *way) end(ctx workflow.Context) (State, error) {
	w.finish(ctx)
	if w.State.Over {
		return w.State, nil
	}
	w.State.Says = "it was cancelled"
	if w.stopped != nil {
		w.State.Says = fmt.Sprintf("it was cancelled by %s: %s", w.stopped.By, w.stopped.Why)
	}
	return w.State, temporal.NewCanceledError(w.State)
}
