package temporal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/planlock/planlock/exec/remote"
)

// A hold is something that the service has given to this process to do: an
// activity that has begun. It is another's where the service does not hear of it.
type hold struct {
	*service
	token   []byte
	id      string // of the workflow
	silence time.Duration
	ctx     context.Context // of the work
	stop    context.CancelCauseFunc
	over    context.Context // of saying that this process is there
	back    func()          // ends the work that is called back; is called once or more
	carried func() []any    // what is said besides; nil: nothing
	saying  sync.Mutex      // what is said last is the latest
}

// poll waits for something to do in a task queue; there may be nothing.
func (s *service) poll(ctx context.Context, queue string) (*workflowservice.PollActivityTaskQueueResponse, error) {
	ctx, end := context.WithTimeout(ctx, asking)
	defer end()
	return s.client.WorkflowService().PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{
		Namespace: s.Client.Namespace, Identity: s.identity(),
		TaskQueue: &taskqueue.TaskQueue{Name: queue, Kind: enums.TASK_QUEUE_KIND_NORMAL},
	})
}

// held is what was got by poll; the work ends with ctx.
func (s *service) held(ctx context.Context, task *workflowservice.PollActivityTaskQueueResponse) *hold {
	h := &hold{service: s, token: task.GetTaskToken(), silence: task.GetHeartbeatTimeout().AsDuration(),
		id: task.GetWorkflowExecution().GetWorkflowId()}
	h.ctx, h.stop = context.WithCancelCause(ctx)
	h.over = h.ctx
	h.back = func() { h.stop(errCancelled) }
	return h
}

// alive says that this process is there, until it is over. The work ends where it
// is called back or another's, and where that cannot be said for so long that the
// service takes the process for gone, since another one begins it.
func (h *hold) alive() {
	every := time.NewTicker(max(h.silence/5, time.Millisecond))
	defer every.Stop()
	for heard := time.Now(); ; {
		select {
		case <-h.over.Done():
			return
		case <-every.C:
		}
		said := time.Now()
		ctx, end := context.WithDeadline(h.over, heard.Add(h.silence))
		err := h.say(ctx)
		end()
		switch {
		case err == nil:
			heard = said
		case notFound(err):
			h.stop(fmt.Errorf("%w, or was called back", remote.ErrLost))
			return
		case h.over.Err() == nil && time.Since(heard) >= h.silence:
			h.stop(h.lost(heard, err))
			return
		}
	}
}

// say says once that this process is there. That the work is called back is no
// error: it ends then.
func (h *hold) say(ctx context.Context) error {
	h.saying.Lock()
	defer h.saying.Unlock()
	var details []any
	if h.carried != nil {
		details = h.carried()
	}
	err := h.client.RecordActivityHeartbeat(ctx, h.token, details...)
	if errors.As(err, new(*temporal.CanceledError)) {
		h.back()
		return nil
	}
	return err
}

// lost says that this process gives up what the service takes for lost by now.
func (s *service) lost(heard time.Time, err error) error {
	return fmt.Errorf("%w: the service at %s has not answered for %v (%v)", remote.ErrLost, s.Client.HostPort,
		time.Since(heard).Round(time.Second), err)
}

// complete tells the service what came of it. came reports whether that was taken
// though its answer was lost.
func (h *hold) complete(ctx context.Context, result any, failed error, came func() bool) error {
	tries := 0
	err := h.try(ctx, moment, func(ctx context.Context) error {
		tries++
		return h.client.CompleteActivity(ctx, h.token, result, failed)
	})
	switch {
	case err == nil, notFound(err) && tries > 1 && came():
		h.stop(nil)
		return nil
	case notFound(err):
		h.stop(remote.ErrLost)
		return fmt.Errorf("%w: %q", remote.ErrLost, h.id)
	}
	return h.said(ctx, err)
}

// unreadable ends what this process cannot read.
func (h *hold) unreadable(ctx context.Context, what string, err error) error {
	text := fmt.Sprintf("worker %s cannot read the %s: %v", h.identity(), what, err)
	return h.complete(ctx, nil, temporal.NewNonRetryableApplicationError(text, notReadable, nil), func() bool { return false })
}

// identity is how the service calls this process.
func (s *service) identity() string {
	if s.Client.Identity != "" {
		return s.Client.Identity
	}
	host, _ := os.Hostname() // "" is no worse than a name that nobody knows
	return fmt.Sprintf("%d@%s", os.Getpid(), host)
}
