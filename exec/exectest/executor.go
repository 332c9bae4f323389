package exectest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/ledger/scan"
)

// An executorRule is one promise of exec.Executor, and how it is tried with
// work that the executor can carry out.
type executorRule struct {
	name string
	rule string
	try  func(x exec.Executor, fresh func() exec.Work) error
}

var executorRules = []executorRule{
	{"stopped", "Execute returns an error that wraps context.Cause when its context has ended", executorStops},
	{"stopped midway", "Execute stops when its context ends while it works, and says so", executorStopsMidway},
	{"untouched", "Execute leaves the work that it is given as it was", executorLeavesWork},
	{"quiet", "nothing is written to the workspace or to Output once Execute has returned", executorIsQuiet},
	{"ends", "goroutines and processes that Execute started have ended when it returns", executorEnds},
	{"concurrent", "Execute serves calls for different steps at a time", executorServesTwo},
}

// RunExecutor checks an executor against the rules of [exec.Executor]. fresh
// makes work that it can carry out, in a folder of its own; it is called several
// times. Here as in the other suites each rule is a subtest of a *testing.T, and
// each that is broken is an error of t.
//
// Processes are looked for on Linux: those that this process started meanwhile
// and those that work in the folder. No other test should start one at the same
// time.
func RunExecutor(t testing.TB, x exec.Executor, fresh func() exec.Work) {
	t.Helper()
	for _, r := range executorRules {
		try(t, r.name, r.rule, func() error { return r.try(x, fresh) })
	}
}

// executorStops cancels the work, which must end soon, with the reason.
func executorStops(x exec.Executor, fresh func() exec.Work) error {
	said, err := ended(func(ctx context.Context) error {
		_, err := x.Execute(ctx, fresh())
		return err
	})
	return errors.Join(err, ofStop(said, err == nil))
}

// ofStop is nil for the error of an executor that was stopped.
func ofStop(said error, back bool) error {
	switch {
	case !back || errors.Is(said, errStop):
		return nil
	case said == nil:
		return errWentOn
	}
	return fmt.Errorf("its error does not wrap context.Cause: %w", said)
}

// soon is how long an executor that was stopped may take to come to its end
// nevertheless.
const soon = time.Second

// executorStopsMidway stops an executor once it runs a command, which does not
// end before, or writes, or after some time.
func executorStopsMidway(x exec.Executor, fresh func() exec.Work) error {
	w, signs := fresh(), &signs{alive: make(chan struct{}), over: make(chan struct{})}
	defer close(signs.over)
	if w.Output = signs; w.Runner != nil {
		w.Runner = hanging{signs}
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(errStop)
	done := make(chan error, 1)
	go func() {
		_, err := x.Execute(ctx, w)
		done <- err
	}()
	select {
	case err := <-done: // there was no time to stop it
		return err
	case <-signs.alive:
	case <-time.After(soon / 50):
	}
	stopped := time.Now()
	stop(errStop)
	said, err := back(done)
	if said == nil && !signs.runs.Load() && time.Since(stopped) < soon {
		return err // it was as good as done
	}
	return errors.Join(err, ofStop(said, err == nil))
}

// signs are signs of life of an executor.
type signs struct {
	once  sync.Once
	alive chan struct{} // closed by the first sign
	runs  atomic.Bool   // a command
	over  chan struct{} // closed once nobody waits for it any more
}

// Write is a sign of life.
func (s *signs) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.alive) })
	return len(b), nil
}

// A hanging runner runs commands that end only when they are told to.
type hanging struct{ *signs }

// Run ends when it is cancelled, or the test is over.
func (h hanging) Run(ctx context.Context, _ gate.Command) (gate.CommandResult, error) {
	h.runs.Store(true)
	h.once.Do(func() { close(h.alive) })
	select {
	case <-ctx.Done():
		return gate.CommandResult{}, context.Cause(ctx)
	case <-h.over:
		return gate.CommandResult{}, errStop
	}
}

// executorLeavesWork wants the work unchanged: other attempts are given the
// same.
func executorLeavesWork(x exec.Executor, fresh func() exec.Work) error {
	w := fresh()
	before := spelled(w.Task, w.Step, w.Method, w.Briefing, w.Feedback)
	if _, err := x.Execute(context.Background(), w); err != nil {
		return err
	}
	return same(before, spelled(w.Task, w.Step, w.Method, w.Briefing, w.Feedback), "it changed the work that it was given")
}

// executorIsQuiet looks at the workspace and the output for a moment.
func executorIsQuiet(x exec.Executor, fresh func() exec.Work) error {
	w, out := fresh(), &late{}
	w.Output = out
	_, err := x.Execute(context.Background(), w)
	out.returned.Store(true)
	before, scanned := (&scan.Scanner{}).Scan(context.Background(), w.Dir, nil)
	if err := errors.Join(err, scanned); err != nil {
		return err
	}
	time.Sleep(suite.Moment / 2)
	after, err := (&scan.Scanner{}).Scan(context.Background(), w.Dir, nil)
	switch {
	case err != nil:
		return err
	case before.Digest() != after.Digest():
		return errors.New("it changed the workspace after it had returned")
	case out.written.Load():
		return errors.New("it wrote to Output after it had returned")
	}
	return nil
}

// late notes whether something is written after an executor returned.
type late struct{ returned, written atomic.Bool }

// Write notes what comes after the executor returned.
func (l *late) Write(b []byte) (int, error) {
	if l.returned.Load() {
		l.written.Store(true)
	}
	return len(b), nil
}

// executorEnds looks for goroutines and processes that go on.
func executorEnds(x exec.Executor, fresh func() exec.Work) error {
	w := fresh()
	before := processes(w.Dir)
	var err error
	left := suite.Ends(context.Background(), func(ctx context.Context) { _, err = x.Execute(ctx, w) })
	return errors.Join(err, left, suite.Soon(func() error {
		for pid, name := range processes(w.Dir) {
			if before[pid] == "" {
				return fmt.Errorf("process %d (%s) goes on after it returned", pid, name)
			}
		}
		return nil
	}))
}

// executorServesTwo carries out two steps at once.
func executorServesTwo(x exec.Executor, fresh func() exec.Work) error {
	return twice(func() error {
		_, err := x.Execute(context.Background(), fresh())
		return err
	})
}
