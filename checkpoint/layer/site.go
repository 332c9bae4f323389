package layer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A site is a workspace with the folder in which its layers lie.
type site struct {
	workspace string       // absolute and without links
	at        string       // where commands see it, absolute and without links
	dir       string       // of the layers of this workspace alone
	numbered  atomic.Int64 // layers that have no name of their own

	removals sync.WaitGroup
	mu       sync.Mutex
	errs     []error // of removals
}

// Names of what lies in the folders of a site and of a layer.
const (
	aboutFile = "workspace" // says which workspace the layers are of
	upperName = "upper"
	workName  = "work"
)

// newSite is a workspace with a folder of its own below state, which is made
// where it is missing. state is a folder that outlives a run, as the state
// folder of the user, or one beside the workspace: an overlay needs a file
// system there that keeps extended attributes, and a clone shares contents with
// the workspace only on the file system of that. Inside of the workspace it is
// refused.
func newSite(workspace, state string) (*site, error) {
	s := new(site)
	var err error
	if s.workspace, err = real(workspace); err != nil {
		return nil, fmt.Errorf("layer: workspace: %w", err)
	}
	if _, err := os.Stat(s.workspace); err != nil {
		return nil, fmt.Errorf("layer: workspace: %w", err)
	}
	if state, err = real(state); err != nil {
		return nil, fmt.Errorf("layer: folder for layers: %w", err)
	}
	s.at = s.workspace
	if inside(s.workspace, state) {
		return nil, fmt.Errorf("layer: the folder for layers, %q, lies in the workspace: choose one outside", state)
	}
	sum := sha256.Sum256([]byte(s.workspace))
	s.dir = filepath.Join(state, "layers", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("layer: folder for layers: %w", err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, aboutFile), []byte(s.workspace), 0o600); err != nil {
		return nil, fmt.Errorf("layer: folder for layers: %w", err)
	}
	return s, nil
}

// real is a path without links, also where its last part is not there yet.
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

// inside reports whether path is dir or lies in it.
func inside(dir, path string) bool {
	in, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(in)
}

// sweep removes all layers of the workspace, and those of workspaces that are
// gone.
func (s *site) sweep() error {
	errs := []error{empty(s.dir)}
	around := filepath.Dir(s.dir)
	list, err := os.ReadDir(around)
	if err != nil {
		errs = append(errs, err)
	}
	for _, e := range list {
		dir := filepath.Join(around, e.Name())
		if dir != s.dir && abandoned(dir) {
			errs = append(errs, removeOutside(dir))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("layer: what an earlier run left cannot be removed: %w", err)
	}
	return nil
}

// abandoned reports whether a folder has layers of a workspace that is gone,
// while the folder that it lay in is there: else its disk may be back tomorrow.
// Who works on one that was moved today is left alone.
func abandoned(dir string) bool {
	about := filepath.Join(dir, aboutFile)
	info, err := os.Lstat(about)
	if err != nil || time.Since(info.ModTime()) < 24*time.Hour {
		return false
	}
	workspace, err := os.ReadFile(about)
	if err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Dir(string(workspace))); err != nil {
		return false
	}
	_, err = os.Lstat(string(workspace))
	return errors.Is(err, fs.ErrNotExist)
}

// empty removes all layers in a folder.
func empty(dir string) error {
	list, err := os.ReadDir(dir)
	errs := []error{err}
	for _, e := range list {
		if e.Name() != aboutFile {
			errs = append(errs, removeOutside(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// overlay makes a layer of an overlay on the workspace. Trusted is whether this
// process may keep the notes of one where only root can write them, which the
// kernel then uses to rename folders.
func (s *site) overlay(name string, trusted bool) (*Layer, error) {
	return s.layer(name, func(dir string) (engine, error) {
		o, err := newOverlay(dir, []string{s.workspace}, trusted)
		if err == nil {
			o.at, o.whole = s.at, s.at != s.workspace
		}
		return o, err
	})
}

// tryHiding finds out whether the folder of the controller can be hidden in an
// overlay.
func (s *site) tryHiding() error {
	path := filepath.Join(s.dir, ".probe-hidden")
	if err := hide(path); err != nil {
		return err
	}
	return os.Remove(path)
}

// layer makes the folder of a layer, and what is in it.
func (s *site) layer(name string, fill func(dir string) (engine, error)) (*Layer, error) {
	dir, err := s.begin(name)
	if err != nil {
		return nil, err
	}
	e, err := fill(dir)
	if err != nil {
		return nil, fmt.Errorf("layer: make %q: %w", name, errors.Join(err, removeOutside(dir)))
	}
	return &Layer{name: name, site: s, dir: dir, engine: e}, nil
}

// remove takes a folder away at once, and removes it beside, after what is to be
// done first.
func (s *site) remove(dir string, first func() error) error {
	gone, err := os.MkdirTemp(s.dir, ".gone-")
	if err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(gone, "layer")); err != nil {
		return errors.Join(err, os.Remove(gone))
	}
	s.removals.Go(func() {
		if err := errors.Join(first(), removeOutside(gone)); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errs = append(s.errs, err)
		}
	})
	return nil
}

// wait waits until all is removed.
func (s *site) wait() error {
	s.removals.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := s.errs
	s.errs = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("layer: what was dropped cannot be removed: %w", err)
	}
	return nil
}

// begin makes the folder of a layer.
func (s *site) begin(name string) (string, error) {
	if name == "" {
		name = strconv.FormatInt(s.numbered.Add(1), 10)
	}
	if name == aboutFile || name[0] == '.' || !filepath.IsLocal(name) ||
		strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("layer: %q is no name of a layer: use letters, digits, %q and %q", name, ".", "-")
	}
	dir := filepath.Join(s.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("layer: %w", err)
	}
	return dir, nil
}
