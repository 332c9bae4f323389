// Package sandbox runs commands as a plan wants them run: in its sandbox, with
// its environment and its limits, and none of them outlives the call.
//
// A controller does that by itself. This package is for whoever composes
// another one:
//
//	runner, err := sandbox.Runner(locked.Plan(), dir)
//	result, err := runner.Run(ctx, gate.Command{Run: "go test ./..."})
package sandbox

import (
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/plan"
)

// Runner runs commands in dir. They cannot write the paths of protect, relative
// to dir, besides what is never part of a tree; as far as the plan's level, and
// the machine, can keep them from it. The error is for a sandbox that the plan
// describes wrongly.
func Runner(p *plan.Plan, dir string, protect ...string) (gate.CommandRunner, error) {
	box, output, err := process.FromPlan(p.Sandbox)
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	box.Workspace = dir
	box.Protect = append(box.Protect, protect...)
	return &process.Runner{Dir: dir, Env: environ.For(p.Sandbox.Env), Sandbox: box, OutputLimit: output}, nil
}
