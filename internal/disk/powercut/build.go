package powercut

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Build makes dir, which must not exist, what is left after the cut. What is
// pending then fares as choose says.
func (c *Cut) Build(dir string, choose Choice) error {
	img := c.image(choose)
	b := builder{img: img, made: map[int]string{}}
	if err := b.build(dir, root); err != nil {
		return fmt.Errorf("powercut: %w", err)
	}
	return nil
}

// A builder writes an image into a folder. made is where each node stands
// already, for further names of a file.
type builder struct {
	img  image
	made map[int]string
}

// build makes what a node is, at path. A folder has its mode last, since it may
// forbid to write in it.
func (b *builder) build(path string, at int) error {
	n := b.img[at]
	if first, again := b.made[at]; again && n.names == nil {
		return os.Link(first, path)
	} else if again {
		return fmt.Errorf("folder %q has two names", path)
	}
	b.made[at] = path
	switch {
	case n.names != nil:
		return b.folder(path, n)
	case n.mode&fs.ModeSymlink != 0:
		return os.Symlink(n.target, path)
	case !n.mode.IsRegular():
		return fmt.Errorf("%q is a special file", path)
	}
	if err := os.WriteFile(path, n.data, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Chmod(path, n.mode), os.Chtimes(path, n.time, n.time))
}

func (b *builder) folder(path string, n *node) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		if err := b.build(filepath.Join(path, name), n.names[name]); err != nil {
			return err
		}
	}
	return os.Chmod(path, n.mode)
}
