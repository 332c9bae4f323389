package standard

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// testIntent runs the tests that steps were written for.
func testIntent() gate.Gate {
	return gate.NewQuick(info("test-intent",
		"The test of a test_intent must fail at the end of its step (a test that does not compile has failed), pass at the end of the step that fixes it, and pass at the end of the run; a command that is not found decides nothing.",
		gate.BlocksStep, gate.During, gate.Final), noIntent, judgeIntent)
}

func judgeIntent(ctx context.Context, pass *gate.Pass) error {
	if pass.Phase == gate.Final {
		return allGreen(ctx, pass)
	}
	if pass.Step == nil {
		return fmt.Errorf("standard: test-intent: the pass has no step")
	}
	if t := pass.Step.TestIntent; t != nil {
		if err := red(ctx, pass, t); err != nil {
			return err
		}
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

func allGreen(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return fmt.Errorf("standard: test-intent: the pass has no plan")
	}
	var seen []string
	var failed error
	eachStep(pass.Plan, func(s *plan.Step) {
		if s.TestIntent == nil || failed != nil || slices.Contains(seen, s.TestIntent.Test) {
			return
		}
		seen = append(seen, s.TestIntent.Test)
		failed = green(ctx, pass, s.TestIntent)
	})
	return failed
}

func red(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) error {
	r, err := runTest(ctx, pass, t)
	if err != nil {
		return err
	}
	if r.Exit == 0 {
		pass.Report(gate.Finding{Code: gate.CodeTestNotRed,
			Message:  fmt.Sprintf("%q passes before the fix, so it does not show %q", t.Test, t.Behavior),
			Expected: "a status other than 0 until step " + string(t.FixedBy), Happened: ended(r)})
		return nil
	}
	pass.Evidencef("%q fails before the fix, with status %d", t.Test, r.Exit)
	return nil
}

func green(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) error {
	r, err := runTest(ctx, pass, t)
	if err != nil {
		return err
	}
	if r.Exit != 0 {
		message := fmt.Sprintf("%q still fails after the fix", t.Test)
		if t.FailureMeans != "" {
			message += ", which means: " + t.FailureMeans
		}
		pass.Report(gate.Finding{Code: gate.CodeTestNotGreen, Message: message, Expected: "status 0", Happened: ended(r)})
		return nil
	}
	pass.Evidencef("%q passes", t.Test)
	return nil
}

// runTest runs the command of an intent. A shell that does not find or may not run it has tested nothing.
func runTest(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) (gate.CommandResult, error) {
	r, err := run(ctx, pass, gate.Command{Run: t.Test})
	if err == nil && (r.Exit == 126 || r.Exit == 127) {
		err = fmt.Errorf("standard: test-intent: %q could not be run: %s", t.Test, ended(r))
	}
	return r, err
}

// covered reports whether the tests of a folder may be open: an intent whose test covers it waits for a later step.
func covered(pass *gate.Pass, folder string) bool {
	if pass.Step == nil {
		return false
	}
	if t := pass.Step.TestIntent; t != nil && covers(t.Test, folder) {
		return true
	}
	return slices.ContainsFunc(pass.OpenIntents, func(t *plan.TestIntent) bool {
		return t.FixedBy != pass.Step.Address && covers(t.Test, folder)
	})
}

// covers reports whether a test command looks at a folder. A command that names no folder is not understood
// and covers all.
func covers(test, folder string) bool {
	named := false
	for _, word := range strings.Fields(test) {
		word = strings.Trim(word, `'"`)
		if !strings.HasPrefix(word, ".") {
			continue
		}
		named = true
		stem, below := strings.CutSuffix(word, "...")
		stem = path.Clean(stem)
		if stem == "." {
			stem = ""
		}
		if folder == stem || below && (stem == "" || strings.HasPrefix(folder, stem+"/")) {
			return true
		}
	}
	return !named && (folder == "" || !bareGoTest(test))
}

// bareGoTest reports whether a command is go test without packages, which means the root.
func bareGoTest(test string) bool {
	return strings.HasPrefix(strings.TrimSpace(test), "go test") && !strings.ContainsAny(test, ";&|/")
}
