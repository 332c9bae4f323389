package exec

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// sandbox is what the plan asks for, as far as the host lets it.
func (e *execution) sandbox() (process.Sandbox, int64, error) {
	box, output, err := process.FromPlan(e.plan.Sandbox)
	if err != nil {
		return box, 0, fmt.Errorf("exec: %w", err)
	}
	if e.c.NoSandbox {
		box.Level, box.NoNetwork = process.None, false
	}
	box.Workspace = e.work.Dir
	box.Protect = append(box.Protect, e.work.Scanner.Scope.Own...)
	if e.work.Dir != e.work.Root {
		box.Protect = append(box.Protect, e.aroundClone()...)
	}
	return box, output, nil
}

// aroundClone is what of the controller's own lies around the clone of an
// isolated run, and must not be written by what runs in it.
func (e *execution) aroundClone() []string {
	protect := []string{filepath.Join(e.work.Root, ".git")}
	// Down the way to the clone, everything that is not on it.
	for at := e.work.Dir; at != e.work.Root; at = filepath.Dir(at) {
		entries, err := os.ReadDir(filepath.Dir(at))
		if err != nil || filepath.Dir(at) == e.work.Root {
			break
		}
		for _, entry := range entries {
			if path := filepath.Join(filepath.Dir(at), entry.Name()); path != at {
				protect = append(protect, path)
			}
		}
	}
	return protect
}

// runner runs commands for a step, or for gates where step is nil.
func (e *execution) runner(step *plan.Step) *runner {
	box, output, err := e.sandbox()
	if step != nil && step.Access != nil && step.Access.Writes != nil {
		box.Writes = step.Access.Writes
	}
	return &runner{err: err, env: e.plan.Sandbox.Env, inner: process.Runner{
		Dir:         e.work.Dir,
		Sandbox:     box,
		OutputLimit: output,
	}}
}

// A runner remembers whether it ran anything: if it did, the tree must be
// looked at again before it is trusted.
type runner struct {
	inner process.Runner // without an environment
	env   []string       // variables that commands get besides those that all get
	err   error
	ran   atomic.Bool
}

// equipped is what runs a command. Most steps run none in most of their phases,
// so that nothing is made ready before.
func (r *runner) equipped() *process.Runner {
	inner := r.inner
	inner.Env = process.Environment(r.env)
	return &inner
}

// Run runs a command in the sandbox of the plan.
func (r *runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	if r.err != nil {
		return gate.CommandResult{Exit: -1}, r.err
	}
	r.ran.Store(true)
	return r.equipped().Run(ctx, c)
}

// RunLive is Run for executors that want standard error as it comes.
func (r *runner) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	if r.err != nil {
		return gate.CommandResult{Exit: -1}, r.err
	}
	r.ran.Store(true)
	return r.equipped().RunLive(ctx, c, stderr)
}
