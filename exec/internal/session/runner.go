package session

import (
	"context"
	"io"
	"path/filepath"
	"sync/atomic"

	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// A Runner remembers whether it ran anything: if it did, the tree must be
// looked at again before it is trusted.
type Runner struct {
	inner process.Runner // without an environment
	env   []string       // variables that commands get besides those that all get
	err   error
	dir   string // where steps work, which commands may see at another path
	ran   atomic.Bool
	judge bool // runs commands that judge, which see nothing of what those of steps left in their caches
	own   *scratch.Folders
}

// Judge runs commands that judge what a step did.
func (r *Runner) Judge() gate.CommandRunner { return judge{r} }

type judge struct{ of *Runner }

// Run runs a command in the sandbox of the plan.
func (j judge) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return j.of.run(ctx, c, true, nil)
}

// Ran reports whether anything ran since [Runner.Forget].
func (r *Runner) Ran() bool { return r.ran.Load() }

// Forget forgets what ran so far: the tree was looked at since.
func (r *Runner) Forget() { r.ran.Store(false) }

// Run runs a command in the sandbox of the plan.
func (r *Runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return r.run(ctx, c, r.judge, nil)
}

// RunLive is Run for executors that want standard error as it comes.
func (r *Runner) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	return r.run(ctx, c, r.judge, stderr)
}

// run makes ready what a command needs, and runs it. Most steps run none in
// most of their phases, so that nothing is made ready before.
func (r *Runner) run(ctx context.Context, c gate.Command, judges bool, stderr io.Writer) (gate.CommandResult, error) {
	if r.err != nil {
		return gate.CommandResult{Exit: -1}, r.err
	}
	inner := r.inner
	inner.Env = environ.For(r.env)
	if r.confined() {
		taken, err := r.own.Take(ctx, scratch.Use{Judges: judges, Compiles: c.Compiles, Open: inner.Sandbox.Names,
			Homes: inner.Sandbox.Level != process.Strict})
		if err != nil {
			return gate.CommandResult{Exit: -1}, err
		}
		defer taken.Back()
		inner.Sandbox.Own, inner.Env = taken.Own, environ.Merge(inner.Env, taken.Env)
	}
	r.ran.Store(true)
	c.Dir = r.Seen(c.Dir)
	return inner.RunLive(ctx, c, stderr)
}

// confined reports whether commands cannot write wherever they like.
func (r *Runner) confined() bool {
	reached, err := process.Reach(r.inner.Sandbox)
	return err == nil && reached.Landlock > 0 && r.own != nil
}

// Seen is the path at which commands see a folder.
func (r *Runner) Seen(dir string) string {
	rel, err := filepath.Rel(r.dir, dir)
	if r.inner.Sandbox.View == nil || !filepath.IsAbs(dir) || err != nil || !filepath.IsLocal(rel) {
		return dir
	}
	return filepath.Join(r.inner.Dir, rel)
}
