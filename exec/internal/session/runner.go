package session

import (
	"context"
	"io"
	"path/filepath"
	"sync/atomic"

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
}

// Ran reports whether anything ran since [Runner.Forget].
func (r *Runner) Ran() bool { return r.ran.Load() }

// Forget forgets what ran so far: the tree was looked at since.
func (r *Runner) Forget() { r.ran.Store(false) }

// equipped is what runs a command. Most steps run none in most of their phases,
// so that nothing is made ready before.
func (r *Runner) equipped() *process.Runner {
	inner := r.inner
	inner.Env = environ.For(r.env)
	return &inner
}

// Run runs a command in the sandbox of the plan.
func (r *Runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	if r.err != nil {
		return gate.CommandResult{Exit: -1}, r.err
	}
	r.ran.Store(true)
	c.Dir = r.Seen(c.Dir)
	return r.equipped().Run(ctx, c)
}

// RunLive is Run for executors that want standard error as it comes.
func (r *Runner) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	if r.err != nil {
		return gate.CommandResult{Exit: -1}, r.err
	}
	r.ran.Store(true)
	c.Dir = r.Seen(c.Dir)
	return r.equipped().RunLive(ctx, c, stderr)
}

// Seen is the path at which commands see a folder.
func (r *Runner) Seen(dir string) string {
	rel, err := filepath.Rel(r.dir, dir)
	if r.inner.Sandbox.View == nil || !filepath.IsAbs(dir) || err != nil || !filepath.IsLocal(rel) {
		return dir
	}
	return filepath.Join(r.inner.Dir, rel)
}
