package scratch

import (
	"context"

	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// Lend has the command that a runner is to run keep temporary files and caches
// in a folder of f, until back is called. What u says of folders of the user
// follows from the sandbox. It does nothing where commands can write wherever they like, or f is nil.
func (f *Folders) Lend(ctx context.Context, to *process.Runner, u Use) (back func(), err error) {
	reached, err := process.Reach(to.Sandbox)
	if f == nil || err != nil || reached.Landlock == 0 {
		return func() {}, nil // who runs it says what is wrong
	}
	u.Open, u.Homes = to.Sandbox.Names, to.Sandbox.Level != process.Strict
	taken, err := f.Take(ctx, u)
	if err != nil {
		return nil, err
	}
	to.Sandbox.Own, to.Env = taken.Own, environ.Merge(to.Env, taken.Env)
	return taken.Back, nil
}
