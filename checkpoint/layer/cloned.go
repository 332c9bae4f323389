package layer

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// cloned is the engine of layers that are copies.
type cloned struct {
	dir   string       // of the copy
	at    string       // where commands are shown it; "": they work in dir
	tree  *ledger.Tree // of what was copied
	files *os.Root
}

// cloneName is the folder of a copy in that of its layer.
const cloneName = "clone"

// clone makes a layer that is a copy of the workspace. Where shown, commands
// see it at the path of the workspace; else they work in a folder elsewhere.
func (s *site) clone(ctx context.Context, name string, shown bool) (*Layer, error) {
	at := ""
	if shown {
		at = s.workspace
	}
	return s.layer(name, func(dir string) (engine, error) { return newCloned(ctx, s.workspace, dir, at) })
}

// newCloned copies a folder into that of a layer.
func newCloned(ctx context.Context, from, dir, at string) (*cloned, error) {
	c := &cloned{dir: filepath.Join(dir, cloneName), at: at}
	if err := Clone(ctx, from, c.dir); err != nil {
		return nil, err
	}
	var err error
	if c.tree, err = new(scan.Scanner).Scan(ctx, c.dir, nil); err != nil {
		return nil, err
	}
	c.files, err = os.OpenRoot(c.dir)
	return c, err
}

func (c *cloned) view() (*View, error) {
	if c.at == "" {
		return nil, nil
	}
	return &View{At: c.at, From: c.dir}, nil
}

func (c *cloned) folder() string { return c.dir }

func (c *cloned) writable() bool { return true }

func (c *cloned) on(ctx context.Context, dir string) (engine, error) {
	return newCloned(ctx, c.dir, dir, c.at)
}

func (c *cloned) changes(ctx context.Context, base *ledger.Tree) (*Difference, error) {
	now, err := new(scan.Scanner).Scan(ctx, c.dir, c.tree)
	if err != nil {
		return nil, err
	}
	d := new(Difference)
	for _, change := range ledger.Diff(c.tree, now) {
		if dir, in := repository(change.Path); in {
			d.lose(dir, notDelivered)
			continue
		}
		if base != nil && base.Level(change.Path) <= ledger.Tracked {
			change.Before = nil
			if e, ok := base.Lookup(change.Path); ok {
				change.Before = &e
			}
		}
		d.note(change.Before, change.After)
		if change.After != nil && change.After.Kind == ledger.File {
			if err := c.attributes(change.Path, d); err != nil {
				return nil, err
			}
		}
	}
	d.sort()
	return d, nil
}

// attributes notes those of a file.
func (c *cloned) attributes(name string, d *Difference) error {
	f, err := openRegular(c.files, name)
	if err != nil {
		return err
	}
	_, names, err := noMarks.list(f)
	for _, attribute := range names {
		d.lose(name, "attribute %s", attribute)
	}
	return errors.Join(err, f.Close())
}

// repository is the folder, or file, of a repository that a path is or lies in.
func repository(name string) (string, bool) {
	for i := 0; i <= len(name); {
		end := strings.IndexByte(name[i:], '/')
		if end < 0 {
			return name, reserved(name)
		}
		if i += end; reserved(name[:i]) {
			return name[:i], true
		}
		i++
	}
	return "", false
}

// reserved reports whether a path is one of those that are never delivered: a
// repository, or the folder of the controller.
func reserved(name string) bool {
	return strings.EqualFold(name, own) || strings.EqualFold(path.Base(name), ".git")
}

func (c *cloned) open(name string) (io.ReadCloser, error) { return openRegular(c.files, name) }

func (c *cloned) close() error { return c.files.Close() }
