package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/gate"
	processes "github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/view"
)

// A lair is where the layers of a tree lie that are measured.
type lair struct {
	over  *layer.Overlays
	root  string // of the tree
	clone string
	state string
	own   *processes.Own // caches of commands, as those of steps have them
}

// caches begin with what the user's hold, where they can be mounted once.
func (h *lair) caches(trusted bool) (*processes.Own, error) {
	users, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	own := &processes.Own{Folder: filepath.Join(h.state, "own")}
	v := &layer.View{At: filepath.Join(own.Folder, "cache"), Lowers: []string{users},
		Upper: filepath.Join(h.state, "cache", "upper"), Work: filepath.Join(h.state, "cache", "work"), Trusted: trusted}
	for _, folder := range []string{users, v.At, v.Upper, v.Work} {
		err = errors.Join(err, os.MkdirAll(folder, 0o700))
	}
	if file, mountErr := processes.MountAside(v); mountErr == nil {
		own.Copies = []processes.Copy{{View: v, Mounted: file}}
	}
	return own, err
}

// overlays measures layers of a tree: the launch of a command in one, what
// changed there, and the drop; the same of git, in the tree itself.
func (s settings) overlays(ctx context.Context, name string, f *forest, all *table) error {
	if !s.wants(goalLaunch, goalPlain, goalWalkTen, goalWalkMany, goalDropTen, goalDropMany, goalGone) {
		return nil
	}
	state, err := s.folder(name + "/layers")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state, 0o755); err != nil {
		return err
	}
	can := processes.ReachOverlay(state)
	if !can.Can {
		fmt.Fprintln(os.Stderr, "limits: no overlays here, their rows are left out")
		return nil
	}
	h := &lair{root: f.root, state: state, clone: filepath.Join(state, "clone")}
	if err := layer.Clone(ctx, h.root, h.clone); err != nil {
		return err
	}
	if h.over, err = layer.Over(h.clone, h.root, filepath.Join(state, "layers"), can.Trusted); err != nil {
		return err
	}
	if h.own, err = h.caches(can.Trusted); err != nil {
		return err
	}
	for _, each := range h.own.Copies {
		defer each.Mounted.Close()
	}
	if err := s.launches(ctx, name, h, all); err != nil || f.git == nil {
		return err
	}
	for _, row := range []struct {
		files      int
		walk, drop string
		target     float64
	}{{10, goalWalkTen, goalDropTen, 0}, {1000, goalWalkMany, goalDropMany, 0.1}} {
		var walk, drop, gone pair
		for range s.rounds {
			if err := f.settle(ctx); err != nil {
				return err
			}
			if err := h.attempt(ctx, f, min(row.files, f.files), &walk, &drop, &gone); err != nil {
				return err
			}
		}
		all.ratio(row.walk, name, walk.ours, walk.theirs, 0)
		all.ratio(row.drop, name, drop.ours, drop.theirs, row.target)
		all.ratio(goalGone, name, gone.ours, drop.theirs, 0)
	}
	return h.over.Close()
}

// enter runs true in a layer.
func (h *lair) enter(ctx context.Context, l *layer.Layer) error {
	view, err := l.View()
	if err != nil {
		return err
	}
	return h.run(ctx, view, "true", "")
}

// run runs a shell command, with a view of the tree or without.
func (h *lair) run(ctx context.Context, v *layer.View, script, stdin string) error {
	r := &processes.Runner{Dir: h.root, Sandbox: processes.Sandbox{Level: processes.Filesystem, View: v, Workspace: h.root, Own: h.own}}
	result, err := r.Run(ctx, gate.Command{Run: script, Stdin: strings.NewReader(stdin)})
	if err == nil && result.Exit != 0 {
		err = fmt.Errorf("%s: %+v", script, result)
	}
	return err
}

// launches measures a command that does nothing: in a layer, without one, and
// as unshare runs it.
func (s settings) launches(ctx context.Context, name string, h *lair, all *table) error {
	var in, out, theirs []time.Duration
	for range 10 * s.rounds {
		l, err := h.over.New("")
		if err != nil {
			return err
		}
		if err := timed(&in, func() error { return h.enter(ctx, l) }); err != nil {
			return err
		}
		if err := l.Drop(); err != nil {
			return err
		}
		if err := h.unshare(&theirs); err != nil {
			return err
		}
		if err := timed(&out, func() error { return h.run(ctx, nil, "true", "") }); err != nil {
			return err
		}
	}
	all.ratio(goalLaunch, name, in, theirs, 1.3)
	all.ratio(goalPlain, name, in, out, 0)
	return nil
}

// unshare mounts the same overlay by the means of a shell.
func (h *lair) unshare(into *[]time.Duration) error {
	dir, err := os.MkdirTemp(h.state, "unshare-")
	if err != nil {
		return err
	}
	defer layer.Discard(context.Background(), dir)
	v := &layer.View{At: h.root, Lowers: []string{h.clone}, Upper: filepath.Join(dir, "upper"), Work: filepath.Join(dir, "work"),
		Trusted: os.Geteuid() == 0}
	if err := errors.Join(os.Mkdir(v.Upper, 0o755), os.Mkdir(v.Work, 0o755)); err != nil {
		return err
	}
	options, err := view.Options(v)
	if err != nil {
		return err
	}
	args := []string{"-m", "-p", "-f"}
	if !v.Trusted {
		args = append(args, "-U", "-r")
	}
	cmd := osexec.Command("unshare", append(args, "/bin/sh", "-c", `mount -t overlay planlock -o "$1" "$2" && true`, "sh", options, h.root)...)
	return timed(into, func() error {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("unshare: %w: %s", err, out)
		}
		return nil
	})
}

// attempt writes the same files in a layer, and in the tree; both say what
// changed, and take it back.
func (h *lair) attempt(ctx context.Context, f *forest, files int, walk, drop, gone *pair) error {
	l, err := h.over.New("")
	if err != nil {
		return err
	}
	view, err := l.View()
	if err != nil {
		return err
	}
	f.change++
	if err := h.run(ctx, view, fmt.Sprintf(`while read -r name; do printf '%%07d\n' %d >"$name"; done`, f.change),
		strings.Join(f.wood.some(files, f.change), "\n")+"\n"); err != nil {
		return err
	}
	if err := timed(&walk.ours, func() error {
		changes, err := l.Changes(ctx, f.tree)
		if err == nil && len(changes) != files {
			err = fmt.Errorf("%d changes instead of %d", len(changes), files)
		}
		return err
	}); err != nil {
		return err
	}
	if err := timed(&drop.ours, l.Drop); err != nil {
		return err
	}
	if err := timed(&gone.ours, h.over.Close); err != nil {
		return err
	}
	gone.ours[len(gone.ours)-1] += drop.ours[len(drop.ours)-1]
	if err := f.touch(files); err != nil {
		return err
	}
	if err := timed(&walk.theirs, func() error { return f.git("status", "--porcelain") }); err != nil {
		return err
	}
	return timed(&drop.theirs, func() error {
		return errors.Join(f.git("restore", "."), f.git("clean", "-fdq"))
	})
}
