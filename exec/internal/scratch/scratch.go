package scratch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process"
)

// Folders are those of one controller. They are made when the first command
// needs one. All methods may be called concurrently.
type Folders struct {
	// Workspace is what they must not lie in.
	Workspace string

	mu   sync.Mutex
	root *root
	busy map[string]bool // by name
	once int             // folders that were made for one command
	// overlays of steps that were mounted once, by where they keep what is written;
	// nil: that cannot be
	mounted map[string]*os.File
	homes   map[string]string // of executors, by their names
}

// A Use is what a command needs a folder for.
type Use struct {
	// Judges is set for commands of gates, checks and invariants.
	Judges bool
	// Compiles is set if the command runs no code of the tree.
	Compiles bool
	// Open reports whether the plan has the command write in the user's folder
	// of that path.
	Open func(path string) bool
	// Homes is set if the command may read in the homes of people.
	Homes bool
	// Alone is set if the command is to have no cache in common with those that
	// run at once.
	Alone bool
	// Fresh is set if the command is to find nothing that earlier ones left.
	Fresh bool
}

// A Taken folder is one command's until it is given back.
type Taken struct {
	Own *process.Own
	// Env says to programs where it is.
	Env []string

	back func()
}

// Back gives the folder back.
func (t *Taken) Back() { t.back() }

// The names of folders that are kept. Others follow them, by number, where
// several commands run at once.
const (
	ofSteps  = "steps"
	ofJudges = "judges"
	ofAll    = "caches" // of steps, in common
	forOne   = "once"
)

// Take takes a folder for one command.
//
// That of steps is kept for the next command, and so is one of judges as long
// as only compilers wrote into it. Steps that run at once have their caches in
// common where this machine can show one overlay to several commands. Whatever else judges has one for itself, on
// top of that, because it may run code that a step wrote.
func (f *Folders) Take(ctx context.Context, u Use) (*Taken, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(ctx); err != nil {
		return nil, err
	}
	copying := process.ReachOverlay(filepath.Dir(f.root.dir))
	name, above := f.free(ofSteps), ""
	switch {
	case u.Judges && (u.Compiles || !copying.Can) && !f.busy[ofJudges]:
		name = ofJudges
	case u.Judges:
		f.once++
		name, above = forOne+"-"+strconv.Itoa(f.once), ofJudges
	}
	if u.Fresh {
		if err := f.forget(ctx, name); err != nil {
			return nil, err
		}
	}
	t, err := f.make(ctx, name, above, u, copying)
	if err != nil {
		return nil, err
	}
	f.busy[name] = true
	t.back = func() { f.back(ctx, name) }
	return t, nil
}

// ready makes the folder that holds all others, if it is not there.
func (f *Folders) ready(ctx context.Context) error {
	if f.root != nil {
		return nil
	}
	r, err := open(ctx, f.Workspace)
	if err != nil {
		return err
	}
	f.root, f.busy, f.mounted, f.homes = r, map[string]bool{}, map[string]*os.File{}, map[string]string{}
	return nil
}

// forget removes a folder that nobody uses now, with what is mounted of it.
func (f *Folders) forget(ctx context.Context, name string) error {
	dir := filepath.Join(f.root.dir, name)
	for at, file := range f.mounted {
		if within(dir, at) {
			delete(f.mounted, at)
			if err := file.Close(); err != nil {
				return err
			}
		}
	}
	return layer.Discard(ctx, dir)
}

// free is the first name that nobody uses now.
func (f *Folders) free(name string) string {
	for n, first := 2, name; f.busy[name]; n++ {
		name = first + "-" + strconv.Itoa(n)
	}
	return name
}

// back has the next command find the folder as it is, or nothing of it.
func (f *Folders) back(ctx context.Context, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.busy, name)
	if f.root != nil && name[:4] == forOne {
		_ = layer.Discard(context.WithoutCancel(ctx), filepath.Join(f.root.dir, name)) // it goes with the rest
	}
}

// Close removes all folders.
func (f *Folders) Close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == nil {
		return nil
	}
	var errs []error
	for _, file := range f.mounted {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	err := errors.Join(append(errs, f.root.close(ctx))...)
	f.root, f.homes = nil, nil
	return err
}

// make makes the folder of a command ready.
func (f *Folders) make(ctx context.Context, name, above string, u Use, how process.Overlay) (*Taken, error) {
	dir := filepath.Join(f.root.dir, name)
	m := &making{dir: dir, none: filepath.Join(f.root.dir, "none"), use: u, how: how, mounted: f.mounted,
		own: &process.Own{Folder: filepath.Join(dir, "own")}}
	if !u.Judges && !u.Alone {
		m.shared = filepath.Join(f.root.dir, ofAll)
	}
	if above != "" {
		m.above = filepath.Join(f.root.dir, above)
	}
	m.folder(m.none)
	if u.Judges { // what a compiler left of temporary files is nobody's
		m.err = errors.Join(layer.Discard(ctx, filepath.Join(m.own.Folder, "tmp")),
			layer.Discard(ctx, filepath.Join(m.own.Folder, "pycache")))
	}
	m.caches(ctx)
	return &Taken{Own: m.own, Env: m.env}, m.err
}

// temporary is the user's folder for temporary files.
func temporary() string {
	if real, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		return real
	}
	return os.TempDir()
}
