//go:build linux && (amd64 || arm64)

package process

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/planlock/planlock/internal/process/tracee"
	"github.com/planlock/planlock/internal/process/view"
)

// sharedMemory is where programs share memory by names. All processes of a
// machine see the same one, so that it leads out of a sandbox.
const sharedMemory = "/dev/shm"

// arrangeShared gives the child a /dev/shm of its own. A workspace or a
// writable folder that lies in the host's is shown there again, in its place;
// those that are writable are returned. Where the workspace is the host's
// /dev/shm itself, that stays.
func (c staging) arrangeShared() (open []string, err error) {
	inside := func(path string) bool { return path != sharedMemory && view.Within(sharedMemory, path) }
	writable := outermost(c.writable(), inside)
	if filepath.Clean(c.Workspace) == sharedMemory {
		if c.Writes == nil {
			writable = []string{sharedMemory}
		}
		if open, err = c.child.BindAll(writable); err == nil {
			err = c.child.OpenAll(open)
		}
		return open, err
	}
	shown := outermost(append(c.writable(), c.Workspace), inside)
	files := make([]uintptr, len(shown)) // which reach them also when they are covered
	for i, path := range shown {
		files[i], err = c.child.Name(path)
		if err != nil && !tracee.Missing(err) {
			return nil, fmt.Errorf("open %q: %w", path, err)
		}
		if err != nil {
			shown[i] = ""
		}
	}
	if err := c.child.Mount("shm", sharedMemory, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777"); err != nil {
		if tracee.Missing(err) {
			return nil, nil
		}
		return nil, err
	}
	for i, path := range shown {
		if path == "" {
			continue
		}
		if err := show(c.child, files[i], path); err != nil {
			return nil, fmt.Errorf("show %q: %w", path, err)
		}
	}
	if open, err = c.child.BindAll(writable); err == nil {
		err = c.child.OpenAll(open)
	}
	return open, err
}

// show mounts the folder that file is at path, below the new /dev/shm.
func show(s *tracee.Child, file uintptr, path string) error {
	folder := sharedMemory
	for _, name := range strings.Split(strings.TrimPrefix(path, sharedMemory+"/"), "/") {
		folder += "/" + name
		at, err := s.Text(folder)
		if err == nil {
			_, err = s.Call(syscall.SYS_MKDIRAT, tracee.AtHere, at, 0o755)
		}
		s.Forget()
		if err != nil && err != syscall.EEXIST {
			return err
		}
	}
	if err := s.Mount(fmt.Sprintf("/proc/self/fd/%d", file), path, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	_, err := s.Call(syscall.SYS_CLOSE, file)
	return err
}

// outermost are the paths that are wanted, each above those below it, and none
// that lies below another.
func outermost(all []string, wanted func(path string) bool) []string {
	var paths []string
	for _, path := range all {
		if wanted(path) {
			paths = append(paths, filepath.Clean(path))
		}
	}
	slices.Sort(paths)
	var kept []string
	for _, path := range paths {
		if !slices.ContainsFunc(kept, func(above string) bool { return view.Within(above, path) }) {
			kept = append(kept, path)
		}
	}
	return kept
}
