package session

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// A Runner runs commands in the sandbox of the plan, and remembers whether any
// of them could write where steps work: then that must be looked at again
// before it is trusted.
//
// Where this machine has overlays, none can. What a command writes vanishes when
// it ends, as is right for one that judges; after [Runner.Keep] it is kept in a
// layer, as is right for those of an attempt.
type Runner struct {
	inner   process.Runner // without an environment
	env     []string       // variables that commands get besides those that all get
	err     error
	dir     string          // where steps work, which commands may see at another path
	layers  *layer.Overlays // nil: commands write in dir
	wrote   func()          // is told that one may have
	written atomic.Bool
	judge   bool // runs commands that judge, which see nothing of what those of steps left in their caches
	own     *scratch.Folders
	home    string      // which a command may have for itself; "" if none may
	alone   bool        // commands that do the work have no cache in common with others
	fresh   atomic.Bool // the next one of these finds nothing of earlier ones in what own lends

	walled atomic.Bool // a command of the step had mounts of its own, most of them read-only

	mu    sync.Mutex // while a command runs in kept
	kept  *layer.Layer
	aside bool // no layers, though there are some
}

// Fresh has the commands that follow find nothing in their temporary folders and
// caches that those of other attempts left there, or leave there meanwhile.
func (r *Runner) Fresh() {
	r.alone = true
	r.fresh.Store(true)
}

// Grant lets commands that do the work have a private folder, if they name it.
func (r *Runner) Grant(home string) { r.home = home }

// Judge runs commands that judge what a step did.
func (r *Runner) Judge() gate.CommandRunner { return judge{r} }

type judge struct{ of *Runner }

// Run runs a command in the sandbox of the plan.
func (j judge) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return j.of.run(ctx, c, true, nil)
}

// Seen is the path at which commands see a folder.
func (j judge) Seen(dir string) string { return j.of.Seen(dir) }

// Ran reports whether anything ran since [Runner.Forget] that could write where
// steps work.
func (r *Runner) Ran() bool { return r.written.Load() }

// Forget forgets what ran so far: the tree was looked at since.
func (r *Runner) Forget() { r.written.Store(false) }

// Keep has the commands that follow write in one layer, if this machine has
// any, which gets a number if it has no name. They run one at a time then.
func (r *Runner) Keep(name string) (err error) {
	if r.layers != nil {
		r.kept, err = r.layers.New(name)
	}
	return err
}

// Aside has the commands that follow write where steps work, also where this
// machine has layers.
func (r *Runner) Aside() { r.aside = true }

// Kept is the layer in which commands wrote since [Runner.Keep]; nil if there is
// none. Commands that follow judge, and what they write vanishes again. The
// caller drops the layer.
func (r *Runner) Kept() *layer.Layer {
	kept := r.kept
	r.kept, r.aside = nil, false
	return kept
}

// Impeded says what a command that failed may have met that layers do not do, by
// what it printed; "" if nothing.
func (r *Runner) Impeded(output string) string {
	if r.layers == nil {
		return ""
	}
	return r.layers.Impeded(output)
}

// Walled says what a command that failed met, if it printed that it wrote where
// all is read-only; "" if it did not, and where the sandbox makes nothing
// read-only.
func (r *Runner) Walled(output string) string {
	if low := strings.ToLower(output); !r.walled.Load() || !strings.Contains(low, "read-only file system") &&
		!strings.Contains(low, "erofs") {
		return ""
	}
	within := "the workspace (without .git, .planlock and the files of the plan)"
	if r.inner.Sandbox.Writes != nil {
		within = "what the step's access.writes names in the workspace"
	}
	return "planlock's sandbox lets a step write only in " + within +
		", in folders of the run's own, and in what [sandbox] writable names"
}

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
func (r *Runner) run(ctx context.Context, c gate.Command, judges bool, stderr io.Writer) (
	result gate.CommandResult, err error) {
	failed := gate.CommandResult{Exit: -1}
	if r.err != nil {
		return failed, r.err
	}
	inner := r.inner
	inner.Env = environ.For(r.env)
	if c.Private != "" && (judges || c.Private != r.home) {
		return failed, fmt.Errorf("exec: %q is not the private folder of whoever runs %q", c.Private, c)
	}
	inner.Sandbox.Private = c.Private
	inner.Sandbox.Hidden = slices.Concat(inner.Sandbox.Hidden, r.own.Covers(c.Private))
	if judges {
		inner.Sandbox.FileSize = 0 // a quota of who does the work
	} else if reached, err := process.Reach(inner.Sandbox); err == nil && reached.Mounts {
		r.walled.Store(true)
	}
	back, err := r.own.Lend(ctx, &inner, scratch.Use{Judges: judges, Compiles: c.Compiles,
		Alone: r.alone, Fresh: !judges && r.fresh.Swap(false)})
	if err != nil {
		return failed, err
	}
	defer back()
	c.Dir = r.Seen(c.Dir)
	if r.layers == nil || r.aside {
		r.written.Store(true)
		r.wrote()
		return inner.RunLive(ctx, c, stderr)
	}
	in, leave, err := r.layer()
	if err != nil {
		return failed, err
	}
	defer func() {
		if e := leave(); err == nil {
			err = e
		}
	}()
	if inner.Sandbox.View, err = in.View(); err != nil {
		return failed, err
	}
	return inner.RunLive(ctx, c, stderr)
}

// layer is where the next command writes, until leave is called.
func (r *Runner) layer() (in *layer.Layer, leave func() error, err error) {
	if r.kept != nil {
		r.mu.Lock()
		return r.kept, func() error { r.mu.Unlock(); return nil }, nil
	}
	if in, err = r.layers.New(""); err != nil {
		return nil, nil, err
	}
	return in, in.Drop, nil
}

// Seen is the path at which commands see a folder.
func (r *Runner) Seen(dir string) string {
	rel, err := filepath.Rel(r.dir, dir)
	if r.inner.Sandbox.View == nil || !filepath.IsAbs(dir) || err != nil || !filepath.IsLocal(rel) {
		return dir
	}
	return filepath.Join(r.inner.Dir, rel)
}
