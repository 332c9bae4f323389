package temporal

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
)

// TestWrongService: whoever names a service that is none is told what is wrong.
func TestWrongService(t *testing.T) {
	s := server(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	for name, c := range map[string]struct {
		config Config
		want   []string
	}{
		"nobody": {Config{Workspace: "w", Client: client.Options{HostPort: nobody}}, []string{nobody, "is it running"}},
		"namespace": {Config{Workspace: "w", Client: client.Options{HostPort: s.address(), Namespace: "none"}},
			[]string{s.address(), `no namespace "none"`, "create"}},
		"workspace": {Config{Client: client.Options{HostPort: s.address()}}, []string{"Config.Workspace"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenQueue(t.Context(), c.config)
			_, other := OpenSource(t.Context(), c.config, nil)
			for _, err := range []error{err, other} {
				for _, want := range c.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%v does not say %q", err, want)
					}
				}
			}
		})
	}
}

// TestSameKey: a key that belongs to another job is refused.
func TestSameKey(t *testing.T) {
	q, _ := sides(t, Config{})
	j := sampleJob("k")
	if err := errors.Join(q.Submit(t.Context(), j), q.Submit(t.Context(), j)); err != nil {
		t.Fatal(err)
	}
	j.Base.Tree = "sha256:another"
	if err := q.Submit(t.Context(), j); err == nil || !strings.Contains(err.Error(), `another job with the key "k"`) {
		t.Errorf("%v", err)
	}
}

// TestTooLong: nothing long reaches the service.
func TestTooLong(t *testing.T) {
	q, s := sides(t, Config{})
	j := sampleJob("k")
	if err := q.Submit(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	l := taken(t, s)
	if err := l.Done(t.Context(), remote.Result{Key: "k", Broken: strings.Repeat("ä\xff", 5<<20)}); err != nil {
		t.Fatal(err)
	}
	r, err := q.Result(t.Context(), "k")
	if err != nil || len(r.Broken) > 2*maxText || !strings.HasPrefix(r.Broken, "ä") {
		t.Errorf("%d bytes, %v", len(r.Broken), err)
	}
	j.Key, j.Identity = "long", strings.Repeat("i", maxPayload)
	if err := q.Submit(t.Context(), j); err == nil || !strings.Contains(err.Error(), "no more than 65536") {
		t.Errorf("%v", err)
	}
}

// TestOnlyTheSame: a job waits for a worker with the executor of its identity.
func TestOnlyTheSame(t *testing.T) {
	c := workspace(t, Config{})
	q := owner(t, c)
	other := source(t, c, exec.Executors{"shell": known("v2"), "": known("v1")})
	right := source(t, c, exec.Executors{"shell": known("v1")})
	if err := q.Submit(t.Context(), sampleJob("k")); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	if l, err := other.Take(ctx, func(remote.Job) remote.Fit { return remote.Able }); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v, %v", l, err)
	}
	if got := taken(t, right).Job(); got != sampleJob("k") {
		t.Errorf("%+v", got)
	}
}

// TestRecall: what an owner that died had given away is called back.
func TestRecall(t *testing.T) {
	q, s := sides(t, Config{Silence: time.Second})
	run, other := sampleJob("RUN1-1.1-1--0"), sampleJob("RUN2-1.1-1--0")
	if err := errors.Join(q.Submit(t.Context(), run), q.Submit(t.Context(), other)); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range 50 { // what is listed is late
		more, err := q.Recall(t.Context(), "RUN1")
		if err != nil {
			t.Fatal(err)
		}
		if n += more; n > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if _, err := q.Result(t.Context(), run.Key); n != 1 || !errors.Is(err, remote.ErrLost) {
		t.Errorf("%d called back: %v", n, err)
	}
	if got := taken(t, s).Job(); got != other {
		t.Errorf("%+v", got)
	}
}

// TestCut cuts the way of a worker: the job is lost, the worker stops by itself,
// and what it made is refused.
func TestCut(t *testing.T) {
	c := workspace(t, Config{Silence: 2 * time.Second})
	q := owner(t, c)
	wire := newCable(t, c.Client.HostPort)
	c.Client.HostPort = wire.Addr().String()
	s := source(t, c, exec.Executors{"shell": known("v1")})
	if err := q.Submit(t.Context(), sampleJob("k")); err != nil {
		t.Fatal(err)
	}
	l := taken(t, s)
	wire.Cut()
	begun := time.Now()
	_, err := q.Result(t.Context(), "k")
	if took := time.Since(begun); !errors.Is(err, remote.ErrLost) || took > 10*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	select {
	case <-l.Context().Done():
	case <-time.After(10 * time.Second):
		t.Error("the worker goes on")
	}
	cause := context.Cause(l.Context())
	if !errors.Is(cause, remote.ErrLost) || !strings.Contains(cause.Error(), c.Client.HostPort) {
		t.Errorf("it ended over %v", cause)
	}
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	err = l.Done(ctx, remote.Result{Key: "k"})
	end()
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), c.Client.HostPort) {
		t.Errorf("given back through a cut: %v", err)
	}
	wire.Mend()
	ctx, end = context.WithTimeout(t.Context(), time.Minute)
	defer end()
	if err := l.Done(ctx, remote.Result{Key: "k"}); !errors.Is(err, remote.ErrLost) {
		t.Errorf("given back too late: %v", err)
	}
}

// TestOwnerCut cuts the way of an owner: it waits, as long as its contexts last.
func TestOwnerCut(t *testing.T) {
	c := workspace(t, Config{})
	s := source(t, c, exec.Executors{"shell": known("v1")})
	wire := newCable(t, c.Client.HostPort)
	c.Client.HostPort = wire.Addr().String()
	q := owner(t, c)
	if err := q.Submit(t.Context(), sampleJob("before")); err != nil {
		t.Fatal(err)
	}
	l := taken(t, s)
	wire.Cut()
	ctx, end := context.WithTimeout(t.Context(), 2*time.Second)
	defer end()
	err := q.Submit(ctx, sampleJob("k"))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), c.Client.HostPort) {
		t.Errorf("submitted through a cut: %v", err)
	}
	came := make(chan error)
	go func() {
		_, err := q.Result(t.Context(), "before")
		came <- err
	}()
	go func() { came <- q.Submit(t.Context(), sampleJob("after")) }()
	if err := l.Done(t.Context(), remote.Result{Key: "before"}); err != nil {
		t.Error(err)
	}
	time.Sleep(500 * time.Millisecond)
	wire.Mend()
	for range 2 {
		select {
		case err := <-came:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing comes after the cut")
		}
	}
}

// TestGone: a service that ends is named by whoever waits for it.
func TestGone(t *testing.T) {
	server := ownServer(t)
	q, _ := sides(t, Config{Client: client.Options{HostPort: server.address()}})
	if err := q.Submit(t.Context(), sampleJob("k")); err != nil {
		t.Fatal(err)
	}
	server.kill()
	for name, do := range map[string]func(context.Context) error{
		"submit": func(ctx context.Context) error { return q.Submit(ctx, sampleJob("other")) },
		"result": func(ctx context.Context) error { _, err := q.Result(ctx, "k"); return err },
		"cancel": func(ctx context.Context) error { return q.Cancel(ctx, "k") },
	} {
		ctx, end := context.WithTimeout(t.Context(), 3*time.Second)
		if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), server.address()) {
			t.Errorf("%s: %v", name, err)
		}
		end()
	}
}
