package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

// courses are those of version 1 of the workflow of a run, by what happens to it.
var courses = []string{"ended", "answered", "gone", "let-go", "cancelled", "withdrawn", "waiting"}

// TestRunReplay has the workflow of today go on with histories of version 1.
func TestRunReplay(t *testing.T) {
	for _, name := range courses {
		t.Run(name, func(t *testing.T) { replayed(t, recorded(t, runV1, name)) })
	}
}

func replayed(t *testing.T, h *history.History) {
	t.Helper()
	replayer := worker.NewWorkflowReplayer()
	registerRun(replayer)
	if err := replayer.ReplayWorkflowHistory(nil, h); err != nil {
		t.Errorf("%v\nA workflow is not changed: add a version beside it.", err)
	}
}

// TestRunVersionIsTheSame compares what a replay does not: with which options the
// workflow begins activities, and what it notes where. How long it waits is for
// TestCourse.
func TestRunVersionIsTheSame(t *testing.T) {
	data := converter.GetDefaultDataConverter()
	h := recorded(t, runV1, "let-go")
	var c course
	input := h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetInput()
	if err := data.FromPayloads(input, &c); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(c)
	if was := input.GetPayloads()[0].GetData(); err != nil || string(again) != string(was) {
		t.Errorf("what version 1 is given is\n%s, was\n%s", again, was)
	}
	for _, name := range []string{"let-go", "answered", "cancelled"} {
		h, seen := recorded(t, runV1, name), &watcher{}
		var was []begun
		var noted []string
		for _, e := range h.Events {
			if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
				o := optionsOf(a)
				was = append(was, begun{a.GetActivityType().GetName(), o})
			}
			for key := range e.GetWorkflowPropertiesModifiedEventAttributes().GetUpsertedMemo().GetFields() {
				noted = append(noted, key)
			}
		}
		replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
			Interceptors: []interceptor.WorkerInterceptor{seen}})
		if err != nil {
			t.Fatal(err)
		}
		registerRun(replayer)
		if err := replayer.ReplayWorkflowHistory(nil, h); err != nil {
			t.Fatal(err)
		}
		if len(seen.activities) != len(was) {
			t.Fatalf("%s: %d activities, were %d", name, len(seen.activities), len(was))
		}
		for i, now := range seen.activities {
			// What the service fills in where nothing is said is no difference.
			o, p := now.options, *was[i].options.RetryPolicy
			o.TaskQueue, o.WaitForCancellation = cmp.Or(o.TaskQueue, was[i].options.TaskQueue), false
			r := *o.RetryPolicy
			if r.InitialInterval != 0 || r.BackoffCoefficient != 0 || r.MaximumInterval != 0 {
				t.Errorf("%s: retries are %+v", name, r)
			}
			o.RetryPolicy, was[i].options.RetryPolicy = nil, nil
			if now.name != was[i].name || r.MaximumAttempts != p.MaximumAttempts || !reflect.DeepEqual(o, was[i].options) {
				t.Errorf("%s: version 1 has %s\n%+v, had %s\n%+v\nA workflow is not changed: add a version beside it.", name,
					now.name, o, was[i].name, was[i].options)
			}
		}
		if name == "cancelled" && !slices.Equal(noted, []string{stopping, standing}) {
			t.Errorf("it noted %v", noted)
		}
	}
}

// TestRunRecord has runs come to each end on a real service, with -record keeps the
// histories, and else holds them to those that are kept.
func TestRunRecord(t *testing.T) {
	c := workspace(t, Config{Silence: 2 * time.Second})
	r, err := OpenRuns(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	cut := &silent{}
	c.Client.ConnectionOptions.DialOptions = cut.options()
	turns := map[string]int{}
	o := &Owner{Config: c, Answer: func(_ context.Context, a ask.Answer) error {
		if a.Choice != "r" {
			return &ask.RefusedError{Question: a.Question, Why: "it is none of the choices"}
		}
		return nil
	}}
	o.Advance = func(ctx context.Context, t Task, report func(State) error) (State, error) {
		turns[t.Key]++
		if err := report(fresh); err != nil {
			return State{}, err
		}
		first := turns[t.Key] == 1
		switch {
		case t.Key == "gone" && first:
			cut.off.Store(true)
			<-ctx.Done()
			time.Sleep(o.Silence) // for the service to find out, too
			cut.off.Store(false)
			return fresh, context.Cause(ctx)
		case t.Key == "let-go" && turns[t.Key] < 4:
			return fresh, errors.New("no space")
		case t.Key == "cancelled":
			<-ctx.Done()
			return fresh, context.Cause(ctx)
		case first && (t.Key == "answered" || t.Key == "withdrawn" || t.Key == "waiting"):
			return waits, exec.ErrWaiting
		}
		return done, nil
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- o.Run(ctx) }()
	for _, name := range courses {
		if err := r.Start(ctx, Task{Key: name, Plan: "sha256:plan"}); err != nil {
			t.Fatal(err)
		}
		until := func(so func(State) bool) {
			t.Helper()
			for range 1000 {
				if s, err := r.State(ctx, name); err != nil {
					t.Fatal(err)
				} else if so(s) {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Fatalf("%s does not come so far", name)
		}
		switch name {
		case "answered":
			until(func(s State) bool { return len(s.Questions) > 0 })
			err := r.Answer(ctx, name, ask.Answer{Question: "q1", Choice: "perhaps"})
			if no := new(*ask.RefusedError); !errors.As(err, no) || (*no).Question != "q1" {
				t.Error(err)
			}
			if err := r.Answer(ctx, name, ask.Answer{Question: "q1", Choice: "r"}); err != nil {
				t.Error(err)
			}
		case "withdrawn":
			until(func(s State) bool { return len(s.Questions) > 0 })
			if err := r.client.CancelWorkflow(ctx, r.id(name), ""); err != nil {
				t.Error(err)
			}
		case "cancelled":
			until(func(s State) bool { return s.Run != "" })
			if err := r.Cancel(ctx, name, exec.Stop{By: "anna", Why: "enough"}); err != nil {
				t.Error(err)
			}
		}
		if name == "waiting" {
			until(func(s State) bool { return len(s.Questions) > 0 })
		} else if _, err := r.Wait(ctx, name); err != nil {
			t.Fatal(err)
		}
		h := historyOf(t, r.service, r.id(name))
		replayed(t, h)
		if *record {
			keep(t, runV1, name, h)
		} else if was, is := ofRun(recorded(t, runV1, name)), ofRun(h); !reflect.DeepEqual(was, is) {
			t.Errorf("%s is %v, was %v", name, is, was)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// ofRun are the kinds of events of the history of a run, without those that say when
// something was decided.
func ofRun(h *history.History) []string {
	return slices.DeleteFunc(types(h), func(kind string) bool { return strings.HasPrefix(kind, "WorkflowTask") })
}
