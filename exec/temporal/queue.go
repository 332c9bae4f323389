package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/exec/remote"
)

// A Queue is the side of an owner: a [remote.Queue]. It is safe for concurrent
// use, by any number of runs.
type Queue struct {
	*service
	worker worker.Worker
	broken atomic.Pointer[error] // why the decisions are not carried out any more
	ctx    context.Context       // ends with broken
	end    context.CancelCauseFunc
}

var _ remote.Queue = (*Queue)(nil)

// OpenQueue reaches the service, and carries out the decisions of its workflows
// until Close. Several owners may do that for one workspace.
func OpenQueue(ctx context.Context, c Config) (*Queue, error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	q := &Queue{service: s}
	q.ctx, q.end = context.WithCancelCause(context.Background())
	q.worker = worker.New(s.client, s.name(dispatchV1), worker.Options{
		OnFatalError: func(err error) { q.end(s.refused(err)) },
	})
	register(q.worker)
	if err := q.worker.Start(); err != nil {
		s.client.Close()
		return nil, s.refused(err)
	}
	return q, nil
}

// register has the workflows be known, of all versions.
func register(w worker.WorkflowRegistry) {
	w.RegisterWorkflowWithOptions(dispatch, workflow.RegisterOptions{Name: dispatchV1})
}

// Close ends it. Jobs that were given away stay.
func (q *Queue) Close() {
	q.end(errClosed)
	q.worker.Stop()
	q.client.Close()
}

var errClosed = errors.New("temporal: it is closed")

// open ends with ctx, or when nothing can come any more.
func (q *Queue) open(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(q.ctx, func() { end(context.Cause(q.ctx)) })
	return ctx, func() { stop(); end(nil) }
}

// maxPayload is how long a job or a result may be: what they name is in the
// contents, and the service keeps histories for months.
const maxPayload = 64 << 10

// Submit gives a job away; see [remote.Queue]. The same key for another job is
// refused.
func (q *Queue) Submit(ctx context.Context, j remote.Job) error {
	ctx, end := q.open(ctx)
	defer end()
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("temporal: job %q: %w", j.Key, err)
	}
	if len(text) > maxPayload {
		return fmt.Errorf("temporal: job %q takes %d bytes, and the service is given no more than %d: "+
			"what is long belongs into its Request", j.Key, len(text), maxPayload)
	}
	o := order{Job: j, Queue: TaskQueue(q.Workspace, j.Executor, j.Identity), Silence: q.Silence}
	same, err := q.start(ctx, client.StartWorkflowOptions{
		ID:               q.name(j.Key),
		TaskQueue:        q.name(dispatchV1),
		EnableEagerStart: true,
		StaticSummary:    fmt.Sprintf("step %s, attempt %d", j.Step, j.Attempt),
	}, text, dispatchV1, o)
	if err == nil && !same {
		err = fmt.Errorf("temporal: workspace %q has another job with the key %q: has it two owners?", q.Workspace, j.Key)
	}
	return err
}

// Result waits for what came of a job; see [remote.Queue].
func (q *Queue) Result(ctx context.Context, key string) (remote.Result, error) {
	ctx, end := q.open(ctx)
	defer end()
	return q.result(ctx, key, q.name(key))
}

// result waits for what came of a job, whose workflow has an id.
func (s *service) result(ctx context.Context, key, id string) (remote.Result, error) {
	e, err := s.ended(ctx, id)
	if notFound(err) {
		return remote.Result{}, fmt.Errorf("%w: %q was not given away", remote.ErrLost, key)
	}
	if err != nil {
		return remote.Result{}, s.said(ctx, err)
	}
	return s.end(key, e)
}

// end is what the last event of a workflow says.
func (s *service) end(key string, e *history.HistoryEvent) (r remote.Result, err error) {
	if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED {
		err = s.data.FromPayloads(e.GetWorkflowExecutionCompletedEventAttributes().GetResult(), &r)
		if err != nil {
			err = fmt.Errorf("temporal: what came of job %q cannot be read: %w", key, err)
		}
		return r, err
	}
	return r, fmt.Errorf("%w: %q: %s", remote.ErrLost, key, why(e))
}

// Cancel calls a job back; see [remote.Queue].
func (q *Queue) Cancel(ctx context.Context, key string) error {
	ctx, end := q.open(ctx)
	defer end()
	return q.cancel(ctx, q.name(key))
}

func (q *Queue) cancel(ctx context.Context, id string) error {
	err := q.try(ctx, moment, func(ctx context.Context) error { return q.client.CancelWorkflow(ctx, id, "") })
	if notFound(err) {
		return nil
	}
	return q.said(ctx, err)
}

// Recall calls all jobs of a run back that have not ended, and says how many they
// were: those of an owner that died. What was given away less than a few seconds
// ago may not be among them.
func (q *Queue) Recall(ctx context.Context, run string) (n int, err error) {
	ctx, end := q.open(ctx)
	defer end()
	ask := &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf(
		"ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '%s'", strings.ReplaceAll(q.name(run+"-"), "'", "''"))}
	for {
		var page *workflowservice.ListWorkflowExecutionsResponse
		if err := q.try(ctx, moment, func(ctx context.Context) (err error) {
			page, err = q.client.ListWorkflow(ctx, ask)
			return err
		}); err != nil {
			return n, q.said(ctx, err)
		}
		for _, w := range page.GetExecutions() {
			if err := q.cancel(ctx, w.GetExecution().GetWorkflowId()); err != nil {
				return n, err
			}
			n++
		}
		if ask.NextPageToken = page.GetNextPageToken(); len(ask.NextPageToken) == 0 {
			return n, nil
		}
	}
}
