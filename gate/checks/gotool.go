package checks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/plan"
)

// goBuild: the packages compile.
func goBuild(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	return goTool(ctx, pass, c, nil, "build", "-o", os.DevNull)
}

// goVet: go vet has no complaints.
func goVet(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	return goTool(ctx, pass, c, nil, "vet")
}

// goTest: the tests pass. Where run picks tests, at least one must be picked.
// Results are never taken from the cache.
func goTest(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	if c.Run == "" {
		return goTool(ctx, pass, c, nil, "test", "-count=1")
	}
	ran := &search{text: "=== RUN "}
	v, err := goTool(ctx, pass, c, ran, "test", "-count=1", "-v", "-run", c.Run)
	if err == nil && v.Result == gate.Passed && !ran.found {
		v = gate.Breaks(gate.Finding{Message: fmt.Sprintf("no test of %q matches %q", packageOf(c), c.Run), Happened: "no tests to run"})
	}
	return v, err
}

// packageOf is the package of a check, by itself the one in the workspace's own
// folder.
func packageOf(c plan.Check) string {
	if c.Package == "" {
		return "."
	}
	return c.Package
}

// goTool runs a command of the go tool about the package of a check, which
// holds where the status is 0. A package that begins with a dash would be taken
// for a flag, and is refused.
func goTool(ctx context.Context, pass *gate.Pass, c plan.Check, out *search,
	args ...string) (gate.Verdict, error) {
	pkg := packageOf(c)
	if strings.HasPrefix(pkg, "-") {
		return gate.Verdict{}, fmt.Errorf("checks: %s: package %q begins with a dash; write ./ before it", c.Kind, pkg)
	}
	cmd := gate.Command{Args: slices.Concat([]string{"go"}, args, []string{pkg}), Compiles: args[0] != "test"}
	if out != nil {
		cmd.Stdout = out
	}
	r, err := command.Run(ctx, pass, cmd)
	if err != nil {
		return gate.Verdict{}, err
	}
	if r.Exit != 0 {
		return gate.Breaks(gate.Finding{Message: fmt.Sprintf("%q ended with status %d", cmd.String(), r.Exit),
			Expected: "status 0", Happened: say.Ended(r)}), nil
	}
	return gate.Holds(fmt.Sprintf("%q ended with status 0", cmd.String())), nil
}
