package process

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/callfilter"
)

// TryOut finds out with one process what most machines can do: all that
// [Reach] looks for at level filesystem, [ReachBind], and overlays whose
// folders lie below state. Where any of it does not work, whoever asks for a
// part finds out about that. clean removes the folder of the trial, which others
// need not wait for.
func TryOut(state string) (clean func()) {
	clean = func() {}
	folder, err := os.Lstat(state)
	if err != nil || !folder.IsDir() || !callfilter.Known {
		return clean
	}
	for _, tree := range []string{pidTree, userTree} {
		all := confinement{Sandbox: Sandbox{Level: Filesystem, Writable: []string{}}, reached: whole(tree)}
		holds := trials[tree].holds(func() bool {
			found, cleans := tryOverlay(state, tree, all)
			clean = cleans
			if found.Can {
				probedOverlays.Store(fileSystem(folder), func() Overlay { return found })
			}
			return found.Can || probe(all.reached) == nil
		})
		if holds {
			return clean
		}
		clean()
	}
	return func() {}
}

// ReachBind reports whether commands can be shown another folder in place of
// their workspace. It is tried once per process.
func ReachBind() bool { return probedBind() }

// probedBind needs nothing where all mounts of a command were made.
var probedBind = sync.OnceValue(func() bool {
	if ok, _ := mountsAbility(); !ok {
		return false
	}
	tree, _ := treeAbility()
	return wholly(tree) || tryBind(tree)
})

// tryBind shows a command a folder in place of another one.
func tryBind(tree string) bool {
	can, clean := inFolder(os.TempDir(), []string{"at", "from/shown"}, func(dir string) bool {
		return shows(tree, confinement{}, &layer.View{At: filepath.Join(dir, "at"), From: filepath.Join(dir, "from")}, "cd shown")
	})
	clean()
	return can
}

// ReachOverlay is how commands can be shown overlays whose folders lie below
// state, which must be there. It is tried once per process and file system:
// with what those lack that cannot keep the upper folder of one, a file that
// was removed and a folder that was replaced.
func ReachOverlay(state string) Overlay {
	file, err := os.Stat(state)
	if err != nil {
		return Overlay{}
	}
	found, _ := probedOverlays.LoadOrStore(fileSystem(file), sync.OnceValue(func() Overlay {
		if ok, _ := mountsAbility(); !ok {
			return Overlay{}
		}
		tree, _ := treeAbility()
		found, clean := tryOverlay(state, tree, confinement{})
		clean()
		return found
	}))
	return found.(func() Overlay)()
}

// probedOverlays are functions that probe a file system once.
var probedOverlays sync.Map

// fileSystem is the number of the file system that a file is on.
func fileSystem(file os.FileInfo) any { return file.Sys().(*syscall.Stat_t).Dev }

// tryOverlay tries in a folder of its own what overlays are needed for, by a
// command as far confined as box says. The folder is there until clean is called.
func tryOverlay(state, tree string, box confinement) (found Overlay, clean func()) {
	trusted := tree != userTree && firstUsers()
	folders := []string{"at", "upper", "work", "lower/folder/in", "lower/gone"}
	can, clean := inFolder(state, folders, func(dir string) bool {
		in := func(name string) string { return filepath.Join(dir, name) }
		v := &layer.View{At: in("at"), Lowers: []string{in("lower")}, Upper: in("upper"),
			Work: in("work"), Trusted: trusted}
		return shows(tree, box, v, `rm -r folder gone && mkdir folder && set -- folder/* && test ! -e "$1" && test ! -e gone`)
	})
	return Overlay{Can: can, Trusted: can && trusted}, clean
}

// inFolder makes a folder in a place, and others in it, for try. clean removes
// all of it.
func inFolder(place string, folders []string, try func(dir string) bool) (ok bool, clean func()) {
	made, err := os.MkdirTemp(place, trialName)
	if err != nil {
		return false, func() {}
	}
	clean = func() { _ = layer.Discard(context.Background(), made) } // what is left is swept later
	dir := made
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false, clean
	}
	for _, name := range folders {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	return err == nil && try(dir), clean
}

// shows runs a script that finds out whether a command is shown a view. The
// zero box confines it no further.
func shows(held string, box confinement, v *layer.View, script string) bool {
	if box.reached.Tree == "" {
		box.reached = Reached{Level: None, Tree: groupTree}
	}
	box.Workspace, box.View, box.dir, box.sight.user = v.At, v, v.At, held == userTree
	cmd := &osexec.Cmd{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", script}, Dir: "/"}
	cmd.Env = []string{"PATH=/bin:/usr/bin"}
	return launch(cmd, box, func(tree) {}) == nil && cmd.ProcessState.Success()
}
