package powercut

import (
	"errors"
	"fmt"
	"hash/maphash"
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

// Sum tells states apart: what is left after two cuts is the same where it is
// the same, names, kinds, modes and contents.
func (c *Cut) Sum(seed maphash.Seed, choose Choice) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	c.image(choose).sum(&h, root)
	return h.Sum64()
}

func (img image) sum(h *maphash.Hash, at int) {
	n := img[at]
	fmt.Fprintf(h, "%v %d %q", n.mode, len(n.data), n.target)
	h.Write(n.data)
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		fmt.Fprintf(h, "%q", name)
		img.sum(h, n.names[name])
	}
	h.WriteString("end")
}

type builder struct {
	img  image
	made map[int]string
}

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
