package temporal

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	sdkactivity "go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
)

// BenchmarkJob measures what a job costs that does nothing, beside a bare workflow
// of one activity by the SDK's own workers on the same server.
func BenchmarkJob(b *testing.B) {
	b.Run("planlock", func(b *testing.B) {
		q, s := sides(b, Config{})
		ctx, end := context.WithCancel(context.Background())
		defer end()
		go func() {
			for {
				l, err := s.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
				if err != nil {
					return
				}
				if err := l.Done(ctx, remote.Result{Key: l.Job().Key}); err != nil {
					b.Error(err)
				}
			}
		}()
		n := 0
		for b.Loop() {
			n++
			j := sampleJob(fmt.Sprint("job-", n))
			if err := q.Submit(ctx, j); err != nil {
				b.Fatal(err)
			}
			if _, err := q.Result(ctx, j.Key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		s, err := open(context.Background(), workspace(b, Config{}))
		if err != nil {
			b.Fatal(err)
		}
		defer s.client.Close()
		w := worker.New(s.client, s.name("bare"), worker.Options{})
		w.RegisterActivityWithOptions(func(_ context.Context, j remote.Job) (remote.Result, error) {
			return remote.Result{Key: j.Key}, nil
		}, sdkactivity.RegisterOptions{Name: activity})
		w.RegisterWorkflowWithOptions(func(ctx workflow.Context, j remote.Job) (r remote.Result, err error) {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
			err = workflow.ExecuteActivity(ctx, activity, j).Get(ctx, &r)
			return r, err
		}, workflow.RegisterOptions{Name: "bare"})
		if err := w.Start(); err != nil {
			b.Fatal(err)
		}
		defer w.Stop()
		n := 0
		for b.Loop() {
			n++
			j := sampleJob(fmt.Sprint("job-", n))
			run, err := s.client.ExecuteWorkflow(context.Background(),
				client.StartWorkflowOptions{ID: s.name(j.Key), TaskQueue: s.name("bare")}, "bare", j)
			if err != nil {
				b.Fatal(err)
			}
			var r remote.Result
			if err := run.Get(context.Background(), &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkStep is a durable step that does nothing, from its beginning to that of the
// next, beside a bare workflow of two activities by the SDK's own workers on the same
// server.
func BenchmarkStep(b *testing.B) {
	nothing := exec.Func(func(context.Context, exec.Work) (exec.Outcome, error) { return exec.Outcome{}, nil })
	c := workspace(b, Config{})
	q := owner(b, c)
	s, err := open(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	defer s.client.Close()
	w := worker.New(s.client, s.name("two"), worker.Options{})
	w.RegisterActivityWithOptions(func(_ context.Context, j remote.Job) (remote.Result, error) {
		return remote.Result{Key: j.Key}, nil
	}, sdkactivity.RegisterOptions{Name: activity})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, j remote.Job) (r remote.Result, err error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		for range 2 {
			if err := workflow.ExecuteActivity(ctx, activity, j).Get(ctx, &r); err != nil {
				return r, err
			}
		}
		return r, nil
	}, workflow.RegisterOptions{Name: "two"})
	if err := w.Start(); err != nil {
		b.Fatal(err)
	}
	defer w.Stop()
	blobs, err := folder.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer blobs.Close()
	crew := remotetest.Crew{Jobs: q, Worker: remote.Worker{Jobs: source(b, c, exec.Default(nothing))}, Blobs: blobs}
	var ratio remotetest.Ratio
	for n := 0; b.Loop(); n++ {
		const steps = 10
		ratio.Ours(crew.Steps(b, steps)...)
		for i := range steps {
			ratio.Theirs(remotetest.Timed(func() {
				j := sampleJob(fmt.Sprint("two-", n, "-", i))
				run, err := s.client.ExecuteWorkflow(context.Background(),
					client.StartWorkflowOptions{ID: s.name(j.Key), TaskQueue: s.name("two")}, "two", j)
				if err == nil {
					err = run.Get(context.Background(), nil)
				}
				if err != nil {
					b.Fatal(err)
				}
			}))
		}
	}
	ratio.Report(b)
}

// BenchmarkLanes has one worker carry out runs of steps at once.
func BenchmarkLanes(b *testing.B) {
	c := workspace(b, Config{})
	blobs, err := folder.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer blobs.Close()
	remotetest.Lanes(b, owner(b, c), source(b, c, exec.Default(&shell.Executor{})), blobs)
}

// BenchmarkMoved says what is moved for a step: to and from the contents, for each byte
// that it changed, and to the service, the history of its job.
func BenchmarkMoved(b *testing.B) {
	nothing := exec.Func(func(context.Context, exec.Work) (exec.Outcome, error) { return exec.Outcome{}, nil })
	for b.Loop() {
		c := workspace(b, Config{})
		q := owner(b, c)
		m := remotetest.Moves{Steps: 34, Owner: q, Workers: []*remote.Worker{{Jobs: source(b, c, exec.Default(nothing))}}}
		put, got, _ := m.ForEach(b)
		b.ReportMetric(put, "put/changed")
		b.ReportMetric(got, "got/changed")
		b.ReportMetric(q.histories(b, m.Steps)/float64(m.Steps), "history-B/step")
		b.ReportMetric(0, "ns/op") // says nothing
	}
}

// histories are the bytes of the histories of so many jobs of a workspace, once
// the service lists them.
func (q *Queue) histories(b *testing.B, jobs int) (bytes float64) {
	b.Helper()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		list, err := q.client.ListWorkflow(b.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: fmt.Sprintf("TaskQueue = %q AND ExecutionStatus != 'Running'", q.name(dispatchV1))})
		if err != nil {
			b.Fatal(err)
		}
		switch {
		case len(list.Executions) == jobs:
			for _, w := range list.Executions {
				bytes += float64(w.HistorySizeBytes)
			}
			return bytes
		case time.Now().After(until):
			b.Fatalf("%d jobs are listed, of %d", len(list.Executions), jobs)
		}
	}
}
