//go:build linux && (amd64 || arm64)

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

const (
	sysMountSetattr = 442 // Linux 5.12
	sysCloseRange   = 436 // Linux 5.9
	mountReadOnly   = 1 << 0
	mountNoSuid     = 1 << 1
	mountNoDev      = 1 << 2
	atHere          = ^uintptr(99) // AT_FDCWD
	atRecursive     = 0x8000

	sysSeccomp = seccompCall
)

// stage makes the child what box says, from inside its namespaces: mounts,
// network, Landlock, capabilities and the filter of system calls, in this
// order, because each would be refused by the next. The ruleset of Landlock is
// the child's file rulesFile.
func (c confinement) stage(s *stopped, dir string) error {
	parts := []struct {
		what string
		when bool
		do   func(*stopped) error
	}{
		{"check the hold", true, c.sound},
		{"mounts of its own", c.reached.Mounts, c.arrange},
		{"folder", c.reached.Mounts, func(s *stopped) error { return s.pathCall(syscall.SYS_CHDIR, dir) }},
		{"loopback device", c.reached.NoNetwork && c.reached.Tree != groupTree, loopback},
		{"Landlock", c.confines(), c.lock},
		{"descriptors", true, shut},
		{"capabilities", c.reached.Tree != groupTree, c.drop},
		{"filter of system calls", c.reached.Filter, c.install},
	}
	for _, part := range parts {
		if !part.when {
			continue
		}
		if err := part.do(s); err != nil {
			return fmt.Errorf("%s: %w", part.what, err)
		}
		s.forget()
	}
	return nil
}

// sound makes sure that calls are made as they are meant: by number, with their
// result.
func (c confinement) sound(s *stopped) error {
	pid, err := s.call(syscall.SYS_GETPID)
	if err == nil && c.reached.Tree != groupTree && pid != 1 {
		err = fmt.Errorf("process id %d", pid)
	}
	return err
}

// pathCall makes a call whose first argument is a path.
func (s *stopped) pathCall(number uintptr, path string, args ...uintptr) error {
	at, err := s.text(path)
	if err == nil {
		_, err = s.call(number, append([]uintptr{at}, args...)...)
	}
	s.forget()
	return err
}

// mount is mount(2).
func (s *stopped) mount(source, target, kind string, flags uintptr, data string) error {
	defer s.forget()
	var at [4]uintptr
	for i, text := range []string{source, target, kind, data} {
		var err error
		if at[i], err = s.text(text); err != nil {
			return err
		}
	}
	_, err := s.call(syscall.SYS_MOUNT, at[0], at[1], at[2], flags, at[3])
	return err
}

// attributes sets and clears attributes of the mount at path, and of those
// below.
func (s *stopped) attributes(path string, how, set, clear uint64) error {
	defer s.forget()
	at, err := s.text(path)
	if err != nil {
		return err
	}
	attr := [4]uint64{set, clear}
	where, err := s.bytes(memory(&attr))
	if err == nil {
		_, err = s.call(sysMountSetattr, atHere, at, uintptr(how), where, unsafe.Sizeof(attr))
	}
	return err
}

// missing reports errors of mounting over what is not there, or cannot be
// reached, and so needs no protection.
func missing(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EACCES)
}

// arrange makes every mount read-only but what may be written, the protected
// paths too, and gives the child a /proc that shows its own namespace and a
// /dev/shm of its own, in which nothing of the host's is to be seen but what
// the command works with.
func (c confinement) arrange(s *stopped) error {
	if err := s.mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	open, err := s.bindAll(outermost(c.writable(), func(path string) bool { return !within("/dev", path) && !within("/proc", path) }))
	if err != nil {
		return err
	}
	if err := s.attributes("/", atRecursive, mountReadOnly|mountNoSuid, 0); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	if err := s.openAll(open); err != nil {
		return err
	}
	const quiet = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	if err := s.mount("proc", "/proc", "proc", quiet|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	shared, err := c.arrangeShared(s)
	if err != nil {
		return fmt.Errorf("/dev/shm: %w", err)
	}
	return c.shield(s, append(open, shared...))
}

// bindAll makes mounts of those paths that are there, and returns them.
func (s *stopped) bindAll(paths []string) (bound []string, err error) {
	for _, path := range paths {
		err := s.mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if err != nil && !missing(err) {
			return nil, fmt.Errorf("bind %q: %w", path, err)
		}
		if err == nil {
			bound = append(bound, path)
		}
	}
	return bound, nil
}

// openAll makes mounts writable again.
func (s *stopped) openAll(paths []string) error {
	for _, path := range paths {
		err := s.attributes(path, atRecursive, mountNoDev, mountReadOnly)
		if errors.Is(err, syscall.EPERM) { // a mount below it was read-only before
			err = s.attributes(path, 0, mountNoDev, mountReadOnly)
		}
		if err != nil && !errors.Is(err, syscall.EPERM) {
			return fmt.Errorf("writable %q: %w", path, err)
		}
	}
	return nil
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
		if !slices.ContainsFunc(kept, func(above string) bool { return within(above, path) }) {
			kept = append(kept, path)
		}
	}
	return kept
}

// within reports whether path is folder or lies below it.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// shield makes the protected paths read-only, and at level strict hides the
// sockets of services.
func (c confinement) shield(s *stopped, open []string) error {
	for _, path := range c.protected() {
		if !slices.ContainsFunc(open, func(above string) bool { return within(above, path) }) {
			continue
		}
		if _, err := os.Lstat(path); err != nil && missing(err) {
			continue
		}
		err := s.mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if err == nil {
			err = s.attributes(path, atRecursive, mountReadOnly, 0)
		}
		if err != nil && !missing(err) {
			return fmt.Errorf("protect %q: %w", path, err)
		}
	}
	if c.Level != Strict {
		return nil
	}
	for _, path := range sockets() {
		if err := s.mount("/dev/null", path, "", syscall.MS_BIND, ""); err != nil && !missing(err) {
			return fmt.Errorf("hide %q: %w", path, err)
		}
	}
	return nil
}

// sockets are the paths of the sockets that programs of this network have
// bound.
func sockets() []string {
	content, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var paths []string
	for line := range strings.Lines(string(content)) {
		if _, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " /"); ok {
			paths = append(paths, "/"+path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// loopback brings up the only device of the child's network.
func loopback(s *stopped) error {
	socket, err := s.call(syscall.SYS_SOCKET, syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	request := loopbackUp()
	at, err := s.bytes(memory(&request))
	if err == nil {
		_, err = s.call(syscall.SYS_IOCTL, socket, syscall.SIOCSIFFLAGS, at)
	}
	if _, closeErr := s.call(syscall.SYS_CLOSE, socket); err == nil {
		err = closeErr
	}
	return err
}

// lock adds rules for what was mounted in the child, and enforces the ruleset.
func (c confinement) lock(s *stopped) error {
	if c.reached.Mounts {
		if err := s.allow("/dev/shm", rightsWrite|rightsRead, c); err != nil {
			return err
		}
		if c.Level == Strict {
			if err := s.allow("/proc", rightsRead, c); err != nil {
				return err
			}
		}
	}
	if _, err := s.call(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0); err != nil {
		return err
	}
	_, err := s.call(sysLandlockRestrict, rulesFile, 0)
	return err
}

// shut closes what the child inherited beside its three streams: the ruleset,
// and what this process got from its own parent.
func shut(s *stopped) error {
	_, err := s.call(sysCloseRange, rulesFile, uintptr(^uint32(0)), 0)
	return err
}

// allow adds a rule for a path as the child sees it.
func (s *stopped) allow(path string, rights uint64, c confinement) error {
	defer s.forget()
	at, err := s.text(path)
	if err != nil {
		return err
	}
	file, err := s.call(syscall.SYS_OPENAT, atHere, at, oPath|syscall.O_CLOEXEC, 0)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	rule := pathRule(rights&c.rights(), int(file))
	if at, err = s.bytes(rule[:]); err == nil {
		_, err = s.call(sysLandlockAdd, rulesFile, landlockPathBeneath, at, 0)
	}
	if _, closeErr := s.call(syscall.SYS_CLOSE, file); err == nil {
		err = closeErr
	}
	return err
}

// drop leaves the child the capabilities that ordinary programs of root need,
// and none without privileges.
func (c confinement) drop(s *stopped) error {
	header, data := capHeader{version: capVersion}, [2]capData{}
	if c.reached.Tree == pidTree {
		data[0] = capData{effective: keptCaps, permitted: keptCaps}
	}
	headerAt, err := s.bytes(memory(&header))
	if err != nil {
		return err
	}
	dataAt, err := s.bytes(memory(&data))
	if err == nil {
		_, err = s.call(syscall.SYS_CAPSET, headerAt, dataAt)
	}
	return err
}

// install sets the filter of system calls.
func (c confinement) install(s *stopped) error {
	program := filter(calls(c.reached.NoNetwork))
	code, err := s.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&program[0])), len(program)*int(unsafe.Sizeof(bpf{}))))
	if err != nil {
		return err
	}
	about := struct {
		n    uint16
		_    [6]byte
		code uint64
	}{n: uint16(len(program)), code: uint64(code)}
	at, err := s.bytes(memory(&about))
	if err == nil {
		_, err = s.call(sysSeccomp, 1, 0, at)
	}
	return err
}
