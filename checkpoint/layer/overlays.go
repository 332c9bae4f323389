package layer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Overlays are layers on one clone, which the kernel merges with it for the
// commands that work in them. They may be used by several goroutines at once.
type Overlays struct {
	clone, at, dir string // absolute and without links
	trusted        bool
	numbered       atomic.Int64 // layers that have no name of their own

	removals sync.WaitGroup
	mu       sync.Mutex
	errs     []error // of removals
}

// Names of what lies in the folder of a layer.
const (
	upperName = "upper"
	workName  = "work"
	movedName = "moved"
)

// Over are overlays on a clone, which commands see at the path at, the
// workspace. They lie in the folder dir, which is made where it is missing and
// must not lie in the clone, but on its file system; that has to keep extended
// attributes. Trusted is whether notes are kept where only root can write them,
// which the kernel uses to rename folders.
func Over(clone, at, dir string, trusted bool) (*Overlays, error) {
	o := &Overlays{trusted: trusted}
	var errs [3]error
	o.clone, errs[0] = real(clone)
	o.at, errs[1] = real(at)
	o.dir, errs[2] = real(dir)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	if in, err := filepath.Rel(o.clone, o.dir); err == nil && filepath.IsLocal(in) {
		return nil, fmt.Errorf("layer: the folder for layers, %q, lies in the clone", dir)
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, fmt.Errorf("layer: folder for layers: %w", err)
	}
	return o, nil
}

// real is a path without links, also where its last parts are not there yet.
func real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	found, err := filepath.EvalSymlinks(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		if found, err = real(above); err == nil {
			found = filepath.Join(found, filepath.Base(path))
		}
	}
	return found, err
}

// New makes a layer. One without a name gets a number.
func (o *Overlays) New(name string) (*Layer, error) {
	if name == "" {
		name = strconv.FormatInt(o.numbered.Add(1), 10)
	}
	if name[0] == '.' || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("layer: %q is no name of a layer: use letters, digits, %q and %q", name, ".", "-")
	}
	l := o.layer(name)
	if err := os.Mkdir(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	if err := l.fill(); err != nil {
		return nil, fmt.Errorf("layer: make %q: %w", name, errors.Join(err, removeOutside(l.dir)))
	}
	return l, nil
}

// Left is the layer of a name that a process left which died; nil if there is
// none.
func (o *Overlays) Left(name string) (*Layer, error) {
	l := o.layer(name)
	switch _, err := os.Lstat(l.upper()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("layer: %w", err)
	}
	return l, nil
}

func (o *Overlays) layer(name string) *Layer {
	return &Layer{of: o, name: name, dir: filepath.Join(o.dir, name)}
}

// Sweep removes all layers: it is called before the first one is made, by who
// holds the workspace. What is there then was left by a process that died.
func (o *Overlays) Sweep() error {
	list, err := os.ReadDir(o.dir)
	errs := []error{err}
	for _, e := range list {
		errs = append(errs, removeOutside(filepath.Join(o.dir, e.Name())))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("layer: what an earlier run left cannot be removed: %w", err)
	}
	return nil
}

// Close waits until the files of layers that were dropped are removed.
func (o *Overlays) Close() error {
	o.removals.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	errs := o.errs
	o.errs = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("layer: what was dropped cannot be removed: %w", err)
	}
	return nil
}

// remove takes a folder away at once, and removes it beside.
func (o *Overlays) remove(dir string) error {
	gone, err := os.MkdirTemp(o.dir, ".gone-")
	if err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(gone, "layer")); err != nil {
		return errors.Join(err, os.Remove(gone))
	}
	o.removals.Go(func() {
		if err := removeOutside(gone); err != nil {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.errs = append(o.errs, err)
		}
	})
	return nil
}

// Impeded says what a command that failed may have met that overlays do not do,
// by what it printed; "" if nothing. It may be mistaken, so that an attempt
// which succeeded is not asked about.
func (o *Overlays) Impeded(output string) string {
	if o.trusted {
		return ""
	}
	low := strings.ToLower(output)
	says := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(low, word) {
				return true
			}
		}
		return false
	}
	switch {
	case says("cross-device link", "exdev", "os error 18)", "errno 18]"):
		return "an ordinary user cannot rename folders of the workspace in an overlay (EXDEV)"
	case says("value too large for defined data type", "eoverflow", "os error 75)", "errno 75]"):
		return "files of another owner or group cannot be changed in an overlay of an ordinary user (EOVERFLOW)"
	}
	return ""
}

// marks are those of the notes.
func (o *Overlays) marks() marks {
	if o.trusted {
		return trustedMarks
	}
	return userMarks
}
