package exectest_test

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// ends is a runner whose commands have ended at once.
type ends struct{}

func (ends) Run(ctx context.Context, _ gate.Command) (gate.CommandResult, error) {
	return gate.CommandResult{}, context.Cause(ctx)
}

func work(t testing.TB) func() exec.Work {
	return func() exec.Work {
		return exec.Work{Dir: t.TempDir(), Task: &plan.Task{ID: "1"}, Step: &plan.Step{Address: "1.1"},
			Method: method.Method{ID: "primary", Run: "true"}, Runner: ends{}}
	}
}

// does is an executor that does something, and is polite otherwise.
func does(what func(ctx context.Context, w exec.Work)) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if ctx.Err() == nil {
			what(ctx, w)
		}
		return exec.Outcome{}, context.Cause(ctx)
	}
}

// TestExecutorSuitePasses whoever works for a while, by itself or by a command,
// and stops when it is told to.
func TestExecutorSuitePasses(t *testing.T) {
	for _, x := range []exec.Func{
		does(func(context.Context, exec.Work) {}),
		does(func(ctx context.Context, w exec.Work) { _, _ = w.Runner.Run(ctx, gate.Command{Run: "true"}) }),
		does(func(ctx context.Context, w exec.Work) {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}),
	} {
		exectest.RunExecutor(t, x, work(t))
	}
}

// TestExecutorSuite finds each thing that an executor may do wrong.
func TestExecutorSuite(t *testing.T) {
	later := func(what func(w exec.Work)) exec.Func {
		return does(func(_ context.Context, w exec.Work) {
			go func() {
				time.Sleep(50 * time.Millisecond)
				what(w)
			}()
		})
	}
	for name, tt := range map[string]struct {
		want string
		x    exec.Func
	}{
		"never stops": {`rule "stopped" is broken`, exectest.Nothing()},
		"says any error when it is stopped": {"does not wrap context.Cause: no",
			func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if ctx.Err() != nil {
					return exec.Outcome{}, errors.New("no")
				}
				return exec.Outcome{}, nil
			}},
		"goes on midway": {`rule "stopped midway" is broken`,
			func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if ctx.Err() != nil {
					return exec.Outcome{}, context.Cause(ctx)
				}
				select {
				case <-ctx.Done():
					time.Sleep(1200 * time.Millisecond)
				case <-time.After(500 * time.Millisecond):
				}
				return exec.Outcome{}, nil
			}},
		"takes a command that was stopped for done": {`rule "stopped midway" is broken`,
			func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if ctx.Err() != nil {
					return exec.Outcome{}, context.Cause(ctx)
				}
				_, _ = w.Runner.Run(ctx, gate.Command{Run: "true"})
				return exec.Outcome{}, nil
			}},
		"says any error midway": {`rule "stopped midway" is broken`,
			func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if ctx.Err() != nil {
					return exec.Outcome{}, context.Cause(ctx)
				}
				if _, err := w.Runner.Run(ctx, gate.Command{Run: "true"}); err != nil {
					return exec.Outcome{}, errors.New("no")
				}
				return exec.Outcome{}, nil
			}},
		"changes its work": {"changed the work",
			does(func(_ context.Context, w exec.Work) { w.Step.Description += "!" })},
		"writes files later": {"changed the workspace after it had returned",
			later(func(w exec.Work) { _ = os.WriteFile(filepath.Join(w.Dir, "late"), nil, 0o644) })},
		"writes output later": {"wrote to Output after it had returned", later(func(w exec.Work) {
			if w.Output != nil {
				_, _ = w.Output.Write([]byte("late"))
			}
		})},
		"leaves a goroutine": {"a goroutine goes on",
			does(func(context.Context, exec.Work) { go time.Sleep(3 * time.Second) })},
	} {
		t.Run(name, func(t *testing.T) {
			broken(t, tt.want, func(t testing.TB) { exectest.RunExecutor(t, tt.x, work(t)) })
		})
	}
}

// TestExecutorSuiteFindsProcesses that an executor leaves running.
func TestExecutorSuiteFindsProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for on Linux")
	}
	x := does(func(_ context.Context, w exec.Work) {
		if err := osexec.Command("sleep", "3").Start(); err != nil {
			t.Error(err)
		}
	})
	broken(t, "(sleep) goes on after it returned", func(t testing.TB) { exectest.RunExecutor(t, x, work(t)) })
}
