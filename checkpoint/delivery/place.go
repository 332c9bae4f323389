package delivery

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/internal/disk"
)

// A Place is a workspace that is held open. All goes through its handle, never
// through its path, so that nobody can put another folder under it. It may be
// used by one goroutine at a time.
type Place struct {
	dir    string
	disk   *disk.Disk
	root   *disk.Root
	opened fs.FileInfo
}

// Open opens the workspace dir, which may be a link to it. The caller closes
// it.
func Open(ctx context.Context, dir string) (*Place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("delivery: %w", err)
	}
	p := &Place{dir: abs, disk: disk.From(ctx)}
	if p.root, err = p.disk.OpenRoot(abs); err != nil {
		return nil, fmt.Errorf("delivery: cannot open workspace %q: %w", dir, err)
	}
	if p.opened, err = p.root.Stat("."); err != nil {
		_ = p.root.Close() // only a handle: there is nothing to lose
		return nil, fmt.Errorf("delivery: cannot open workspace %q: %w", dir, err)
	}
	return p, nil
}

// Close lets go of the workspace.
func (p *Place) Close() error { return p.root.Close() }

// A MovedError says that the path of a workspace does not name the folder any
// more that was opened: somebody moved it, or put something else in its place.
// Nothing was written then.
type MovedError struct {
	Dir string // the path
	Err error  // why nobody knows what stands there; nil if another folder does
}

func (e *MovedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("delivery: the workspace %q cannot be reached any more, put it back: %v", e.Dir, e.Err)
	}
	return fmt.Sprintf("delivery: %q is another folder than when the workspace was opened, put that back", e.Dir)
}

func (e *MovedError) Unwrap() error { return e.Err }

// Check returns a *MovedError unless the workspace's path still names the
// folder that was opened. Stage, Finish and Conflicts ask it first.
func (p *Place) Check() error {
	now, err := p.disk.Anywhere().Stat(p.dir)
	if err != nil {
		return &MovedError{p.dir, err}
	}
	if !os.SameFile(now, p.opened) {
		return &MovedError{p.dir, nil}
	}
	return nil
}
