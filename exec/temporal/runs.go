package temporal

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

// A Runs is the side of whoever wants plans carried out, looks how their runs stand
// and answers. It is safe for concurrent use.
type Runs struct{ *service }

// ErrNoTask says that no task with that key was started, or so long ago that the
// service has forgotten it.
var ErrNoTask = errors.New("temporal: there is no such task")

// OpenRuns reaches the service. Config.Silence is after how long the owner of a run
// that is started here is gone that was not heard of.
func OpenRuns(ctx context.Context, c Config) (*Runs, error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Runs{s}, nil
}

// Close ends it. Runs go on.
func (r *Runs) Close() { r.client.Close() }

// Start gives a task to the owners. Again it does nothing; the same key for another
// plan is refused. A task with a Run goes on with that: also where it was cancelled
// before.
func (r *Runs) Start(ctx context.Context, t Task) error {
	if t.Key == "" {
		return errors.New("temporal: the task has no key, by which it is told from others: set Task.Key")
	}
	text, err := json.Marshal(Task{Key: t.Key, Plan: t.Plan})
	if err != nil {
		return fmt.Errorf("temporal: task %q: %w", t.Key, err)
	}
	if len(text) > maxPayload {
		return fmt.Errorf("temporal: task %q takes %d bytes, and the service is given no more than %d: "+
			"its Plan says where the plan is", t.Key, len(text), maxPayload)
	}
	o := client.StartWorkflowOptions{ID: r.id(t.Key), TaskQueue: r.name(runV1), StaticSummary: t.Key}
	if t.Run != "" {
		o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	same, err := r.start(ctx, o, text, runV1,
		course{Task: t, Queue: r.name(owners), Silence: r.Silence, State: State{Run: t.Run}})
	if err == nil && !same {
		err = fmt.Errorf("temporal: workspace %q has another task with the key %q: give this one another key", r.Workspace,
			t.Key)
	}
	return err
}

// id is that of the workflow of a task.
func (r *Runs) id(key string) string { return r.name("run:" + key) }

// State is how the run of a task stands: as its owner said last where one has it in
// hand, a fifth of Config.Silence ago or less, and else as the last one left it.
func (r *Runs) State(ctx context.Context, key string) (s State, err error) {
	d, err := r.describe(ctx, r.id(key))
	if err != nil {
		return s, r.about(ctx, key, err)
	}
	info := d.GetWorkflowExecutionInfo()
	if info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return r.Wait(ctx, key)
	}
	if noted := info.GetMemo().GetFields()[standing]; noted != nil {
		err = r.data.FromPayload(noted, &s)
	}
	for _, a := range d.GetPendingActivities() {
		if a.GetActivityType().GetName() == advancing && a.GetHeartbeatDetails() != nil {
			s = State{}
			err = r.data.FromPayloads(a.GetHeartbeatDetails(), &s)
		}
	}
	return s, unread(key, err)
}

// unread says that the state of a run cannot be read.
func unread(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporal: how the run of task %q stands cannot be read: %w", key, err)
}

// Wait waits until nobody goes on with the run of a task any more: it has ended, or,
// where its state is not Over, was cancelled.
func (r *Runs) Wait(ctx context.Context, key string) (s State, err error) {
	e, err := r.ended(ctx, r.id(key))
	if err != nil {
		return s, r.about(ctx, key, err)
	}
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		err = r.data.FromPayloads(e.GetWorkflowExecutionCompletedEventAttributes().GetResult(), &s)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		err = r.data.FromPayloads(e.GetWorkflowExecutionCanceledEventAttributes().GetDetails(), &s)
	default: // by an operator
		s.Says = why(e)
	}
	return s, unread(key, err)
}

// why is why a workflow ended otherwise than it should.
func why(e *history.HistoryEvent) string {
	why := "workflow " + strings.ToLower(e.GetEventType().String())
	for f := e.GetWorkflowExecutionFailedEventAttributes().GetFailure(); f != nil; f = f.GetCause() {
		why = f.GetMessage() // those around it name ids alone
	}
	return why
}

// Answer gives an answer to a question of a task's run, which goes on once an owner
// has kept it. Its Run may be "". An *[ask.RefusedError] says why it does not count.
func (r *Runs) Answer(ctx context.Context, key string, a ask.Answer) error {
	if a.Run == "" {
		s, err := r.State(ctx, key)
		if err != nil {
			return err
		}
		a.Run = s.Run
	}
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("temporal: the answer to question %q: %w", a.Question, err)
	}
	if len(text) > maxPayload {
		return &ask.RefusedError{Question: a.Question, Why: fmt.Sprintf("it takes %d bytes, and more than %d are not kept",
			len(text), maxPayload)}
	}
	once := rand.Text() // an answer of which nobody knows whether it arrived is given again
	err = r.try(ctx, keepAnswerV1+moment, func(ctx context.Context) error {
		h, err := r.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{UpdateID: once, WorkflowID: r.id(key),
			UpdateName: answering, Args: []any{a}, WaitForStage: client.WorkflowUpdateStageCompleted})
		if err == nil {
			err = h.Get(ctx, nil)
		}
		return err
	})
	if errors.As(err, new(*client.WorkflowUpdateServiceTimeoutOrCanceledError)) && ctx.Err() == nil {
		return fmt.Errorf("temporal: nobody says whether the answer to question %q is kept: is an owner of workspace %q "+
			"running? Look whether the question is open still, and answer again", a.Question, r.Workspace)
	}
	var failed *temporal.ApplicationError
	if !errors.As(err, &failed) {
		return r.about(ctx, key, err)
	}
	var no ask.RefusedError
	if failed.Type() == refused && failed.Details(&no) == nil {
		return &no
	}
	return fmt.Errorf("temporal: the answer to question %q was not kept: %s", a.Question, failed.Message())
}

// GoOn has the run of a task be looked at, which waits: somebody has answered another
// way, or has mended what kept it from going on.
func (r *Runs) GoOn(ctx context.Context, key string) error {
	return r.signal(ctx, key, goingOn, nil)
}

// Cancel has the owner let go of the run of a task, at a checkpoint, and nobody go on
// with it. The journal has who wanted that.
func (r *Runs) Cancel(ctx context.Context, key string, stop exec.Stop) error {
	return r.signal(ctx, key, cancelling,
		Stop{By: cmp.Or(stop.By, r.identity()), Why: cmp.Or(stop.Why, "it is not wanted any more")})
}

// Drop has nobody go on with the run of a task, at once: it is for where no owner is
// there that Cancel could reach. One that is there all the same lets go of it when it
// hears of that, as if the service had lost it.
func (r *Runs) Drop(ctx context.Context, key, why string) error {
	return r.about(ctx, key, r.try(ctx, moment, func(ctx context.Context) error {
		return r.client.TerminateWorkflow(ctx, r.id(key), "", why)
	}))
}

func (r *Runs) signal(ctx context.Context, key, name string, of any) error {
	return r.about(ctx, key, r.try(ctx, moment, func(ctx context.Context) error {
		return r.client.SignalWorkflow(ctx, r.id(key), "", name, of)
	}))
}

// about is what the service said of a task.
func (r *Runs) about(ctx context.Context, key string, err error) error {
	if notFound(err) {
		return fmt.Errorf("%w: %q is not one of workspace %q, or nobody goes on with it any more", ErrNoTask, key,
			r.Workspace)
	}
	return r.said(ctx, err)
}
