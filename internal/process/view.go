package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

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

// trialName begins the names of the folders in which something is tried.
const trialName = ".probe-"

// leftAfter is how old such a folder is once whoever tried something in it is
// gone: a trial takes milliseconds.
const leftAfter = time.Hour

// SweepTrials removes from a folder of planlock's own what trials left there
// whose process was killed.
func SweepTrials(state string) {
	list, _ := os.ReadDir(state) // where there is none, nothing is left
	for _, e := range list {
		info, err := e.Info()
		if err == nil && info.IsDir() && strings.HasPrefix(e.Name(), trialName) &&
			time.Since(info.ModTime()) > leftAfter {
			_ = layer.Discard(context.Background(), filepath.Join(state, e.Name())) // the next one tries again
		}
	}
}

// An Overlay is how commands can be shown one.
type Overlay struct {
	Can     bool
	Trusted bool // its notes can be kept where only root can write them
}
