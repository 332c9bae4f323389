package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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
	stored  *packIndex          // as it was read; nil: none
	index   map[sum]where       // what is not in it
	packs   map[string]packScan // how far each pack was read
	files   packFiles
	indexed int // contents of index when the stored index was last written
}

// reload reads the store anew, with the help of its stored index.
func (c *catalogue) reload() error {
	own := map[sum]where{}
	for key, w := range c.index {
		if c.own != nil && w.pack == c.own.name {
			own[key] = w
		}
	}
	c.indexed = 0
	c.index, c.packs, c.stored = own, map[string]packScan{}, nil
	c.files.forget()
	sizes, err := c.sizes()
	if err != nil {
		return err
	}
	if stored := readIndex(c.root, c.indexPath()); stored != nil && stored.fits(sizes) {
		c.stored = stored
		for _, p := range stored.packs {
			c.packs[p.name] = packScan{p.upTo, p.upTo}
		}
	}
	return c.loadPacks(sizes)
}

// load reads what is new in the packs of other processes.
func (c *catalogue) load() error {
	sizes, err := c.sizes()
	if err != nil {
		return err
	}
	// A pack that is gone, or shorter than it was, was collected or cut:
	// nothing that is known of it holds.
	for name := range c.packs {
		if size, ok := sizes[name]; !ok || size < c.packs[name].end {
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
		if !ok || !e.Type().IsRegular() || c.own != nil && c.own.name == name {
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
			c.index[s] = where{name, p, sure}
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
	if w, ok := c.index[key]; ok {
		return w, true
	}
	return c.stored.find(key)
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
	return len(c.index)-c.indexed > contents+(c.stored.len()+c.indexed)/4 || len(c.packs)-covered > packs+covered/4
}

// writeIndex stores where everything lies that is known to be durable.
func (c *catalogue) writeIndex() error {
	scans := maps.Clone(c.packs)
	if c.own != nil {
		scans[c.own.name] = packScan{c.own.marked, c.own.marked}
	}
	var packs []indexedPack
	numbers := map[string]uint32{}
	for _, name := range slices.Sorted(maps.Keys(scans)) {
		if upTo := scans[name].marked; upTo >= int64(packHeader) && len(name) <= maxPackName {
			numbers[name] = uint32(len(packs))
			packs = append(packs, indexedPack{name, upTo})
		}
	}
	// Only what is durable: an index outlives the crash that takes the rest.
	all := c.allSure()
	entries := make([]byte, 0, len(all)*indexEntry)
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b sum) int { return bytes.Compare(a[:], b[:]) }) {
		w := all[key]
		if n, ok := numbers[w.pack]; ok && w.offset+w.size <= packs[n].upTo {
			entries = appendIndexEntry(entries, key, n, w.place)
		}
	}
	temp := filepath.Join(filepath.Dir(c.dir), ".new-"+ulid.Make().String())
	f, err := c.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(encodeIndex(packs, entries), 0)
	if err = errors.Join(err, f.Close()); err == nil {
		err = c.root.Rename(temp, c.indexPath())
	}
	if err != nil {
		return errors.Join(err, file.RemoveIfThere(c.root, temp))
	}
	return nil
}

// allSure is where everything lies that is known to be durable.
func (c *catalogue) allSure() map[sum]where {
	all := make(map[sum]where, c.stored.len()+len(c.index))
	for i := range c.stored.len() {
		key, w := c.stored.at(i)
		all[key] = w
	}
	for key, w := range c.index {
		if w.sure {
			all[key] = w
		}
	}
	return all
}
