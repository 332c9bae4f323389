package process

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/planlock/planlock/internal/process/callfilter"
)

// restrict confines the present thread, and so what it forks, as box says, and
// reports whether the thread is spoiled for other work.
func restrict(box confinement) (spoiled bool, err error) {
	if box.reached.staged { // the child restricts itself
		if box.reached.Tree != pidTree {
			return false, nil
		}
		return true, narrow()
	}
	if box.reached.Tree == pidTree && box.reached.NoNetwork {
		spoiled = true
		if err := leaveNetwork(); err != nil {
			return spoiled, fmt.Errorf("take the network away: %w", err)
		}
	}
	if box.reached.Protected {
		spoiled = true
		if err := protect(box); err != nil {
			return spoiled, fmt.Errorf("make the repository read-only: %w", err)
		}
	}
	if box.confines() {
		spoiled = true
		if err := landlock(box); err != nil {
			return spoiled, fmt.Errorf("confine the file system: %w", err)
		}
	}
	return spoiled, nil
}

// landlockAbility is the version of Landlock in the running kernel.
func landlockAbility() (version int, reason string) { return probedLandlock() }

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

const withoutMounts = "so modes, owners, times and attributes of files outside can be changed"

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

// onSpoiledThread calls f on a thread that ends with it.
func onSpoiledThread(f func() error) error {
	result := make(chan error, 1)
	onThread(func() bool {
		result <- f()
		return true
	})
	return <-result
}

// leaveMounts gives the present thread mounts of its own.
func leaveMounts() error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	return nil
}

// protect makes the protected paths that are there read-only for the present
// thread and its children. Landlock, which comes after it, keeps them from
// mounting anything otherwise.
func protect(box confinement) error {
	if err := leaveMounts(); err != nil {
		return err
	}
	for _, path := range box.protected() {
		err := syscall.Mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("bind %q: %w", path, err)
		}
		var about syscall.Statfs_t
		if err := syscall.Statfs(path, &about); err != nil {
			return fmt.Errorf("look at %q: %w", path, err)
		}
		flags := uintptr(syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY) | kept(int64(about.Flags))
		if err := syscall.Mount("", path, "", flags, ""); err != nil {
			return fmt.Errorf("make %q read-only: %w", path, err)
		}
	}
	return nil
}

// kept are the flags of a mount that a mount of the same content must not lose.
// statfs and mount number them alike, but for the last.
func kept(flags int64) uintptr {
	const relatime = 0x1000
	all := uintptr(flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME)
	if flags&relatime != 0 {
		all |= syscall.MS_RELATIME
	}
	return all
}
