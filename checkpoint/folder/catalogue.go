package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// A catalogue knows where each content lies: in a pack, as the stored index
// says, or as was found in the packs since that was written. It is not safe for
// concurrent use.
type catalogue struct {
	dir     string              // of the packs
	root    *disk.Root          // where it leads from
	own     *ownPack            // of this opening, made by the first Put; nil before
	stored  *packIndex          // nil: none
	index   places              // what is not in it
	packs   map[string]packScan // how far each pack was read
	files   packFiles
	indexed int    // contents of index when the stored index was last written
	lost    string // the pack of this opening, if somebody took it away
}

// reload reads the store anew, with the help of its stored index.
func (c *catalogue) reload() error {
	damaged := c.stored != nil && c.stored.damaged.Load()
	c.stored.done()
	own, err := c.ofOwn()
	if err != nil {
		return err
	}
	c.indexed = 0
	c.index, c.packs, c.stored = own, map[string]packScan{}, nil
	c.files.forget()
	sizes, err := c.sizes()
	if err != nil {
		return err
	}
	if !damaged {
		c.takeIndex(sizes)
	}
	return c.loadPacks(sizes)
}

// takeIndex opens the stored index, if it is about the packs that are there.
func (c *catalogue) takeIndex(sizes map[string]int64) {
	stored := readIndex(c.root, c.indexPath())
	if stored == nil {
		return
	}
	if c.own != nil {
		sizes = maps.Clone(sizes)
		sizes[c.own.name] = c.own.written()
	}
	if !stored.fits(sizes) {
		stored.done()
		return
	}
	c.stored = stored
	for _, p := range stored.packs {
		c.packs[p.name] = packScan{p.upTo, p.upTo}
	}
}

// ofOwn is where the contents lie that this opening put: those that are synced
// may be known from the stored index only.
func (c *catalogue) ofOwn() (own places, err error) {
	if c.own == nil || c.lost == c.own.name {
		return own, nil
	}
	for key, w := range c.index.all {
		if w.pack == c.own.name {
			own.put(key, w)
		}
	}
	err = walkPack(c.own.f, c.own.name, int64(packHeader), c.own.marked, func(p packed) error {
		if p.kind != itemMark {
			own.put(p.digest, where{c.own.name, p.place(), true})
		}
		return nil
	}, nil)
	return own, err
}

// load reads what is new in the packs of other processes.
func (c *catalogue) load() error {
	sizes, err := c.sizes()
	if err != nil {
		return err
	}
	// A pack that is gone, or shorter than it was, was collected or cut:
	// nothing that is known of it holds.
	if c.stored != nil && c.stored.damaged.Load() {
		return c.reload()
	}
	for name := range c.packs {
		if size, ok := sizes[name]; !c.isOwn(name) && (!ok || size < c.packs[name].end) {
			return c.reload() // what was in it may lie elsewhere now
		}
	}
	return c.loadPacks(sizes)
}

// sizes lists the packs of others.
func (c *catalogue) sizes() (map[string]int64, error) {
	list, err := c.root.ReadDir(c.dir)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: read store: %w", err)
	}
	sizes := make(map[string]int64, len(list))
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), packExt)
		if !ok || !e.Type().IsRegular() || c.isOwn(name) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("checkpoint: read store: %w", err)
		}
		sizes[name] = info.Size()
	}
	return sizes, nil
}

// isOwn reports whether a pack is that of this opening.
func (c *catalogue) isOwn(name string) bool { return c.own != nil && c.own.name == name }

// loadPacks reads what the packs of others hold beyond where each was read. The
// order of their names is that of their making, so that every opening comes to
// the same places. A pack that goes away meanwhile was collected.
func (c *catalogue) loadPacks(sizes map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if sizes[name] <= c.packs[name].end {
			continue
		}
		if err := c.loadPack(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("checkpoint: read store: pack %q: %w", c.path(name), err)
		}
	}
	return nil
}

// path is the file of a pack.
func (c *catalogue) path(pack string) string { return filepath.Join(c.dir, pack+packExt) }

// loadPack reads a pack from where it was read before. Headers before the last
// mark are believed; contents behind it are hashed, since a crash may have left
// some that are not whole. A pack of another format version is an error, while
// a damaged one costs only what was hit.
func (c *catalogue) loadPack(name string) error {
	f, err := c.root.Open(c.path(name))
	if err != nil {
		return err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	before := c.packs[name]
	if before.end == 0 {
		if begins, err := readBeginning(f, name, info.Size()); err != nil || begins == beginsEmpty {
			return err
		}
		before.end = int64(packHeader) // a damaged header costs nothing else
	}
	scan, err := scanPack(f, name, before.end, info.Size(), func(s sum, p place, sure bool) {
		// Of several copies a durable one counts; else the first that was
		// found, as that is the one that others found too.
		if w, ok := c.find(s); !ok || sure && !w.sure {
			c.index.put(s, where{name, p, sure})
		}
	})
	if scan.marked == before.end {
		scan.marked = before.marked // no mark came
	}
	c.packs[name] = scan
	return err
}

// find says where a content is known to lie.
func (c *catalogue) find(key sum) (where, bool) {
	w, ok := c.index.find(key)
	if !ok {
		w, ok = c.stored.find(key)
	}
	w.sure = w.sure && w.pack != c.lost
	return w, ok
}

// indexPath is the file of the stored index.
func (c *catalogue) indexPath() string { return filepath.Join(filepath.Dir(c.dir), indexName) }

// indexIsOld reports whether so much is not in the stored index that it is
// worth to write it anew: a share of it, so that this costs little in the long
// run.
func (c *catalogue) indexIsOld() bool {
	const contents, packs = 512, 16
	covered := 0
	if c.stored != nil {
		covered = len(c.stored.packs)
	}
	return c.index.len()-c.indexed > contents+(c.stored.len()+c.indexed)/4 || len(c.packs)-covered > packs+covered/4
}

// writeIndex stores where everything lies that is known to be durable, and lets
// go of that.
func (c *catalogue) writeIndex() error {
	packs := c.toIndex()
	temp := filepath.Join(filepath.Dir(c.dir), ".new-"+ulid.Make().String())
	f, err := c.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w := writeIndexOf(io.NewOffsetWriter(f, 0), packs)
	err = c.addAll(w)
	if err = errors.Join(err, w.end(), f.Close()); err == nil {
		err = c.root.Rename(temp, c.indexPath())
	}
	if err != nil {
		return errors.Join(err, file.RemoveIfThere(c.root, temp))
	}
	return c.adopt(readIndex(c.root, c.indexPath()), w)
}

// toIndex are the packs that an index is about, as far as they are durable: an
// index outlives the crash that takes the rest.
func (c *catalogue) toIndex() (packs []indexedPack) {
	scans := maps.Clone(c.packs)
	if c.own != nil && c.own.name != c.lost {
		scans[c.own.name] = packScan{c.own.marked, c.own.marked}
	}
	for _, name := range slices.Sorted(maps.Keys(scans)) {
		if upTo := scans[name].marked; upTo >= int64(packHeader) && len(name) <= maxPackName {
			packs = append(packs, indexedPack{name, upTo})
		}
	}
	return packs
}

// addAll writes all that is durable, in the order of the digests: what the
// stored index has, and between that what it has not. That is sorted in parts,
// since it may be much.
func (c *catalogue) addAll(w *indexWriter) error {
	next, stop := iter.Pull2(c.stored.all)
	defer stop()
	key, at, more := next()
	for part := range parts {
		for _, fresh := range c.index.sorted(part) {
			found, _ := c.index.find(fresh)
			for more && bytes.Compare(key[:], fresh[:]) < 0 {
				w.add(key, at)
				key, at, more = next()
			}
			if more && key == fresh {
				if !found.sure {
					found = at
				}
				key, at, more = next()
			}
			if found.sure && found.pack != c.lost {
				w.add(fresh, found)
			}
		}
	}
	for ; more; key, at, more = next() {
		w.add(key, at)
	}
	if c.stored != nil && c.stored.damaged.Load() {
		return errors.New("checkpoint: the index is damaged")
	}
	return nil
}

// adopt takes the index that was just written in place of what it tells. Where
// another process wrote one since, all is read anew.
func (c *catalogue) adopt(x *packIndex, w *indexWriter) error {
	if x == nil || uint64(x.entries) != w.entries || !slices.Equal(x.packs, w.packs) {
		x.done()
		return c.reload()
	}
	var rest places
	for key, at := range c.index.all {
		if !at.sure || at.pack == c.lost || !w.covers(at) {
			rest.put(key, at)
		}
	}
	c.stored.done()
	c.stored, c.index, c.indexed = x, rest, rest.len()
	return nil
}
