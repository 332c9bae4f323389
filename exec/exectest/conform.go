package exectest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/suite"
)

// errStop is what the suites stop calls with.
var errStop = errors.New("exectest: stopped by the suite")

// patience is how long a call may take that was told to stop.
const patience = 10 * time.Second

// try tries one rule of a port; see package suite.
func try(t testing.TB, name, rule string, do func() error) {
	t.Helper()
	suite.Try(t, name, rule, func(testing.TB) error { return do() })
}

// RunEscalator checks an escalator against the rules of [ask.Escalator].
func RunEscalator(t testing.TB, x ask.Escalator) {
	t.Helper()
	q := ask.Question{ID: "q1", Run: "01J00000000000000000000000", Step: "1.1", Attempt: 1, Kind: ask.StepFailed,
		What: "step 1.1 failed", Why: "nothing else is left to try",
		Choices: []ask.Choice{
			{Key: "r", Label: "run it again", Consequence: "one more attempt"},
			{Key: "x", Label: "give it up", Consequence: "the run ends", Acknowledge: "give 1.1 up"},
		},
		Asked: time.Now().UTC(),
	}
	before := spelled(q)
	try(t, "stopped", "Ask returns an error when its context has ended", func() error {
		return stops(func(ctx context.Context) error {
			_, err := x.Ask(ctx, q)
			return err
		})
	})
	try(t, "answers", "Ask answers the question that it is asked and no other, with one of the choices, or returns an "+
		"error that wraps ask.ErrNoAnswer or ask.ErrLater", func() error { return escalatorAnswers(x, q) })
	try(t, "untouched", "Ask leaves the question as it was",
		func() error { return same(before, spelled(q), "it changed the question") })
}

// escalatorAnswers holds an answer against its question. Not to answer is
// allowed, in the words that there are for it.
func escalatorAnswers(x ask.Escalator, q ask.Question) error {
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

// RunAdvisor checks an advisor against the rules of [advice.Advisor]. c is a case
// that it can be asked about.
func RunAdvisor(t testing.TB, x advice.Advisor, c advice.Case) {
	t.Helper()
	before := spelledCase(c)
	advise := func(ctx context.Context) error {
		_, err := x.Advise(ctx, c)
		return err
	}
	try(t, "stopped", "Advise returns an error when its context has ended", func() error { return stops(advise) })
	try(t, "advises", "Advise names its advisor, gives its figures between 0 and 1, and a patch that can be applied",
		func() error { return advisorAdvises(x, c) })
	try(t, "nothing", "Advise says advice.ErrNothing where it has nothing to say",
		func() error { return advisorSaysNothing(x) })
	try(t, "concurrent", "Advise serves calls at a time", func() error {
		return twice(func() error { return nothingIsFine(advise(context.Background())) })
	})
	try(t, "untouched", "Advise leaves the case as it was",
		func() error { return same(before, spelledCase(c), "it changed the case") })
}

func spelledCase(c advice.Case) string {
	return spelled(c.Plan, c.Task, c.Step, c.Method, c.Failure, c.Attempts, c.Earlier, c.Criteria, c.Files)
}

// advisorAdvises wants advice that names its advisor, with figures from 0 to 1.
func advisorAdvises(x advice.Advisor, c advice.Case) error {
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

// advisorSaysNothing asks for advice of a kind that does not exist: nothing may
// be proposed.
func advisorSaysNothing(x advice.Advisor) error {
	a, err := x.Advise(context.Background(), advice.Case{Kind: "no such kind"})
	if err == nil && a.Patch != nil {
		return errors.New("it proposes a patch where nothing was asked")
	}
	return nothingIsFine(err)
}

// nothingIsFine lets an advisor have nothing to say, if it says so.
func nothingIsFine(err error) error {
	if err == nil || errors.Is(err, advice.ErrNothing) {
		return nil
	}
	return fmt.Errorf("where it has nothing to say it must say advice.ErrNothing: %w", err)
}

// stops calls with a context that has ended already, and wants the call to come
// back with an error.
func stops(call func(context.Context) error) error {
	said, err := ended(call)
	if err == nil && said == nil {
		return errWentOn
	}
	return err
}

// errWentOn says that a call took no notice of the end of its context.
var errWentOn = errors.New("it went on as if it had not been stopped")

// ended is what a call says whose context has ended already. The error says that
// it does not come back.
func ended(call func(context.Context) error) (said, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStop)
	done := make(chan error, 1)
	go func() { done <- call(ctx) }()
	return back(done)
}

// back is what a call says that was told to stop.
func back(done <-chan error) (said, err error) {
	select {
	case said := <-done:
		return said, nil
	case <-time.After(patience):
		return nil, fmt.Errorf("it did not come back within %s", patience)
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

// same is an error that says why, where two spellings differ.
func same(before, after, why string) error {
	if before != after {
		return errors.New(why)
	}
	return nil
}

// spelled is a value as JSON, to see whether somebody changes it.
func spelled(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
