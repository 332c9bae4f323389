package intent

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// red wants the test of an intent to fail, in a file that the step changed: one
// that passes before the fix does not show what it is for. A test that does not
// compile has failed. A command that is not there decides nothing.
func red(ctx context.Context, pass *gate.Pass, t *plan.TestIntent) error {
	wrote := testfirst.Of(t.Test, pass.Changes)
	if len(wrote) == 0 {
		pass.Report(gate.Finding{Code: code.TestNotRed,
			Message:  fmt.Sprintf("the step changed no test: %q runs and names none of the files that changed", t.Test),
			Expected: "a test that shows " + shown(t), Happened: "no test file changed"})
		return nil
	}
	r, err := runTest(ctx, pass, t)
	if err != nil {
		return err
	}
	if r.Exit == 0 {
		pass.Report(gate.Finding{Code: code.TestNotRed,
			Message:  fmt.Sprintf("%q passes before the fix, so it does not show %s", t.Test, shown(t)),
			Expected: "a status other than 0 until step " + string(t.FixedBy), Happened: say.Ended(r)})
		return nil
	}
	text := func(file string) string { return after(ctx, pass, file) }
	if why := testfirst.Elsewhere(t.Test, r.Exit, r.Output, wrote, text); why != "" {
		pass.Report(gate.Finding{Code: code.TestNotRed, Path: wrote[0],
			Message:  fmt.Sprintf("%q fails, but not in what the step wrote: %s", t.Test, why),
			Expected: "a failure of the test in " + wrote[0], Happened: say.Ended(r)})
		return nil
	}
	pass.Evidencef("%q fails before the fix, with status %d", t.Test, r.Exit)
	return nil
}

// after is what a changed file holds now; "" if it cannot be read.
func after(ctx context.Context, pass *gate.Pass, file string) string {
	for _, c := range pass.Changes {
		if c.Path == file && content.Readable(c.After) {
			text, err := content.Of(ctx, pass, *c.After)
			if err != nil {
				return ""
			}
			return string(text)
		}
	}
	return ""
}

// frozen wants the files of each test that is open to be what they were when it
// failed. A step that writes a test may change them, if the test fails still.
func frozen(ctx context.Context, pass *gate.Pass) error {
	latest := map[string]*gate.Frozen{} // by path
	for i := range pass.Frozen {
		for _, f := range pass.Frozen[i].Files {
			latest[f.Path] = &pass.Frozen[i]
		}
	}
	var again []*plan.TestIntent
	for i := range pass.Frozen {
		for _, was := range pass.Frozen[i].Files {
			f := latest[was.Path]
			if f != &pass.Frozen[i] || unmoved(pass, was) {
				continue
			}
			if pass.Step.TestIntent == nil || f.Intent.FixedBy == pass.Step.Address {
				thawed(pass, f, was)
			} else if !slices.Contains(again, f.Intent) {
				again = append(again, f.Intent)
			}
		}
	}
	for _, t := range again {
		if err := red(ctx, pass, t); err != nil {
			return err
		}
	}
	return nil
}

// unmoved reports whether a file is what it was.
func unmoved(pass *gate.Pass, was ledger.Entry) bool {
	if pass.After == nil {
		return true
	}
	is, ok := pass.After.Lookup(was.Path)
	return ok && is.Digest == was.Digest
}

// thawed says that a test is not the one any more that failed.
func thawed(pass *gate.Pass, f *gate.Frozen, was ledger.Entry) {
	happened := "it is gone"
	if is, ok := pass.After.Lookup(was.Path); ok {
		happened = fmt.Sprintf("digest %s", is.Digest)
	}
	pass.Report(gate.Finding{Code: code.TestChanged, Path: was.Path,
		Message: fmt.Sprintf("%q is not the test any more that failed at the end of step %s: until step %s makes it pass, "+
			"only a step that writes a test may change it", was.Path, f.By, f.Intent.FixedBy),
		Expected: fmt.Sprintf("digest %s", was.Digest), Happened: happened})
}

// shown is what a test is to show, in the words of the plan if it has any.
func shown(t *plan.TestIntent) string {
	if t.Behavior == "" {
		return "what is to be mended"
	}
	return strconv.Quote(t.Behavior)
}
