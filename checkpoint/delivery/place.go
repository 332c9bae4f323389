package delivery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
)

// Where deliveries lie: below a folder of planlock's own in the workspace.
const (
	own       = ".planlock"
	stageName = "stage"
	trashName = "trash"
)

// A Place is a workspace that is held open. All goes through its handle, never
// through its path, so that nobody can put another folder under it. It may be
// used by one goroutine at a time.
type Place struct {
	dir    string
	disk   *disk.Disk
	root   *disk.Root
	opened fs.FileInfo

	stage, trash *disk.Root // planlock's own; nil until they are needed
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

// CannotExchange reports whether the file system of the workspace cannot exchange
// two files in one step, though this system can: what that loses is said of the
// package. It is tried with two folders of planlock's own.
func (p *Place) CannotExchange() (cannot bool, err error) {
	if err := p.ready(); err != nil {
		return false, fmt.Errorf("delivery: %w", err)
	}
	for _, name := range triedNames {
		if err := p.stage.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return false, fmt.Errorf("delivery: %w", err)
		}
	}
	err = disk.Swap(p.stage, triedNames[0], p.stage, triedNames[1])
	var answered syscall.Errno // a system that knows no such call has none
	cannot = errors.Is(err, errors.ErrUnsupported) && errors.As(err, &answered)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return false, fmt.Errorf("delivery: %w", err)
	}
	for _, name := range triedNames {
		if err := disk.RemoveFolder(p.stage, name); err != nil {
			return cannot, fmt.Errorf("delivery: %w", err)
		}
	}
	return cannot, nil
}

// triedNames are no names of deliveries.
var triedNames = [2]string{"tried~1", "tried~2"}

// Close lets go of the workspace.
func (p *Place) Close() error {
	for _, root := range []*disk.Root{p.stage, p.trash} {
		if root != nil {
			_ = root.Close() // only a handle: there is nothing to lose
		}
	}
	return p.root.Close()
}

// ready makes and opens planlock's own folders, durably.
func (p *Place) ready() (err error) {
	if p.trash != nil {
		return nil
	}
	if err := p.root.MakeFolders(own, 0o755); err != nil {
		return err
	}
	dir, err := walk.StepInto(p.root, own)
	if err != nil {
		return fmt.Errorf("%q: %w", own, err)
	}
	defer dir.Close() // only a handle
	if p.stage == nil {
		if p.stage, err = within(dir, stageName); err != nil {
			return err
		}
	}
	p.trash, err = within(dir, trashName)
	return err
}

// within makes and opens a folder in one of planlock's own.
func within(dir *disk.Root, name string) (*disk.Root, error) {
	if err := dir.MakeFolders(name, 0o700); err != nil {
		return nil, err
	}
	sub, err := walk.StepInto(dir, name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", own+"/"+name, err)
	}
	return sub, nil
}

// A MovedError says that the path of a workspace does not name the folder any
// more that was opened: somebody moved it, or put something else in its place.
// Nothing was written then.
type MovedError struct {
	Dir string // the path
	Err error  // why nobody knows what stands there; nil if another folder does
}

func (e *MovedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("delivery: the workspace %q was moved or cannot be reached any more, put it back: %v", e.Dir, e.Err)
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
