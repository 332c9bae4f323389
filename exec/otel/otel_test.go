package otel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/otel"
)

// theSecret stands in output, contents, errors and the plan, and in no span.
const theSecret = "hunter2"

const thePlan = `schema = 1
requirements = [{ id = "R1", text = "hunter2" }]
non_goals = []
invariants = []

[goal]
description = "hunter2"

[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 2
semantic_change = "extending"
limits = { max_files = 20, max_lines = 100 }

[[tasks]]
id = 1
description = "hunter2"

[[tasks.steps]]
id = 1
description = "hunter2"
run = "true"
artifacts = { create = ["a"] }
postconditions = [{ kind = "file_contains", path = "a", matches = "." }]

[[tasks.steps]]
id = 2
description = "hunter2"
run = "true"
artifacts = { create = ["b"] }
postconditions = [{ kind = "file_contains", path = "b", matches = "." }]

[[tasks]]
id = 2
description = "hunter2"

[[tasks.steps]]
id = 1
description = "hunter2"
run = "true"
artifacts = { create = ["c"] }
postconditions = [{ kind = "file_contains", path = "c", matches = "." }]
`

// costly writes a file, says something, and what it cost.
func costly(name string) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := exectest.Write(name, theSecret+"\n")(ctx, w)
		out.Output, out.Usage = theSecret, exec.Usage{InputTokens: 10, Cost: 250_000}
		return out, err
	}
}

// theWork fails once at step 1.2.
func theWork() exectest.Script {
	return exectest.Script{"1.1": costly("a"), "2.1": costly("c"),
		"1.2": exectest.Attempts(exectest.Fail(theSecret), costly("b"))}
}

// watching is an observer that keeps the spans.
func watching(t *testing.T, options ...sdktrace.TracerProviderOption) (func(context.Context, event.Event),
	*tracetest.InMemoryExporter) {
	t.Helper()
	kept := tracetest.NewInMemoryExporter()
	observe, err := otel.Observer(sdktrace.NewTracerProvider(append([]sdktrace.TracerProviderOption{
		sdktrace.WithSyncer(kept), sdktrace.WithIDGenerator(otel.IDs{})}, options...)...), metricnoop.NewMeterProvider())
	if err != nil {
		t.Fatal(err)
	}
	return observe, kept
}

// described are spans as text, each with all that is told of it, by their ids.
func described(t *testing.T, spans tracetest.SpanStubs) map[trace.SpanID]string {
	t.Helper()
	all := map[trace.SpanID]string{}
	for _, s := range spans {
		id := s.SpanContext.SpanID()
		if _, twice := all[id]; twice {
			t.Errorf("span %s of %s was told twice", id, s.Name)
		}
		text := fmt.Sprintf("%s %s in %s of %s: %d to %d, %s %s", s.Name, id, s.Parent.SpanID(), s.SpanContext.TraceID(),
			s.StartTime.UnixNano(), s.EndTime.UnixNano(), s.Status.Code, s.Status.Description)
		for _, a := range s.Attributes {
			text += fmt.Sprintf(" %s=%s", a.Key, a.Value.Emit())
		}
		for _, l := range s.Links {
			text += fmt.Sprintf(" link %s %v", l.SpanContext.SpanID(), l.Attributes)
		}
		all[id] = text
	}
	return all
}

// A run that is interrupted and taken up by another process, which knows nothing
// of the first, has one trace: that of its journal, told once more.
func TestOneTrace(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	b := exectest.New(t, thePlan, nil, theWork())
	locked := b.Lock(t)
	first, before := watching(t)
	b.Controller.Observe = func(ctx context.Context, e event.Event) {
		first(ctx, e)
		if _, failed := e.Fact.(*history.AttemptFailed); failed {
			cancel(stop)
		}
	}
	report, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, stop) {
		t.Fatalf("%v\n%v", err, report)
	}
	run := report.Run.Started.Run
	again := *b.Controller
	second, after := watching(t)
	again.Observe = second
	if report, err = again.Resume(t.Context(), locked, run); err != nil {
		t.Fatalf("%v\n%v", err, report)
	}
	live := append(before.GetSpans(), after.GetSpans()...)
	if len(before.GetSpans()) == 0 || len(after.GetSpans()) == 0 {
		t.Fatalf("%d spans before the interruption, %d after it", len(before.GetSpans()), len(after.GetSpans()))
	}

	replay, kept := watching(t)
	for e, err := range (exec.Workspace{Dir: b.Dir}).Follow(t.Context(), run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		replay(t.Context(), e)
	}
	told, recorded := described(t, live), described(t, kept.GetSpans())
	for id, text := range recorded {
		if told[id] != text {
			t.Errorf("recorded: %s\nlive:     %s", text, told[id])
		}
	}
	if len(told) != len(recorded) {
		t.Errorf("%d spans live, %d recorded", len(told), len(recorded))
	}
	judgeTrace(t, live, run)
}

// judgeTrace wants spans to be one tree, with one root, and nothing in them that
// is nobody's business.
func judgeTrace(t *testing.T, spans tracetest.SpanStubs, run string) {
	t.Helper()
	by, count := map[trace.SpanID]tracetest.SpanStub{}, map[string]int{}
	for _, s := range spans {
		by[s.SpanContext.SpanID()] = s
		count[s.Name]++
	}
	within := map[string]string{otel.SpanTask: otel.SpanRun, otel.SpanStep: otel.SpanTask,
		otel.SpanAttempt: otel.SpanStep}
	for _, s := range spans {
		parent, there := by[s.Parent.SpanID()]
		switch {
		case s.SpanContext.TraceID() != otel.TraceID(run):
			t.Errorf("%s is in trace %s", s.Name, s.SpanContext.TraceID())
		case s.Name == otel.SpanRun:
			if s.Parent.IsValid() {
				t.Errorf("the run has parent %s", s.Parent.SpanID())
			}
		case !there:
			t.Errorf("the parent of %s is nowhere: %v", s.Name, s.Attributes)
		case s.Name != otel.SpanGate && parent.Name != within[s.Name]:
			t.Errorf("%s is in %s", s.Name, parent.Name)
		case s.Name != otel.SpanGate && (s.StartTime.Before(parent.StartTime) || s.EndTime.After(parent.EndTime)):
			t.Errorf("%s is from %s to %s, and %s, which it is in, from %s to %s", s.Name, s.StartTime, s.EndTime,
				parent.Name, parent.StartTime, parent.EndTime)
		}
		for _, a := range s.Attributes {
			if value := a.Value.Emit(); len(value) > 128 || strings.Contains(value, theSecret) {
				t.Errorf("%s of %s is %q", a.Key, s.Name, value)
			}
		}
		if strings.Contains(s.Status.Description, theSecret) {
			t.Errorf("%s says %q", s.Name, s.Status.Description)
		}
	}
	if count[otel.SpanRun] != 1 || count[otel.SpanTask] != 2 || count[otel.SpanStep] != 3 ||
		count[otel.SpanAttempt] < 4 || count[otel.SpanGate] == 0 || len(count) != 5 {
		t.Errorf("the spans are %v", count)
	}
}

// An attempt leads to the one that it follows, and says what was decided after it.
func TestRetriesAreLinked(t *testing.T) {
	b := exectest.New(t, thePlan, nil, theWork())
	observe, kept := watching(t)
	b.Controller.Observe = observe
	b.Run(t).Want(t, history.Achieved)
	var failed, retried *tracetest.SpanStub
	for _, s := range kept.GetSpans() {
		switch {
		case s.Name != otel.SpanAttempt:
		case s.Status.Code == codes.Error:
			failed = &s
		case len(s.Links) > 0:
			retried = &s
		}
	}
	if failed == nil || retried == nil {
		t.Fatalf("failed: %v, retried: %v", failed, retried)
	}
	if failed.Status.Description != string(history.Crashed) {
		t.Errorf("the attempt failed by %q", failed.Status.Description)
	}
	l := retried.Links[0]
	if len(retried.Links) != 1 || l.SpanContext.SpanID() != failed.SpanContext.SpanID() || len(l.Attributes) != 1 ||
		l.Attributes[0].Key != otel.AttrRecovery || l.Attributes[0].Value.AsString() != "retry" {
		t.Errorf("the links are %v", retried.Links)
	}
}

// What the provider samples holds for the trace as a whole, in every process.
func TestSampling(t *testing.T) {
	for name, sampler := range map[string]sdktrace.Sampler{
		"never": sdktrace.NeverSample(), "never, by the parent": sdktrace.ParentBased(sdktrace.NeverSample())} {
		observe, kept := watching(t, sdktrace.WithSampler(sampler))
		b := exectest.New(t, thePlan, nil, theWork())
		b.Controller.Observe = observe
		b.Run(t).Want(t, history.Achieved)
		if got := len(kept.GetSpans()); got > 0 {
			t.Errorf("%s: %d spans", name, got)
		}
	}
}

func TestIDs(t *testing.T) {
	if _, err := otel.Observer(sdktrace.NewTracerProvider(), nil); !errors.Is(err, otel.ErrIDs) {
		t.Errorf("a provider with ids of its own: %v", err)
	}
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	if _, err := otel.Observer(never, nil); !errors.Is(err, otel.ErrIDs) {
		t.Errorf("one that samples nothing: %v", err)
	}
	if _, err := otel.Observer(noop.NewTracerProvider(), nil); err != nil {
		t.Errorf("one that does nothing: %v", err)
	}
	if observe, err := otel.Observer(nil, nil); err != nil {
		t.Errorf("nobody: %v", err)
	} else {
		observe(t.Context(), event.Event{})
	}
	// printf 'planlock run run-1' | sha256sum
	if got := otel.TraceID("run-1").String(); got != "864abe64688f0119b31d9afbb4ccb773" {
		t.Errorf("the trace of run-1 is %s", got)
	}
	var ids otel.IDs
	seen, one := map[string]bool{}, sync.Mutex{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			traced, span := ids.NewIDs(t.Context())
			one.Lock()
			defer one.Unlock()
			seen[traced.String()], seen[span.String()], seen[ids.NewSpanID(t.Context(), traced).String()] = true, true, true
		})
	}
	if group.Wait(); len(seen) != 24 {
		t.Errorf("24 ids at random are %d: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

// Events that a journal of anybody may lead to stop nobody.
func TestOddEvents(t *testing.T) {
	observe, kept := watching(t)
	of := history.Outline{Address: "1.1", Task: strings.Repeat("ä", 1000)}
	state := &history.Run{Steps: []*history.Step{{Outline: of}}}
	for _, f := range []history.Fact{&history.AttemptFailed{}, &history.StepCompleted{}, &history.StepFailed{},
		&history.Judged{{}}, &history.AttemptEnded{Tokens: -1, Cost: -1}, &history.Sealed{}} {
		for _, step := range state.Steps {
			observe(t.Context(), event.Event{Fact: f, State: state, Step: step.Address, Attempt: 3, Time: time.Now()})
		}
	}
	for _, s := range kept.GetSpans() {
		for _, a := range s.Attributes {
			if len(a.Value.Emit()) > 128 {
				t.Errorf("%s of %s has %d bytes", a.Key, s.Name, len(a.Value.Emit()))
			}
		}
	}
}
