// Package intent runs the tests that steps were written for: red before the
// fix, green after it. Its gate blocks the step (level 1) and is asked during
// and at the end.
//
// A test that was never seen to fail proves nothing when it passes. That is why
// the red phase is judged, and why a test that fails because it does not
// compile is red: what it calls is not there yet. It must fail in a file that
// the step wrote: one that fails for want of a folder would fail whatever
// anybody wrote.
//
// Between red and green the files of a test are frozen: each must be, by its
// digest, what it was when it failed. Only a step that writes a test itself may
// change them, and then those that it changed must fail again.
package intent

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that runs the tests that steps were written for.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "test-intent",
		Doc:     "The test of a test_intent must fail at the end of its step (a test that does not compile has failed), in a file that the step changed and that the command runs or names; pass at the end of the step that fixes it, with the files as they were when it failed; and pass at the end of the run. A file that is called like a test counts as run. A command that is not found decides nothing; a test program that says that it ran no test has not passed.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During, gate.Final}, Stateless: true,
	}, noIntent, judgeIntent)
}

// judgeIntent runs the test that the step wrote, which must fail, and those of
// earlier steps that it fixes, which must pass.
func judgeIntent(ctx context.Context, pass *gate.Pass) error {
	if pass.Phase == gate.Final {
		return allGreen(ctx, pass)
	}
	if noIntent(pass) {
		pass.Nothingf("no test is to fail or to pass here")
	}
	if t := pass.Step.TestIntent; t != nil {
		if err := red(ctx, pass, t); err != nil {
			return err
		}
	}
	if err := frozen(ctx, pass); err != nil {
		return err
	}
	for _, t := range pass.OpenIntents {
		if t.FixedBy == pass.Step.Address {
			if err := green(ctx, pass, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// allGreen runs every test of the plan once at its end, however many steps
// share it. One that fails is put down to the step that had it pass.
func allGreen(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return fmt.Errorf("test-intent: the pass has no plan")
	}
	var seen []string
	for t := range pass.Plan.Tasks {
		for s := range pass.Plan.Tasks[t].Steps {
			intent := pass.Plan.Tasks[t].Steps[s].TestIntent
			if intent == nil || slices.Contains(seen, intent.Test) {
				continue
			}
			seen = append(seen, intent.Test)
			if err := green(ctx, pass, intent); err != nil {
				return err
			}
		}
	}
	if len(seen) == 0 {
		pass.Nothingf("no step was to write a test first")
	}
	return nil
}

// green wants the test of an intent to pass, and says what the plan says its
// failure means.
func green(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) error {
	r, err := runTest(ctx, pass, t)
	if err != nil {
		return err
	}
	f := gate.Finding{Code: code.TestNotGreen, Happened: say.Ended(r)}
	when := "still fails after the fix"
	if pass.Phase == gate.Final {
		f.About, when = string(t.FixedBy), "fails at the end"
	}
	switch {
	case r.Exit != 0:
		f.Message, f.Expected = fmt.Sprintf("%q %s", t.Test, when), fmt.Sprintf("status 0 of %q", t.Test)
		if t.FailureMeans != "" {
			f.Message += ", which means: " + t.FailureMeans
		}
		pass.Report(f)
		return nil
	case testfirst.Untested(r.Output):
		f.Message, f.Expected = fmt.Sprintf("%q runs no test", t.Test), fmt.Sprintf("a test that passes, of %q", t.Test)
		pass.Report(f)
		return nil
	}
	pass.Evidencef("%q passes", t.Test)
	return nil
}

// runTest runs the command of an intent. A shell that does not find or may not
// run it has tested nothing.
func runTest(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) (gate.CommandResult, error) {
	r, err := command.Run(ctx, pass, gate.Command{Run: t.Test})
	if err == nil && (r.Exit == 126 || r.Exit == 127) {
		err = fmt.Errorf("test-intent: %q could not be run: %s", t.Test, say.Ended(r))
	}
	return r, err
}

// noIntent reports whether no test is to be run.
func noIntent(pass *gate.Pass) bool {
	return pass.Phase != gate.Final && pass.Step != nil && pass.Step.TestIntent == nil && len(pass.OpenIntents) == 0
}
