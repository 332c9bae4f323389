//go:build linux && (amd64 || arm64)

package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/planlock/planlock/internal/process/callfilter"
	"github.com/planlock/planlock/internal/process/tracee"
	"github.com/planlock/planlock/internal/process/view"
)

// Numbers of calls that package syscall does not have.
const (
	sysCloseRange = 436 // Linux 5.9
)

// A staging makes a held child what a confinement says.
type staging struct {
	*confinement
	child *tracee.Child
}

// stage makes the child what box says, from inside its namespaces: mounts,
// network, Landlock, capabilities and the filter of system calls, in this
// order, because each would be refused by the next. The ruleset of Landlock is
// the child's file rulesFile.
func (c *confinement) stage(s *tracee.Child, dir string) error {
	all := staging{c, s}
	parts := []struct {
		what string
		when bool
		do   func() error
	}{
		{"check the hold", true, all.sound},
		{"view", c.View != nil, all.showView},
		{"copies of caches", c.reached.Mounts && c.Own != nil, all.showCopies},
		{"mounts of its own", c.reached.Mounts, all.arrange},
		{"folder", c.mounts(), func() error { return s.PathCall(syscall.SYS_CHDIR, dir) }},
		{"loopback device", c.reached.NoNetwork && c.reached.Tree != groupTree, func() error { return loopback(s) }},
		{"Landlock", c.confines(), all.lock},
		{"descriptors", c.reached.staged, func() error { return shut(s) }},
		{"capabilities", c.reached.staged && c.reached.Tree != groupTree || c.foreign(), all.drop},
		{"filter of system calls", c.reached.Filter, all.install},
	}
	for _, part := range parts {
		if !part.when {
			continue
		}
		if err := part.do(); err != nil {
			return fmt.Errorf("%s: %w", part.what, err)
		}
		s.Forget()
	}
	return nil
}

// sound makes sure that calls are made as they are meant: by number, with their
// result.
func (c staging) sound() error {
	pid, err := c.child.Call(syscall.SYS_GETPID)
	if err == nil && c.reached.Tree != groupTree && pid != 1 {
		err = fmt.Errorf("process id %d", pid)
	}
	return err
}

// arrange makes every mount read-only but what may be written, the protected
// paths too, and gives the child a /proc that shows its own namespace and a
// /dev/shm of its own, in which nothing of the host's is to be seen but what
// the command works with.
func (c staging) arrange() error {
	if err := c.child.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	open, err := c.child.BindAll(outermost(c.writable(), func(path string) bool {
		return !view.Within("/dev", path) && !view.Within("/proc", path)
	}))
	if err != nil {
		return err
	}
	if err := c.child.Attributes("/", tracee.Recursive, tracee.ReadOnly|tracee.NoSuid, 0); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	if err := c.child.OpenAll(open); err != nil {
		return err
	}
	const quiet = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	if err := c.child.Mount("proc", "/proc", "proc", quiet|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	shared, err := c.arrangeShared()
	if err != nil {
		return fmt.Errorf("/dev/shm: %w", err)
	}
	return c.shield(append(open, shared...))
}

// shield makes the protected paths read-only, and hides what commands are not to
// see, and the sockets of services.
func (c staging) shield(open []string) error {
	for _, path := range append(c.protected(), c.sight.below...) {
		if !slices.ContainsFunc(open, func(above string) bool { return view.Within(above, path) }) {
			continue
		}
		if _, err := os.Lstat(path); c.View == nil && err != nil && tracee.Missing(err) {
			continue
		}
		err := c.child.Mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if err == nil {
			err = c.child.Attributes(path, tracee.Recursive, tracee.ReadOnly, 0)
		}
		if err != nil && !tracee.Missing(err) {
			return fmt.Errorf("protect %q: %w", path, err)
		}
	}
	for _, path := range c.Hidden {
		err := hide(c.child, path)
		if err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENOTDIR) { // it went meanwhile
			return fmt.Errorf("hide %q: %w", path, err)
		}
	}
	for _, path := range c.doors() {
		if err := c.child.Mount("/dev/null", path, "", syscall.MS_BIND, ""); err != nil && !tracee.Missing(err) {
			return fmt.Errorf("hide %q: %w", path, err)
		}
	}
	return nil
}

// hide puts nothing in the place of what is at path.
func hide(s *tracee.Child, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // what is not there, or nobody can reach, needs no cover
	}
	if !info.IsDir() {
		return s.Mount("/dev/null", path, "", syscall.MS_BIND, "")
	}
	const empty = syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	return s.Mount("hidden", path, "tmpfs", empty, "mode=555,size=4k")
}

// loopback brings up the only device of the child's network.
func loopback(s *tracee.Child) error {
	socket, err := s.Call(syscall.SYS_SOCKET, syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	request := loopbackUp()
	at, err := s.Bytes(tracee.Memory(&request))
	if err == nil {
		_, err = s.Call(syscall.SYS_IOCTL, socket, syscall.SIOCSIFFLAGS, at)
	}
	if _, closeErr := s.Call(syscall.SYS_CLOSE, socket); err == nil {
		err = closeErr
	}
	return err
}

// lock adds rules for what was mounted in the child, and enforces the ruleset.
func (c staging) lock() error {
	if c.reached.Mounts {
		if err := c.allow("/dev/shm", rightsWrite|rightsRead); err != nil {
			return err
		}
		if c.Level == Strict {
			if err := c.allow("/proc", rightsRead); err != nil {
				return err
			}
		}
	}
	if c.View != nil {
		if err := c.allowInside(); err != nil {
			return err
		}
	}
	if _, err := c.child.Call(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0); err != nil {
		return err
	}
	_, err := c.child.Call(sysLandlockRestrict, rulesFile, 0)
	return err
}

// shut closes what the child inherited beside its three streams: the ruleset,
// and what this process got from its own parent.
func shut(s *tracee.Child) error {
	_, err := s.Call(sysCloseRange, rulesFile, uintptr(^uint32(0)), 0)
	return err
}

// allow adds a rule for a path as the child sees it.
func (c staging) allow(path string, rights uint64) error {
	defer c.child.Forget()
	at, err := c.child.Text(path)
	if err != nil {
		return err
	}
	file, err := c.child.Call(syscall.SYS_OPENAT, tracee.AtHere, at, oPath|syscall.O_CLOEXEC, 0)
	if tracee.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	rule := pathRule(rights&c.rights(), int(file))
	if at, err = c.child.Bytes(rule[:]); err == nil {
		_, err = c.child.Call(sysLandlockAdd, rulesFile, landlockPathBeneath, at, 0)
	}
	if _, closeErr := c.child.Call(syscall.SYS_CLOSE, file); err == nil {
		err = closeErr
	}
	return err
}

// drop leaves the child the capabilities that ordinary programs of root need,
// and none without privileges.
func (c staging) drop() error {
	header, data := capHeader{version: capVersion}, [2]capData{}
	if c.reached.Tree == pidTree {
		data[0] = capData{effective: keptCaps, permitted: keptCaps}
	}
	headerAt, err := c.child.Bytes(tracee.Memory(&header))
	if err != nil {
		return err
	}
	dataAt, err := c.child.Bytes(tracee.Memory(&data))
	if err == nil {
		_, err = c.child.Call(syscall.SYS_CAPSET, headerAt, dataAt)
	}
	return err
}

// install sets the filter of system calls.
func (c staging) install() error {
	program, instructions := callfilter.Program()
	code, err := c.child.Bytes(program)
	if err != nil {
		return err
	}
	about := struct {
		n    uint16
		_    [6]byte
		code uint64
	}{n: uint16(instructions), code: uint64(code)}
	at, err := c.child.Bytes(tracee.Memory(&about))
	if err == nil {
		_, err = c.child.Call(callfilter.Seccomp, 1, 0, at)
	}
	return err
}
