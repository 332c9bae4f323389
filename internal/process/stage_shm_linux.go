//go:build linux && (amd64 || arm64)

package process

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

const sharedMemory = "/dev/shm"

// arrangeShared gives the child a /dev/shm of its own. A workspace or a
// writable folder that lies in the host's is shown there again, in its place;
// those that are writable are returned. Where the workspace is the host's
// /dev/shm itself, that stays.
func (c confinement) arrangeShared(s *stopped) (open []string, err error) {
	inside := func(path string) bool { return path != sharedMemory && within(sharedMemory, path) }
	writable := outermost(c.writable(), inside)
	if filepath.Clean(c.Workspace) == sharedMemory {
		if c.Writes == nil {
			writable = []string{sharedMemory}
		}
		if open, err = s.bindAll(writable); err == nil {
			err = s.openAll(open)
		}
		return open, err
	}
	shown := outermost(append(c.writable(), c.Workspace), inside)
	files := make([]uintptr, len(shown)) // which reach them also when they are covered
	for i, path := range shown {
		files[i], err = s.reach(path)
		if err != nil && !missing(err) {
			return nil, fmt.Errorf("open %q: %w", path, err)
		}
		if err != nil {
			shown[i] = ""
		}
	}
	if err := s.mount("shm", sharedMemory, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777"); err != nil {
		if missing(err) {
			return nil, nil
		}
		return nil, err
	}
	for i, path := range shown {
		if path == "" {
			continue
		}
		if err := s.show(files[i], path); err != nil {
			return nil, fmt.Errorf("show %q: %w", path, err)
		}
	}
	if open, err = s.bindAll(writable); err == nil {
		err = s.openAll(open)
	}
	return open, err
}

// reach opens a path only to name it.
func (s *stopped) reach(path string) (file uintptr, err error) {
	defer s.forget()
	at, err := s.text(path)
	if err != nil {
		return 0, err
	}
	return s.call(syscall.SYS_OPENAT, atHere, at, oPath|syscall.O_CLOEXEC, 0)
}

// show mounts the folder that file is at path, below the new /dev/shm.
func (s *stopped) show(file uintptr, path string) error {
	folder := sharedMemory
	for _, name := range strings.Split(strings.TrimPrefix(path, sharedMemory+"/"), "/") {
		folder += "/" + name
		at, err := s.text(folder)
		if err == nil {
			_, err = s.call(syscall.SYS_MKDIRAT, atHere, at, 0o755)
		}
		s.forget()
		if err != nil && err != syscall.EEXIST {
			return err
		}
	}
	if err := s.mount(fmt.Sprintf("/proc/self/fd/%d", file), path, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	_, err := s.call(syscall.SYS_CLOSE, file)
	return err
}
