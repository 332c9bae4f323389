// Package sandbox runs commands as a plan wants them run: in its sandbox, with
// its environment and its limits, and none of them outlives the call.
//
// A controller does that by itself. This package is for whoever composes
// another one:
//
//	commands, err := sandbox.Runner(locked.Plan(), dir)
//	defer commands.Close()
//	result, err := commands.Run(ctx, gate.Command{Run: "go test ./..."})
package sandbox

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/plan"
)

// Commands runs commands in one folder. They keep temporary files and caches in
// folders of their own, which begin with what the user's caches hold: nothing
// of that reaches the user. Its methods may be called concurrently, but for
// Close.
type Commands struct {
	inner process.Runner
	own   *scratch.Folders
}

// Runner runs commands in dir. They cannot write the paths of protect, relative
// to dir, besides what is never part of a tree; as far as the plan's level, and
// the machine, can keep them from it. The error is for a sandbox that the plan
// describes wrongly. The caller closes what is returned.
func Runner(p *plan.Plan, dir string, protect ...string) (*Commands, error) {
	box, output, err := process.FromPlan(p.Sandbox)
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	box.Workspace = dir
	box.Protect = append(box.Protect, protect...)
	return &Commands{
		inner: process.Runner{Dir: dir, Env: environ.For(p.Sandbox.Env), Sandbox: box, OutputLimit: output},
		own:   &scratch.Folders{Workspace: dir},
	}, nil
}

// Run runs a command of a step. What it leaves in caches is there for the next
// one. It is a [gate.CommandRunner].
func (c *Commands) Run(ctx context.Context, command gate.Command) (gate.CommandResult, error) {
	return c.run(ctx, command, false)
}

// Judge runs commands that judge what a step did: they see nothing of what
// commands of steps left in caches.
func (c *Commands) Judge() gate.CommandRunner { return judge{c} }

// Home is a folder for the settings and logins of an executor, by its name:
// exec.Work.Home for whoever calls it. Of all commands, those alone see it that
// name it in gate.Command.Private; whoever wants that asks for it before the first
// of them runs. It lasts until Close.
func (c *Commands) Home(ctx context.Context, of string) (string, error) { return c.own.Home(ctx, of) }

// Close removes the folders of the commands, none of which may run any more.
func (c *Commands) Close() error { return c.own.Close(context.Background()) }

func (c *Commands) run(ctx context.Context, command gate.Command, judges bool) (gate.CommandResult, error) {
	inner := c.inner
	if command.Private != "" && (judges || !c.own.Has(command.Private)) {
		return gate.CommandResult{Exit: -1}, fmt.Errorf("exec: %q is not a folder of Commands.Home", command.Private)
	}
	inner.Sandbox.Private, inner.Sandbox.Hidden = command.Private, c.own.Covers(command.Private)
	back, err := c.own.Lend(ctx, &inner, scratch.Use{Judges: judges, Compiles: command.Compiles})
	if err != nil {
		return gate.CommandResult{Exit: -1}, err
	}
	defer back()
	return inner.Run(ctx, command)
}

type judge struct{ of *Commands }

// Run runs a command that judges.
func (j judge) Run(ctx context.Context, command gate.Command) (gate.CommandResult, error) {
	return j.of.run(ctx, command, true)
}
