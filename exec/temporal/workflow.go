package temporal

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/exec/remote"
)

// An order is what the workflow of a job is given.
type order struct {
	Job remote.Job `json:"job"`
	// Queue is the task queue of the workers that may take it.
	Queue string `json:"queue"`
	// Silence is after how long a worker is gone.
	Silence time.Duration `json:"silence"`
}

// Names of version 1. What a version does never changes: histories in testdata
// hold it. Whoever wants something else adds a version with a name of its own,
// to which owners give new jobs, and has them know the earlier ones.
const (
	dispatchV1  = "planlock-job-v1" // the type of the workflow, and the queue of its decisions
	activity    = "planlock-attempt"
	returned    = "returned"   // the type of the failure of a worker that hands a job back
	notReadable = "unreadable" // that of a job that a worker cannot read
	forever     = 10 * 365 * 24 * time.Hour
)

// dispatch has a job wait for a worker, and ends as that ends. A worker that hands
// it back has it wait again; one that is gone ends it.
func dispatch(ctx workflow.Context, o order) (r remote.Result, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           o.Queue,
		StartToCloseTimeout: forever, // the plan knows how long it may take
		HeartbeatTimeout:    o.Silence,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:        100 * time.Millisecond,
			BackoffCoefficient:     2,
			MaximumInterval:        5 * time.Second,
			NonRetryableErrorTypes: []string{"TemporalTimeout:Heartbeat", "TemporalTimeout:StartToClose"},
		},
	})
	err = workflow.ExecuteActivity(ctx, activity, o.Job).Get(ctx, &r)
	return r, err
}
