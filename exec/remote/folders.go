package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// folders are those in which commands keep temporary files and caches, and
// executors what is private to them: of each run apart, and none of the user's.
type folders struct {
	dir string // of the worker, in which they must not lie
	mu  sync.Mutex
	of  map[string]*ofRun
}

type ofRun struct {
	scratch.Folders
	jobs int // that use them now
}

// lend has a job of a run use those of the run until back is called. Those of
// other runs of which no job is under way are removed.
func (f *folders) lend(ctx context.Context, run string) (own *scratch.Folders, back func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.drop(ctx, run); err != nil {
		return nil, nil, err
	}
	it := f.of[run]
	if it == nil {
		it = &ofRun{Folders: scratch.Folders{Workspace: f.dir}}
		f.of[run] = it
	}
	it.jobs++
	return &it.Folders, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		it.jobs--
	}, nil
}

// drop removes those of all runs but one of which no job is under way.
func (f *folders) drop(ctx context.Context, but string) error {
	var errs []error
	for run, it := range f.of { // in any order
		if run != but && it.jobs == 0 {
			delete(f.of, run)
			errs = append(errs, it.Close(ctx))
		}
	}
	return errors.Join(errs...)
}

// close removes all, of which no job is under way.
func (f *folders) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.drop(context.Background(), "")
}

// A runner runs commands in the sandbox of the plan. home is the private folder of
// the executor, which those see that name it.
type runner struct {
	inner process.Runner
	own   *scratch.Folders
	home  string
	alone bool        // they have no cache in common with others
	fresh atomic.Bool // the next one finds nothing of earlier ones
}

// Run runs a command.
func (r *runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return r.RunLive(ctx, c, nil)
}

// RunLive is Run for executors that want standard error as it comes.
func (r *runner) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	failed, inner := gate.CommandResult{Exit: -1}, r.inner
	if c.Private != "" && c.Private != r.home {
		return failed, fmt.Errorf("remote: %q is not the private folder of whoever runs %q", c.Private, c)
	}
	inner.Sandbox.Private = c.Private
	inner.Sandbox.Hidden = slices.Concat(inner.Sandbox.Hidden, r.own.Covers(c.Private))
	back, err := r.own.Lend(ctx, &inner, scratch.Use{Alone: r.alone, Fresh: r.fresh.Swap(false)})
	if err != nil {
		return failed, err
	}
	defer back()
	return inner.RunLive(ctx, c, stderr)
}

// runner is one for a job.
func (w *lane) runner(asked *Request, own *scratch.Folders, home string) (*runner, error) {
	box, output, err := process.FromPlan(asked.Sandbox)
	if err != nil {
		return nil, err
	}
	if asked.NoSandbox {
		box.Level, box.NoNetwork = process.None, false
	}
	if a := asked.Step.Access; a != nil && a.Writes != nil {
		box.Writes = a.Writes
	}
	box.Workspace, box.Hidden = w.dir, w.Secrets
	r := &runner{inner: process.Runner{Dir: w.dir, Shell: w.Shell, Env: environ.For(asked.Sandbox.Env), Sandbox: box,
		OutputLimit: output}, own: own, home: home, alone: asked.Step.Repeats(false)}
	r.fresh.Store(r.alone)
	return r, nil
}
