package process

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/view"
)

// How a tree is held that no namespace holds, and the capabilities that
// children get for a moment.
const (
	groupTree = "process group"

	capDACOverride = 1
	capNetAdmin    = 12
	capSysAdmin    = 21
)

// isolate asks for the namespaces of box.
func isolate(attr *syscall.SysProcAttr, box confinement) {
	if box.reached.Tree != groupTree {
		attr.Cloneflags |= syscall.CLONE_NEWPID
	}
	if box.mounts() {
		attr.Cloneflags |= syscall.CLONE_NEWNS
	}
	if box.reached.Mounts {
		attr.Cloneflags |= syscall.CLONE_NEWIPC
	}
	if box.reached.NoNetwork && (box.reached.staged || box.reached.Tree == userTree) {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if !box.foreign() {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	if box.reached.NoNetwork {
		// over its own, empty network only: to bring the loopback device up
		attr.AmbientCaps = append(attr.AmbientCaps, capNetAdmin)
	}
	if box.mounts() {
		attr.AmbientCaps = append(attr.AmbientCaps, capSysAdmin) // over its own mounts only, until they are made
	}
	if box.View != nil || box.Own != nil && box.mounts() {
		attr.AmbientCaps = append(attr.AmbientCaps, capDACOverride) // over files of its own user, by the overlay
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
	case len(script) > 0, box.View != nil: // the program is looked for in the view
		script = append(script, `exec "$@"`)
	default:
		return args
	}
	return append([]string{"/bin/sh", "-c", strings.Join(script, "\n"), "planlock"}, args...)
}

// mounts reports whether the child has mounts of its own.
func (c confinement) mounts() bool { return c.reached.Mounts || c.View != nil }

// foreign reports whether the child has a user namespace of its own.
func (c confinement) foreign() bool {
	return c.reached.Tree == userTree || c.View != nil && c.sight.user
}

// stages reports whether something is made from inside the child.
func (c confinement) stages() bool { return c.reached.staged || c.View != nil }

// outside are the paths that are no part of a view.
func outside(v *layer.View, paths []string) []string {
	if v == nil {
		return paths
	}
	return slices.DeleteFunc(paths, func(path string) bool { return view.Within(v.At, path) })
}
