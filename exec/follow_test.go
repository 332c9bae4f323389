package exec_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// Whoever follows a run, knowing nothing but where it works, sees each fact
// when it happens, also while the controller is interrupted and another one
// takes the run up, and no fact twice.
func TestFollow(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	began := make(chan struct{})
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": goodScript["1.1"],
		"1.2": exectest.Attempts(func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
			select {
			case <-began: // the follower saw that it began
			case <-time.After(time.Minute):
				t.Error("nobody saw the attempt while it worked")
			}
			cancel(stop)
			return exec.Outcome{}, context.Cause(ctx)
		}, goodScript["1.2"])})
	locked, runs := b.Lock(t), make(chan string, 1)
	b.Controller.Observe = event.On(func(e event.Event, _ *history.Started) { runs <- e.Run })
	over := make(chan error, 1)
	go func() {
		defer close(runs)
		report, err := b.Controller.Run(ctx, locked)
		if !errors.Is(err, stop) {
			over <- fmt.Errorf("the run was not interrupted: %w", err)
			return
		}
		again := *b.Controller // it knows nothing of the first one
		again.Observe = nil
		_, err = again.Resume(t.Context(), locked, report.Run.Started.Run)
		over <- err
	}()
	ws := exec.Workspace{Dir: b.Dir}
	run, ok := <-runs
	if !ok {
		t.Fatal(<-over)
	}
	var kinds []event.Kind
	var seq uint64
	for e, err := range ws.Follow(t.Context(), run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seq++; e.Seq != seq || e.Run != run || e.Fact == nil || e.State.Head.Seq != seq {
			t.Fatalf("%s of %s is %d and follows %d", e.Fact, e.Run, e.Seq, seq-1)
		}
		if _, is := e.Fact.(*history.AttemptStarted); is && e.Step == "1.2" && e.Attempt == 1 {
			close(began)
		}
		if e.Kind != event.Recorded {
			kinds = append(kinds, e.Kind)
		}
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kinds); got != "[cancelled ended]" {
		t.Errorf("the kinds were %s", got)
	}
	state, err := ws.History(t.Context(), run)
	if err != nil || state.Head.Seq != seq {
		t.Fatalf("followed to %d, the journal ends at %d: %v", seq, state.Head.Seq, err)
	}
	rest := 0
	for e, err := range ws.Follow(t.Context(), run, seq-3) {
		if rest++; err != nil || e.Seq != seq-3+uint64(rest) {
			t.Errorf("behind %d comes %d, %v", seq-3, e.Seq, err)
		}
	}
	if rest != 3 {
		t.Errorf("%d events behind the last but three", rest)
	}
}

// How following ends otherwise.
func TestFollowEnds(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": goodScript["1.1"],
		"1.2": exectest.Fail("no")})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { cancel(stop) })
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	run, ws := report.Run.Started.Run, exec.Workspace{Dir: b.Dir}
	last := func(all iter.Seq2[event.Event, error]) (n int, err error) {
		for _, err = range all {
			n++
		}
		return n, err
	}
	brief, end := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, stop)
	defer end()
	if n, err := last(ws.Follow(brief, run, 0)); !errors.Is(err, stop) || n != int(report.Run.Head.Seq)+1 {
		t.Errorf("an interrupted run: %d events, %v", n, err)
	}
	if n, err := last(ws.Follow(t.Context(), "01JZZZZZZZZZZZZZZZZZZZZZZZ", 0)); n != 1 || !errors.Is(err,
		exec.ErrNoRun) {
		t.Errorf("no run: %d events, %v", n, err)
	}
	if n, err := last(ws.Follow(t.Context(), run, 1000)); n != 1 || err == nil {
		t.Errorf("behind the end: %d events, %v", n, err)
	}
	for range ws.Follow(t.Context(), run, 0) {
		break
	}
}

// A second process, or a host that was started anew, shows how a run goes from
// its journal: everything that happened, and then what happens.
func ExampleWorkspace_Follow() {
	dir, err := os.MkdirTemp("", "follow")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	writer := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "letter.txt"), []byte("Dear reader\n"), 0o644)
	})
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(writer)}
	draft, err := native.Read("plan.toml", []byte(letter))
	if err != nil {
		fmt.Println(err)
		return
	}
	locked, err := c.Lock(ctx, draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := c.Run(ctx, locked) // in this process or in another
	if err != nil {
		fmt.Println(err)
		return
	}

	ws, handled := exec.Workspace{Dir: dir}, uint64(0) // a host keeps the number, and goes on behind it
	for e, err := range ws.Follow(ctx, report.Run.Started.Run, handled) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch f := e.Fact.(type) {
		case *history.StepCompleted:
			fmt.Println("step", e.Step, "is done by its", f.Method, "method")
		case *history.Ended:
			fmt.Println("the run", f.Status)
		}
		handled = e.Seq
	}
	// Output:
	// step 1.1 is done by its primary method
	// the run ACHIEVED
}

// TestBeforeTheFirstRecord: whoever looks at a run that is just beginning is
// told that there is none yet.
func TestBeforeTheFirstRecord(t *testing.T) {
	const run = "01JZZZZZZZZZZZZZZZZZZZZZZZ"
	ws := exec.Workspace{Dir: t.TempDir()}
	file := filepath.Join(ws.Dir, ".planlock", "runs", run, "journal")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	log, err := filelog.Witness{Dir: t.TempDir()}.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if h, err := ws.History(t.Context(), run); !errors.Is(err, exec.ErrNoRun) {
		t.Errorf("%+v, %v", h, err)
	}
}
