package process

import (
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"sync"

	"github.com/planlock/planlock/internal/process/callfilter"
)

// machine finds out what this one can do by doing it, once for a process.
func machine() abilities {
	return abilities{
		tree: treeAbility, landlock: landlockAbility, groups: groupAbility,
		network: networkAbility, protect: protectAbility, stage: stageAbility, mounts: mountsAbility,
		tether: tetherAbility, graphics: func() []string { return graphics("/dev") },
	}
}

// treeAbility finds out which namespaces this process may make, by making them.
func treeAbility() (tree, reason string) { return probedTree() }

// probedTree tries the trees that hold best first.
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

// A trial finds something out once.
type trial struct {
	once sync.Once
	ok   bool
}

// holds is what try found, this time or before.
func (t *trial) holds(try func() bool) bool {
	t.once.Do(func() { t.ok = try() })
	return t.ok
}

// trials are those of everything at once.
var trials = map[string]*trial{pidTree: {}, userTree: {}}

// wholly tries everything that the child of a tree is asked for without being
// asked for more, at once. Where that works each part of it does, which spares
// a process for each; where it does not, they find out what is missing.
func wholly(tree string) bool {
	t := trials[tree]
	return t != nil && t.holds(func() bool { return callfilter.Known && probe(whole(tree)) == nil })
}

// whole is a tree with all that wholly tries.
func whole(tree string) Reached {
	return Reached{Tree: tree, Landlock: usableLandlock(), staged: true, tethered: true, Filter: true, Mounts: true}
}

// networkAbility finds out whether this process may make a network namespace.
func networkAbility() (ok bool, reason string) { return probedNetwork() }

// probedNetwork starts a child without a network: what a kernel says of itself
// and what a container lets through are two things.
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
	box := confinement{reached: reached, dir: "/"}
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

// tetherAbility finds out whether the first process of a tree may look for its
// program by way of the thread that forks it: some mounts of /proc hide the
// processes of others, and those of another user namespace are others.
func tetherAbility(tree string) bool {
	switch tree {
	case pidTree:
		return wholly(tree) || probedPidTether()
	case userTree:
		return wholly(tree) || probedUserTether()
	}
	return false
}

var (
	probedPidTether  = sync.OnceValue(func() bool { return probe(Reached{Tree: pidTree, tethered: true}) == nil })
	probedUserTether = sync.OnceValue(func() bool { return probe(Reached{Tree: userTree, tethered: true}) == nil })
)

// landlockAbility is the version of Landlock in the running kernel.
func landlockAbility() (version int, reason string) { return probedLandlock() }

// probedLandlock restricts a thread that ends with it. The version alone does
// not say that the calls are let through.
var probedLandlock = sync.OnceValues(func() (int, string) {
	version, err := landlockVersion()
	if err == nil {
		err = onSpoiledThread(func() error { return landlock(confinement{reached: Reached{Landlock: version}}) })
	}
	switch {
	case err != nil:
		return 0, fmt.Sprintf("no Landlock (%v)", plain(err))
	case version < landlockNeeded:
		return version, fmt.Sprintf("Landlock %d is older than version %d", version, landlockNeeded)
	case version < 3:
		return version, "Landlock 2 does not confine truncate"
	}
	return version, ""
})

// protectAbility finds out whether this process may make folders read-only for
// its children alone.
func protectAbility() (ok bool, reason string) { return probedProtect() }

// probedProtect needs nothing where children have mounts of their own anyway.
var probedProtect = sync.OnceValues(func() (bool, string) {
	tree, _ := treeAbility()
	if mounts, _ := mountsAbility(); mounts {
		return true, ""
	}
	if tree != pidTree {
		return false, "no mount namespace without privileges, so .git and .planlock are watched and not read-only"
	}
	if err := onSpoiledThread(leaveMounts); err != nil {
		return false, fmt.Sprintf("no mount namespace (%v), so .git and .planlock are watched and not read-only",
			plain(err))
	}
	return true, ""
})

// stageAbility finds out whether this process may hold its children and make
// system calls for them.
func stageAbility() (ok bool, reason string) { return probedStage() }

// probedStage holds a child and installs the filter in it.
var probedStage = sync.OnceValues(func() (bool, string) {
	if !callfilter.Known {
		return false, "no filter of system calls and no mounts of its own on this architecture"
	}
	tree, _ := treeAbility()
	if wholly(tree) {
		return true, ""
	}
	if err := probe(Reached{Tree: tree, Landlock: usableLandlock(), staged: true, Filter: true}); err != nil {
		return false, fmt.Sprintf("no filter of system calls (%v)", plain(err))
	}
	return true, ""
})

// usableLandlock is the version to use, 0 where it is too old.
func usableLandlock() int {
	version, _ := landlockAbility()
	if version < landlockNeeded {
		return 0
	}
	return version
}

// mountsAbility finds out whether this process may give its children mounts of
// their own.
func mountsAbility() (ok bool, reason string) { return probedMounts() }

// withoutMounts is what it means for a user that there are none.
const withoutMounts = "so modes, owners, times and attributes of files outside can be changed"

// probedMounts makes all mounts that a command would get.
var probedMounts = sync.OnceValues(func() (bool, string) {
	if ok, reason := stageAbility(); !ok {
		return false, reason + ", " + withoutMounts
	}
	tree, _ := treeAbility()
	if tree == groupTree {
		return false, "no mount namespace, " + withoutMounts
	}
	if wholly(tree) {
		return true, ""
	}
	all := whole(tree)
	all.tethered = tetherAbility(tree)
	if err := probe(all); err != nil {
		return false, fmt.Sprintf("no mounts of its own (%v), %s", plain(err), withoutMounts)
	}
	return true, ""
})

// groupAbility finds out below which of its own control groups this process may
// make others that limit memory and processes.
func groupAbility() (hierarchies, string) { return probedGroups() }

// probedGroups finds out by the files of the control groups themselves who may
// write them.
var probedGroups = sync.OnceValues(func() (hierarchies, string) {
	if tree, _ := treeAbility(); !wholly(tree) {
		if err := probe(Reached{Tree: groupTree, staged: true}); err != nil {
			return hierarchies{}, fmt.Sprintf("no control groups, because a child cannot be held (%v)", plain(err))
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return hierarchies{}, "no control groups"
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return hierarchies{}, "no control groups"
	}
	h := findGroups(string(mounts), string(own))
	h.memory, h.pids = usable(h.memory, h.unified, "memory"), usable(h.pids, h.unified, "pids")
	switch {
	case h.memory == "" && h.pids == "":
		return h, "no control groups that this user may use"
	case h.memory == "":
		return h, "no control group for memory that this user may use"
	case h.pids == "":
		return h, "no control group for processes that this user may use"
	}
	return h, ""
})
