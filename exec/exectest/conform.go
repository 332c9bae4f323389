package exectest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
)

// errStop is what the suites stop calls with.
var errStop = errors.New("exectest: stopped by the suite")

// patience is how long a call may take that was told to stop.
const patience = 10 * time.Second

// TestExecutor returns what is wrong with an executor, nil if nothing is: it
// must return an error that wraps the cause when its context has ended, leave
// the work that it is given as it was, and serve calls for different steps at a
// time. fresh makes work that it can carry out, in a folder of its own; it is
// called several times.
func TestExecutor(x exec.Executor, fresh func() exec.Work) error {
	return errors.Join(
		named("a call that has been stopped", executorStops(x, fresh())),
		named("a call", executorLeavesWork(x, fresh())),
		named("two calls at a time", twice(func() error {
			_, err := x.Execute(context.Background(), fresh())
			return err
		})),
	)
}

func executorStops(x exec.Executor, w exec.Work) error {
	return stops(func(ctx context.Context) error {
		_, err := x.Execute(ctx, w)
		return err
	})
}

func executorLeavesWork(x exec.Executor, w exec.Work) error {
	before := spelled(w.Task, w.Step, w.Method, w.Feedback)
	if _, err := x.Execute(context.Background(), w); err != nil {
		return err
	}
	if spelled(w.Task, w.Step, w.Method, w.Feedback) != before {
		return errors.New("it changed the work that it was given")
	}
	return nil
}

// TestEscalator returns what is wrong with an escalator, nil if nothing is: it
// must stop when its context ends, answer the question that it is asked and no
// other, with one of the choices, or return an error that wraps
// [ask.ErrNoAnswer] or [ask.ErrLater], and leave the question as it was.
func TestEscalator(x exec.Escalator) error {
	q := ask.Question{
		ID: "q1", Run: "01J00000000000000000000000", Step: "1.1", Attempt: 1, Kind: ask.StepFailed, What: "step 1.1 failed", Why: "nothing else is left to try",
		Choices: []ask.Choice{
			{Key: "r", Label: "run it again", Consequence: "one more attempt"},
			{Key: "x", Label: "give it up", Consequence: "the run ends", Acknowledge: "give 1.1 up"},
		},
		Asked: time.Now().UTC(),
	}
	before := spelled(q)
	err := errors.Join(
		named("a question when it has been stopped", stops(func(ctx context.Context) error {
			_, err := x.Ask(ctx, q)
			return err
		})),
		named("a question", escalatorAnswers(x, q)),
	)
	if spelled(q) != before {
		err = errors.Join(err, errors.New("exectest: it changed the question"))
	}
	return err
}

func escalatorAnswers(x exec.Escalator, q ask.Question) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errStop)
	defer cancel()
	a, err := x.Ask(ctx, q)
	switch {
	case err == nil:
		if a.At.IsZero() {
			a.At = time.Now()
		}
		if a.By == "" {
			return errors.New("the answer does not say who gave it")
		}
		return q.Check(a)
	case errors.Is(err, ask.ErrNoAnswer), errors.Is(err, ask.ErrLater), errors.Is(err, errStop):
		return nil
	}
	return fmt.Errorf("without an answer it must say ask.ErrNoAnswer or ask.ErrLater: %w", err)
}

// TestAdvisor returns what is wrong with an advisor, nil if nothing is: it must
// stop when its context ends, leave the case as it was, give its figures
// between 0 and 1 and its name, serve calls at a time, and say
// [advice.ErrNothing] where it has nothing to say. c is a case that it can be
// asked about.
func TestAdvisor(x exec.Advisor, c advice.Case) error {
	before := spelledCase(c)
	err := errors.Join(
		named("a case when it has been stopped", stops(func(ctx context.Context) error {
			_, err := x.Advise(ctx, c)
			return err
		})),
		named("a case", advisorAdvises(x, c)),
		named("a case of no kind", advisorSaysNothing(x)),
		named("two cases at a time", twice(func() error {
			_, err := x.Advise(context.Background(), c)
			return nothingIsFine(err)
		})),
	)
	if spelledCase(c) != before {
		err = errors.Join(err, errors.New("exectest: it changed the case"))
	}
	return err
}

func spelledCase(c advice.Case) string {
	return spelled(c.Plan, c.Task, c.Step, c.Method, c.Failure, c.Attempts, c.Earlier, c.Criteria, c.Files)
}

func advisorAdvises(x exec.Advisor, c advice.Case) error {
	a, err := x.Advise(context.Background(), c)
	if err != nil {
		return nothingIsFine(err)
	}
	if a.Advisor == "" {
		return errors.New("the advice does not name its advisor")
	}
	for _, figure := range []float64{a.Confidence, a.Severity, a.Risk} {
		if !(figure >= 0 && figure <= 1) {
			return fmt.Errorf("a figure is %v, and must be between 0 and 1", figure)
		}
	}
	if a.Patch != nil {
		if _, err := a.Patch.Apply(c.Method); err != nil {
			return fmt.Errorf("its patch: %w", err)
		}
	}
	return nil
}

func advisorSaysNothing(x exec.Advisor) error {
	a, err := x.Advise(context.Background(), advice.Case{Kind: "no such kind"})
	if err == nil && a.Patch != nil {
		return errors.New("it proposes a patch where nothing was asked")
	}
	return nothingIsFine(err)
}

func nothingIsFine(err error) error {
	if err == nil || errors.Is(err, advice.ErrNothing) {
		return nil
	}
	return fmt.Errorf("where it has nothing to say it must say advice.ErrNothing: %w", err)
}

// stops calls with a context that has ended already, and wants the call to come
// back with the cause, or an error of its own kind.
func stops(call func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStop)
	done := make(chan error, 1)
	go func() { done <- call(ctx) }()
	select {
	case err := <-done:
		if err == nil {
			return errors.New("it went on as if it had not been stopped")
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("it did not come back within %s", patience)
	}
}

// twice makes two calls at a time; the race detector has more to say than this.
func twice(call func() error) error {
	var calls sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		calls.Go(func() { errs[i] = call() })
	}
	calls.Wait()
	return errors.Join(errs...)
}

func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("exectest: %s: %w", what, err)
}

// spelled is a value as JSON, to see whether somebody changes it.
func spelled(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
