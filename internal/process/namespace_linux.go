package process

import (
	"os"
	"strings"
	"syscall"
)

// How a tree is held that no namespace holds, and the capabilities that
// children get for a moment.
const (
	groupTree = "process group"

	capNetAdmin = 12
	capSysAdmin = 21
)

// isolate asks for the namespaces of box.
func isolate(attr *syscall.SysProcAttr, box confinement) {
	attr.Cloneflags |= syscall.CLONE_NEWPID
	if box.reached.Mounts {
		attr.Cloneflags |= syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	}
	if box.reached.NoNetwork && (box.reached.staged || box.reached.Tree == userTree) {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if box.reached.Tree != userTree {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	if box.reached.NoNetwork {
		// over its own, empty network only: to bring the loopback device up
		attr.AmbientCaps = append(attr.AmbientCaps, capNetAdmin)
	}
	if box.reached.Mounts {
		attr.AmbientCaps = append(attr.AmbientCaps, capSysAdmin) // over its own mounts only, until they are made
	}
}

// wrap puts args behind a shell that sets limits, and that is the first process
// of a PID namespace: it takes in orphans, and gives the command the ordinary
// effect of signals, which a first process does not have. It says nothing
// itself: its standard error is closed while the command has the real one.
func wrap(args []string, box confinement) []string {
	script := limits(box)
	switch held := box.reached.Tree != groupTree; {
	case held && box.reached.NoNetwork && box.reached.Tree == userTree && !box.reached.staged:
		script = append(script, "{ /sbin/ip link set lo up || /usr/sbin/ip link set lo up || /sbin/ifconfig lo up; } >/dev/null 2>&1")
		fallthrough
	case held:
		script = append(script, `exec 3>&2 2>&-`, `(exec 2>&3 3>&-; exec "$@")`, `exit $?`)
	case len(script) > 0:
		script = append(script, `exec "$@"`)
	default:
		return args
	}
	return append([]string{"/bin/sh", "-c", strings.Join(script, "\n"), "planlock"}, args...)
}
