package gatetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/plan"
)

// A rule is one promise of gate.Gate and how it is tried.
type rule struct {
	name string
	rule string
	try  func(t testing.TB, g gate.Gate) error
}

var rules = []rule{
	{"info", "Info is valid: a name, a sentence, a level, phases, a time-out within the level's bounds", validInfo},
	{"constant", "Info is the same on every call", constantInfo},
	{"changes", "Judge does not panic where paths and symbols were created, modified and deleted", changes},
	{"bare", "Judge does not panic where a pass has little in it: in planning and final no step, " +
		"in planning, before and final no output and no account, in during and after both", bare},
	{"cancelled", "Judge returns soon when its context has ended", cancelled},
	{"stopped", "Judge returns soon when its context ends while a command runs", stopped},
	{"concurrent", "Judge may be called at once for several passes, and says the same as alone", concurrent},
	{"untouched", "Judge changes neither what the pass refers to nor the workspace", untouched},
	{"forgets", "Judge keeps nothing of the pass after it returned", forgets},
	{"reviewed", "a review names its reviewer and each criterion, " +
		"and what it cites is in the tree or was changed", reviewed},
	{"ends", "what Judge started has ended when it returns", endsAll},
}

// Run checks a gate against the rules of gate.Gate. Each rule is a subtest of a
// *testing.T; each that is broken is an error of t.
func Run(t testing.TB, g gate.Gate) {
	t.Helper()
	for _, r := range rules {
		suite.Try(t, r.name, r.rule, func(t testing.TB) error { return r.try(t, g) })
	}
}

// patience is how long a gate may take to notice that it should stop.
const patience = 5 * time.Second

func validInfo(_ testing.TB, g gate.Gate) error {
	return (&panel.Panel{Gates: []gate.Gate{g}}).Validate()
}

// constantInfo wants the same description each time: runs are bound to it.
func constantInfo(_ testing.TB, g gate.Gate) error {
	if a, b := g.Info(), g.Info(); !reflect.DeepEqual(a, b) {
		return fmt.Errorf("first %+v, then %+v", a, b)
	}
	return nil
}

func changes(t testing.TB, g gate.Gate) error { return calm(t, g, sample(t)) }

func bare(t testing.TB, g gate.Gate) error {
	return calm(t, g, &gate.Pass{Plan: &plan.Plan{}, Dir: t.TempDir()})
}

// calm: a gate does not panic about a pass, in any of its phases.
func calm(t testing.TB, g gate.Gate, about *gate.Pass) error {
	var errs []error
	for _, phase := range g.Info().Phases {
		pass := about.Fresh()
		pass.Phase = phase
		if pass.Step == nil && phase != gate.Planning && phase != gate.Final {
			pass.Task = &plan.Task{}
			pass.Step = &plan.Step{}
		}
		if attempted(phase) && pass.Output == nil {
			pass.Output = &gate.Output{} // an executor that says nothing
		}
		j := Judge(t.Context(), g, pass)
		var panicked *gate.PanicError
		if errors.As(j.Err, &panicked) {
			errs = append(errs, fmt.Errorf("in phase %s: %w\n%s", phase, panicked, panicked.Stack))
		}
	}
	return errors.Join(errs...)
}

func cancelled(t testing.TB, g gate.Gate) error {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return returns(g, sample(t), ctx)
}

// hanging is a runner whose commands end only when they are told to.
type hanging struct {
	once  *sync.Once
	begun chan struct{}
}

func (h hanging) Run(ctx context.Context, _ gate.Command) (gate.CommandResult, error) {
	h.once.Do(func() { close(h.begun) })
	<-ctx.Done()
	return gate.CommandResult{}, context.Cause(ctx)
}

// stopped cancels a gate whose command hangs. It must return soon.
func stopped(t testing.TB, g gate.Gate) error {
	pass := sample(t)
	h := hanging{&sync.Once{}, make(chan struct{})}
	pass.Runner = h
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- returns(g, pass, ctx) }()
	select {
	case err := <-done: // it runs no command
		return err
	case <-h.begun:
		cancel()
		return <-done
	}
}

// returns calls the gate without a panel, and complains if it goes on for long
// after ctx ended.
func returns(g gate.Gate, pass *gate.Pass, ctx context.Context) error {
	own := alone(g).Prepare(ready(pass, g.Info().Phases[0]))
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // another rule tells of panics
		_ = g.Judge(ctx, own)            // so it does of what it says
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("it still runs %v after its context ended", patience)
	}
}

// concurrent asks the gate several times at once, and wants one answer.
func concurrent(t testing.TB, g gate.Gate) error {
	pass := sample(t)
	alone, err := said(Judge(t.Context(), g, pass))
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	answers := make([]string, 8)
	errs := make([]error, len(answers))
	for i := range answers {
		wg.Go(func() { answers[i], errs[i] = said(Judge(t.Context(), g, pass)) })
	}
	wg.Wait()
	for i, a := range answers {
		if errs[i] == nil && a != alone {
			errs[i] = fmt.Errorf("alone it says %s, among others %s", alone, a)
		}
	}
	return errors.Join(errs...)
}

// said is a judgement without the time that it took.
func said(j gate.Judgement) (string, error) {
	j.Took = 0
	text, err := json.Marshal(j)
	return string(text), err
}

// untouched wants the pass as it was, in every phase, where no panel keeps it apart.
func untouched(t testing.TB, g gate.Gate) error {
	pass := sample(t)
	before, err := picture(pass)
	if err != nil {
		return err
	}
	for _, phase := range g.Info().Phases {
		func() {
			defer func() { _ = recover() }() // another rule tells of panics
			_ = g.Judge(t.Context(), alone(g).Prepare(ready(pass, phase)))
		}()
	}
	after, err := picture(pass)
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("the pass was\n%s\nand became\n%s", before, after)
	}
	if was, is := pass.After.Digest(), scanTree(t, pass.Dir).Digest(); was != is {
		return fmt.Errorf("the workspace was %s and became %s", was.Short(), is.Short())
	}
	return nil
}

// picture is all that a pass refers to and that can be written down.
func picture(pass *gate.Pass) (string, error) {
	text, err := json.Marshal(map[string]any{"plan": pass.Plan, "draft": pass.Draft.Plan, "step": pass.Step,
		"changes": pass.Changes,
		"symbols": pass.Symbols, "lines": pass.Lines, "output": pass.Output, "introduced": pass.Introduced,
		"open": pass.OpenIntents, "feedback": pass.Feedback, "judged": pass.Judged})
	return string(text), err
}
