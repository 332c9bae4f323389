package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/view"
)

// look finds out whether there can be the view, at every level: mounts that are
// the command's own are made for it alone where the level does not make them.
func (c *confinement) look(a abilities) error {
	refuse := func(reason error) error { return &ViewError{At: c.View.At, Reason: reason} }
	if err := view.Check(c.View); err != nil {
		return refuse(err)
	}
	if ok, reason := a.mounts(); !ok {
		return refuse(errors.New(reason))
	}
	tree, _ := a.tree()
	c.sight.user = tree == userTree
	if c.View.Trusted && (c.sight.user || !firstUsers()) {
		return refuse(errors.New("an overlay cannot keep its notes where only root can set them"))
	}
	if c.Workspace == c.View.At {
		return nil
	}
	if real, err := filepath.EvalSymlinks(c.Workspace); err != nil || real != c.View.At {
		return refuse(fmt.Errorf("the workspace is %q", c.Workspace))
	}
	c.Workspace = c.View.At
	return nil
}

// firstUsers reports whether this process is in the first user namespace. In
// another one, as of a container without privileges, even root may not set
// attributes that only root may set.
var firstUsers = sync.OnceValue(func() bool {
	mapping, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(mapping)), " ") == "0 0 4294967295"
})

// ReachBind reports whether commands can be shown another folder in place of
// their workspace. It is tried once per process.
var ReachBind = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "planlock-probe-")
	if err != nil {
		return false
	}
	defer layer.Discard(context.Background(), dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false
	}
	at, from := filepath.Join(dir, "at"), filepath.Join(dir, "from")
	if err := errors.Join(os.Mkdir(at, 0o700), os.MkdirAll(filepath.Join(from, "shown"), 0o700)); err != nil {
		return false
	}
	return showsView(at, &layer.View{At: at, From: from}, "cd shown") == nil
})

// An Overlay is how commands can be shown one.
type Overlay struct {
	Can     bool
	Trusted bool // its notes can be kept where only root can write them
}

// ReachOverlay is how commands can be shown overlays whose folders lie below
// state, which must be there. It is tried once per process and folder: with what
// file systems lack that cannot keep the upper folder of one, a file that was
// removed and a folder that was replaced.
func ReachOverlay(state string) Overlay {
	found, _ := probedOverlays.LoadOrStore(state, sync.OnceValue(func() Overlay { return probeOverlay(state) }))
	return found.(func() Overlay)()
}

// probedOverlays are functions that probe a folder once.
var probedOverlays sync.Map

// probeOverlay tries in a folder of its own what overlays are needed for.
func probeOverlay(state string) Overlay {
	if ok, _ := machine().mounts(); !ok {
		return Overlay{}
	}
	dir, err := os.MkdirTemp(state, ".probe-")
	if err != nil {
		return Overlay{}
	}
	defer layer.Discard(context.Background(), dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Overlay{}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, path := range []string{"at", "upper", "work", "lower/folder/in", "lower/file"} {
		if err := os.MkdirAll(in(path), 0o700); err != nil {
			return Overlay{}
		}
	}
	tree, _ := machine().tree()
	trusted := tree != userTree && firstUsers()
	can := showsView(in("at"), &layer.View{At: in("at"), Lowers: []string{in("lower")}, Upper: in("upper"),
		Work: in("work"), Trusted: trusted},
		"rm -r folder && mkdir folder && rmdir file && test -z \"$(ls folder)\" && test ! -e file") == nil
	return Overlay{Can: can, Trusted: can && trusted}
}

// showsView runs a script that finds out whether it is shown a view.
func showsView(workspace string, shown *layer.View, script string) error {
	box := confinement{Sandbox: Sandbox{Level: None, Workspace: workspace, View: shown},
		reached: Reached{Level: None, Tree: groupTree}, dir: workspace}
	if err := box.look(machine()); err != nil {
		return err
	}
	cmd := &osexec.Cmd{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", script}, Dir: "/"}
	cmd.Env = []string{"PATH=/bin:/usr/bin"}
	err := launch(cmd, box, func(tree) {})
	if err == nil && !cmd.ProcessState.Success() {
		err = errors.New("it does not hold what was written")
	}
	return err
}
