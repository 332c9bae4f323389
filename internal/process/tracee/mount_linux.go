//go:build amd64 || arm64

package tracee

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// What mounts are made with, and where paths begin.
const (
	ReadOnly  = 1 << 0 // attributes of mount_setattr(2)
	NoSuid    = 1 << 1
	NoDev     = 1 << 2
	Recursive = 0x8000 // AT_RECURSIVE: mounts below too

	AtHere = ^uintptr(99) // AT_FDCWD

	sysMountSetattr = 442      // Linux 5.12
	pathOnly        = 0x200000 // O_PATH
)

// PathCall makes a call whose first argument is a path.
func (s *Child) PathCall(number uintptr, path string, args ...uintptr) error {
	at, err := s.Text(path)
	if err == nil {
		_, err = s.Call(number, append([]uintptr{at}, args...)...)
	}
	s.Forget()
	return err
}

// Mount is mount(2).
func (s *Child) Mount(source, target, kind string, flags uintptr, data string) error {
	defer s.Forget()
	var at [4]uintptr
	for i, text := range []string{source, target, kind, data} {
		var err error
		if at[i], err = s.Text(text); err != nil {
			return err
		}
	}
	_, err := s.Call(syscall.SYS_MOUNT, at[0], at[1], at[2], flags, at[3])
	return err
}

// Attributes sets and clears attributes of the mount at path, and of those
// below.
func (s *Child) Attributes(path string, how, set, clear uint64) error {
	defer s.Forget()
	at, err := s.Text(path)
	if err != nil {
		return err
	}
	attr := [4]uint64{set, clear}
	where, err := s.Bytes(Memory(&attr))
	if err == nil {
		_, err = s.Call(sysMountSetattr, AtHere, at, uintptr(how), where, unsafe.Sizeof(attr))
	}
	return err
}

// Missing reports errors of mounting over what is not there, or cannot be
// reached, and so needs no protection.
func Missing(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EACCES)
}

// BindAll makes mounts of those paths that are there, and returns them.
func (s *Child) BindAll(paths []string) (bound []string, err error) {
	for _, path := range paths {
		err := s.Mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if err != nil && !Missing(err) {
			return nil, fmt.Errorf("bind %q: %w", path, err)
		}
		if err == nil {
			bound = append(bound, path)
		}
	}
	return bound, nil
}

// OpenAll makes mounts writable again.
func (s *Child) OpenAll(paths []string) error {
	for _, path := range paths {
		err := s.Attributes(path, Recursive, NoDev, ReadOnly)
		// What was read-only before stays so: a user namespace may not undo it.
		if errors.Is(err, syscall.EPERM) { // a mount below it was read-only before
			err = s.Attributes(path, 0, NoDev, ReadOnly)
		}
		if err != nil && !errors.Is(err, syscall.EPERM) {
			return fmt.Errorf("writable %q: %w", path, err)
		}
	}
	return nil
}

// Name opens a path only to name it.
func (s *Child) Name(path string) (file uintptr, err error) {
	defer s.Forget()
	at, err := s.Text(path)
	if err != nil {
		return 0, err
	}
	return s.Call(syscall.SYS_OPENAT, AtHere, at, pathOnly|syscall.O_CLOEXEC, 0)
}
