package process

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/planlock/planlock/checkpoint/layer"
)

// A Copying says how overlays can be mounted that are a command's own.
type Copying struct {
	Can     bool
	Trusted bool // they keep their notes where only root can set them
}

// ReachCopies says whether commands can be shown overlays that keep what they
// write in folders below state. It is tried once per process and folder.
func ReachCopies(state string) Copying {
	found, _ := probedCopies.LoadOrStore(state, sync.OnceValue(func() Copying { return probeCopies(state) }))
	return found.(func() Copying)()
}

// probedCopies are functions that probe a folder once.
var probedCopies sync.Map

// probeCopies shows a small overlay to a command, and looks whether what was
// removed in it stays removed. Nothing of it is left.
func probeCopies(state string) Copying {
	if ok, _ := machine().mounts(); !ok {
		return Copying{}
	}
	dir, err := os.MkdirTemp(state, ".probe-")
	if err != nil {
		return Copying{}
	}
	defer layer.Discard(context.Background(), dir) // what is left of it says nothing and is in nobody's way
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Copying{}
	}
	tree, _ := machine().tree()
	v := &layer.View{At: filepath.Join(dir, "at"), Lowers: []string{filepath.Join(dir, "lower")},
		Upper: filepath.Join(dir, "upper"), Work: filepath.Join(dir, "work"), Trusted: tree != userTree && firstUsers()}
	for _, path := range slices.Concat(v.Lowers, []string{v.At, v.Upper, v.Work, filepath.Join(dir, "lower", "folder", "in")}) {
		if os.MkdirAll(path, 0o700) != nil {
			return Copying{}
		}
	}
	const script = "rm -r folder && mkdir folder && test -z \"$(ls folder)\""
	return Copying{Can: showsView(v.At, v, script) == nil, Trusted: v.Trusted}
}
