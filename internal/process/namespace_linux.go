package process

import (
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/planlock/planlock/internal/process/callfilter"
)

const (
	groupTree = "process group"

	capNetAdmin = 12
	capSysAdmin = 21
)

// treeAbility finds out which namespaces this process may make, by making them.
func treeAbility() (tree, reason string) { return probedTree() }

var probedTree = sync.OnceValues(func() (string, string) {
	if wholly(pidTree) {
		return pidTree, ""
	}
	direct := probe(Reached{Tree: pidTree})
	if direct == nil {
		return pidTree, ""
	}
	if wholly(userTree) {
		return userTree, ""
	}
	user := probe(Reached{Tree: userTree})
	if user == nil {
		return userTree, ""
	}
	return groupTree, fmt.Sprintf("no PID namespace (%v; with a user namespace: %v), so processes are found by group and environment",
		direct, user)
})

// wholly tries everything that the child of a tree is asked for without being
// asked for more, at once. Where that works each part of it does, which spares
// a process for each; where it does not, they find out what is missing.
func wholly(tree string) bool {
	switch tree {
	case pidTree:
		return probedPidTree()
	case userTree:
		return probedUserTree()
	}
	return false
}

var (
	probedPidTree  = sync.OnceValue(func() bool { return callfilter.Known && probe(whole(pidTree)) == nil })
	probedUserTree = sync.OnceValue(func() bool { return callfilter.Known && probe(whole(userTree)) == nil })
)

// whole is a tree with all that wholly tries.
func whole(tree string) Reached {
	return Reached{Tree: tree, Landlock: usableLandlock(), staged: true, tethered: true, Filter: true, Mounts: true}
}

// networkAbility finds out whether this process may make a network namespace.
func networkAbility() (ok bool, reason string) { return probedNetwork() }

var probedNetwork = sync.OnceValues(func() (bool, string) {
	tree, _ := treeAbility()
	if tree == groupTree {
		return false, "no network namespace without a PID namespace"
	}
	staged, _ := stageAbility()
	if err := probe(Reached{Tree: tree, NoNetwork: true, staged: staged}); err != nil {
		return false, fmt.Sprintf("no network namespace (%v)", err)
	}
	return true, ""
})

// probe runs nothing as far confined as reached says.
func probe(reached Reached) error {
	box := confinement{reached: reached}
	cmd := &osexec.Cmd{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", ":"}, Env: []string{}, Dir: "/"}
	err := launch(cmd, box, func(tree) {})
	switch {
	case err != nil:
		return plain(err)
	case !cmd.ProcessState.Success():
		return errors.New(cmd.ProcessState.String())
	}
	return nil
}

// plain is the innermost error: a reason is part of the envelope and must not
// hold paths or numbers.
func plain(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

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
