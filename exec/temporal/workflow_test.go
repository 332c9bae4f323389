package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	sdkactivity "go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/exec/remote"
)

var record = flag.Bool("record", false, "record histories of the workflow anew, in testdata")

// histories are those of version 1, by what happens to the job.
var histories = []string{"done", "returned", "lost", "cancelled", "waiting"}

func sampleJob(key string) remote.Job {
	j := remote.Job{Key: key, Run: "01K00000000000000000000000", Step: "1.1", Attempt: 2, Executor: "shell",
		Identity: "v1", Request: "sha256:request"}
	j.Base.Tree, j.Base.Manifest = "sha256:tree", "sha256:manifest"
	return j
}

// TestReplay has the workflow of today go on with histories of version 1.
func TestReplay(t *testing.T) {
	for _, name := range histories {
		t.Run(name, func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			register(replayer)
			if err := replayer.ReplayWorkflowHistory(nil, recorded(t, "v1", name)); err != nil {
				t.Errorf("%v\nA workflow is not changed: add a version beside it.", err)
			}
		})
	}
}

func recorded(t *testing.T, version, name string) *history.History {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", version, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestVersionIsTheSame compares what the workflow has done with what its version
// 1 had: a replay only compares the names.
func TestVersionIsTheSame(t *testing.T) {
	h := recorded(t, "v1", "done")
	var o order
	input := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
	if got := input.GetWorkflowType().GetName(); got != dispatchV1 {
		t.Errorf("the type is %s, was %s", dispatchV1, got)
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(input.GetInput(), &o); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(o)
	if was := input.GetInput().GetPayloads()[0].GetData(); err != nil || string(again) != string(was) {
		t.Errorf("a job of version 1 is\n%s, was\n%s", again, was)
	}
	var scheduled []*history.ActivityTaskScheduledEventAttributes
	for _, e := range h.Events {
		if e.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			scheduled = append(scheduled, e.GetActivityTaskScheduledEventAttributes())
		}
	}
	if len(scheduled) != 1 {
		t.Fatalf("%d activities", len(scheduled))
	}
	was, seen := scheduled[0], &watcher{}
	env := environment(t, func(context.Context, remote.Job) (remote.Result, error) { return remote.Result{}, nil })
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{seen}})
	env.ExecuteWorkflow(dispatchV1, o)
	if len(seen.activities) != 1 {
		t.Fatalf("%d activities", len(seen.activities))
	}
	now := seen.activities[0]
	want := optionsOf(was)
	if was.GetActivityType().GetName() != now.name || !reflect.DeepEqual(now.options, want) {
		t.Errorf("version 1 has %s\n%+v %+v, had %s\n%+v %+v\nA workflow is not changed: add a version beside it.", now.name,
			now.options, now.options.RetryPolicy, was.GetActivityType().GetName(), want, want.RetryPolicy)
	}
}

// optionsOf are those with which an activity was begun.
func optionsOf(was *history.ActivityTaskScheduledEventAttributes) workflow.ActivityOptions {
	p := was.GetRetryPolicy()
	return workflow.ActivityOptions{
		TaskQueue:           was.GetTaskQueue().GetName(),
		StartToCloseTimeout: was.GetStartToCloseTimeout().AsDuration(),
		HeartbeatTimeout:    was.GetHeartbeatTimeout().AsDuration(),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:        p.GetInitialInterval().AsDuration(),
			BackoffCoefficient:     p.GetBackoffCoefficient(),
			MaximumInterval:        p.GetMaximumInterval().AsDuration(),
			MaximumAttempts:        p.GetMaximumAttempts(),
			NonRetryableErrorTypes: p.GetNonRetryableErrorTypes(),
		},
	}
}

// A watcher sees with which options activities are begun.
type watcher struct {
	interceptor.WorkerInterceptorBase
	activities []begun
}

type begun struct {
	name    string
	options workflow.ActivityOptions
}

func (w *watcher) InterceptWorkflow(_ workflow.Context,
	next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &inbound{interceptor.WorkflowInboundInterceptorBase{Next: next}, w}
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase
	w *watcher
}

func (i *inbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&outbound{interceptor.WorkflowOutboundInterceptorBase{Next: next}, i.w})
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	w *watcher
}

func (o *outbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	o.w.activities = append(o.w.activities, begun{name, workflow.GetActivityOptions(ctx)})
	return o.Next.ExecuteActivity(ctx, name, args...)
}

func environment(t *testing.T, do any) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	register(env)
	env.RegisterActivityWithOptions(do, sdkactivity.RegisterOptions{Name: activity})
	return env
}

// TestDispatch: a job that is handed back is another worker's, and any other end
// is the end of the workflow. That a worker is gone is for a real service to find
// out: see TestQueue.
func TestDispatch(t *testing.T) {
	want, back := remote.Result{Key: "k", Host: "h"}, temporal.NewApplicationError("no", returned)
	for name, c := range map[string]struct {
		errs  []error
		times int
		err   string
	}{
		"done":       {nil, 1, ""},
		"returned":   {[]error{back, back}, 3, ""},
		"unreadable": {[]error{temporal.NewNonRetryableApplicationError("cannot read", notReadable, nil)}, 1, "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			times := 0
			env := environment(t, func(_ context.Context, j remote.Job) (remote.Result, error) {
				times++
				if j != sampleJob("k") {
					t.Errorf("job %+v", j)
				}
				if times <= len(c.errs) {
					return remote.Result{}, c.errs[times-1]
				}
				return want, nil
			})
			env.ExecuteWorkflow(dispatchV1, order{sampleJob("k"), "queue", time.Second})
			var got remote.Result
			err := env.GetWorkflowError()
			if err == nil {
				err = env.GetWorkflowResult(&got)
			}
			if times != c.times {
				t.Errorf("carried out %d times, want %d", times, c.times)
			}
			if c.err == "" && (err != nil || got != want) {
				t.Errorf("%+v, %v", got, err)
			}
			if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v does not say %q", err, c.err)
			}
		})
	}
}

// TestRecord carries a job to each end on a real service, with -record keeps the
// histories, and else holds them to those that are kept.
func TestRecord(t *testing.T) {
	q, s := sides(t, Config{Silence: time.Second})
	ctx := t.Context()
	for _, name := range histories {
		j := sampleJob(name)
		if err := q.Submit(ctx, j); err != nil {
			t.Fatal(err)
		}
		var l remote.Lease
		if name != "waiting" {
			l = taken(t, s)
		}
		switch name {
		case "returned":
			if err := l.Return(ctx); err != nil {
				t.Fatal(err)
			}
			l = taken(t, s)
			fallthrough
		case "done":
			if err := l.Done(ctx, remote.Result{Key: j.Key, Host: "host", Said: "sha256:said"}); err != nil {
				t.Fatal(err)
			}
		case "lost":
			l.(*lease).stop(errors.New("is dead"))
		case "cancelled":
			if err := q.Cancel(ctx, j.Key); err != nil {
				t.Fatal(err)
			}
		}
		if name != "waiting" {
			if _, err := q.Result(ctx, j.Key); err != nil && !errors.Is(err, remote.ErrLost) {
				t.Fatal(err)
			}
		}
		h := historyOf(t, q.service, q.name(j.Key))
		replayer := worker.NewWorkflowReplayer()
		register(replayer)
		if err := replayer.ReplayWorkflowHistory(nil, h); err != nil {
			t.Error(err)
		}
		if *record {
			keep(t, "v1", name, h)
			continue
		}
		if was, is := types(recorded(t, "v1", name)), types(h); !reflect.DeepEqual(was, is) {
			t.Errorf("%s is %v, was %v", name, is, was)
		}
	}
}

// historyOf is the history of a workflow, once its first decision is made.
func historyOf(t *testing.T, s *service, id string) *history.History {
	t.Helper()
	for range 100 {
		h := &history.History{}
		events := s.client.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, e)
		}
		if len(h.Events) > 4 {
			return h
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing is decided for %s", id)
	return nil
}

func keep(t *testing.T, version, name string, h *history.History) {
	t.Helper()
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(h)
	if err == nil {
		err = os.WriteFile(filepath.Join("testdata", version, name+".json"), append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// types are the kinds of events of a history.
func types(h *history.History) (all []string) {
	for _, e := range h.Events {
		all = append(all, e.GetEventType().String())
	}
	return all
}
