package temporal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

// onceOwner is an owner in this process, and ends it.
func onceOwner(t *testing.T, o *Owner) (end func() error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	return func() error {
		stop()
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Minute):
			return errors.New("the owner does not end")
		}
	}
}

// TestRunLong: a run whose history is long goes on in another one, where it is still
// the same task, and known for how it stands.
func TestRunLong(t *testing.T) {
	c := workspace(t, Config{})
	r, err := OpenRuns(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	turns := 0
	o := &Owner{Config: c,
		Advance: func(_ context.Context, t Task, _ func(State) error) (State, error) {
			if turns++; turns == 3 {
				return done, nil
			}
			return waits, exec.ErrWaiting
		},
		Answer: func(_ context.Context, a ask.Answer) error {
			if a.Choice == "r" {
				return nil
			}
			return &ask.RefusedError{Question: a.Question, Why: "it is none of the choices"}
		}}
	ctx, end := t.Context(), onceOwner(t, o)
	task := Task{Key: "long", Plan: "sha256:plan"}
	if err := r.Start(ctx, task); err != nil {
		t.Fatal(err)
	}
	first := ""
	for n := range 500 {
		err := r.Answer(ctx, "long", ask.Answer{Run: "r", Question: "q1", Choice: "perhaps"})
		if !errors.As(err, new(*ask.RefusedError)) {
			t.Fatalf("answer %d: %v", n, err)
		}
		d, err := r.describe(ctx, r.id("long"))
		if err != nil {
			t.Fatal(err)
		}
		id := d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		if first = cmp.Or(first, id); id != first {
			t.Logf("another history began after %d answers", n)
			break
		}
		if n == 499 {
			t.Fatal("no other history began")
		}
	}
	if err := r.Start(ctx, task); err != nil { // it is there
		t.Error(err)
	}
	if s, err := r.State(ctx, "long"); err != nil || s.Run != "r" || !slices.Equal(s.Questions, waits.Questions) {
		t.Errorf("%+v, %v", s, err)
	}
	if err := r.Answer(ctx, "long", ask.Answer{Question: "q1", Choice: "r"}); err != nil {
		t.Error(err)
	}
	if s, err := r.Wait(ctx, "long"); err != nil || !s.Over {
		t.Errorf("%+v, %v", s, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestOwnerPanics: an owner whose host panics says so, and has the run be tried again.
// What is no task, and no answer, is refused before it reaches an owner.
func TestOwnerPanics(t *testing.T) {
	c := workspace(t, Config{})
	r, err := OpenRuns(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := (&Owner{Config: c}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Owner.Advance") {
		t.Errorf("an owner of nothing: %v", err)
	}
	for text, task := range map[string]Task{"has no key": {Plan: "p"},
		"given no more": {Key: "k", Plan: strings.Repeat("x", maxPayload)}} {
		if err := r.Start(t.Context(), task); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
	again := make(chan struct{})
	end := onceOwner(t, &Owner{Config: c, Answer: func(context.Context, ask.Answer) error { return errors.New("no space") },
		Advance: func(_ context.Context, _ Task, report func(State) error) (State, error) {
			select {
			case <-again:
				return done, nil
			default:
			}
			if err := report(fresh); err != nil {
				return State{}, err
			}
			panic("by the host")
		}})
	if err := r.Start(t.Context(), Task{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	for s := (State{}); !strings.Contains(s.Says, "by the host"); time.Sleep(20 * time.Millisecond) {
		if s, err = r.State(t.Context(), "k"); err != nil {
			t.Fatal(err)
		}
	}
	a := ask.Answer{Run: "r", Question: "q1"}
	if err := r.Answer(t.Context(), "k", a); err == nil || !strings.Contains(err.Error(), "no space") ||
		errors.As(err, new(*ask.RefusedError)) {
		t.Errorf("an answer that cannot be kept: %v", err)
	}
	a.Reason = strings.Repeat("x", maxPayload)
	if err := r.Answer(t.Context(), "k", a); !errors.As(err, new(*ask.RefusedError)) {
		t.Errorf("an answer that is too long: %v", err)
	}
	close(again)
	if err := r.GoOn(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	if s, err := r.Wait(t.Context(), "k"); err != nil || !s.Over {
		t.Errorf("%+v, %v", s, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestOwnerEndsAlone: an owner that is told to end ends, also where the service is gone.
func TestOwnerEndsAlone(t *testing.T) {
	server := ownServer(t)
	c := workspace(t, Config{Client: client.Options{HostPort: server.address()}, Silence: time.Second})
	r, err := OpenRuns(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	has := make(chan struct{}, 9)
	end := onceOwner(t, &Owner{Config: c, Answer: func(context.Context, ask.Answer) error { return nil },
		Advance: func(ctx context.Context, _ Task, _ func(State) error) (State, error) {
			has <- struct{}{}
			<-ctx.Done()
			return fresh, context.Cause(ctx)
		}})
	if err := r.Start(t.Context(), Task{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	<-has
	server.kill()
	begun := time.Now()
	if err := end(); err != nil {
		t.Error(err)
	}
	t.Logf("it ended after %v", time.Since(begun).Round(time.Second))
}
