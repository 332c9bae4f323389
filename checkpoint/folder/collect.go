package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Collected is what Blobs.Collect freed, or would free.
type Collected struct {
	Packs     int   // that were looked at
	Removed   int   // packs of which nothing was needed
	Rewritten int   // packs of which only a part was needed, or which were small: put together into one
	Busy      int   // packs that another process writes: left alone
	Damaged   int   // packs with damage: left alone, see Check
	Contents  int   // that are gone
	Bytes     int64 // that the packs are smaller by
	Kept      int   // contents that are needed
}

// When packs are put together: opening a store costs something for each of
// them.
const (
	smallPack = 1 << 20 // worth to be put together with others
	manyPacks = 16      // small ones, from where on that is done though nothing is freed
)

// Collect removes what keep does not name: keep yields the digests of all that
// is needed, and may yield others. Nobody may put or rely on anything here
// meanwhile, so hold the workspace. With dryRun it only says what it would do.
//
// What is needed is copied to a new pack, and durable there, before the pack it
// lies in is removed. So it can be interrupted at any point, by a crash too:
// then some contents lie in two packs until the next time. A content of which
// no copy is intact, and a pack with damage in its middle, are left as they
// are.
//
// What can be freed without writing anything is freed first: packs of which
// nothing is needed, and what is not needed at the ends of those that are to be
// copied. So a disk that is full may have room before anything has to be
// written.
func (d *Blobs) Collect(ctx context.Context, keep iter.Seq[ledger.Digest], dryRun bool) (Collected, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &collector{folder: d, keep: map[sum]bool{}, copies: map[sum]int{}, buf: make([]byte, 256<<10)}
	for digest := range keep {
		if key, err := digest.Sum(); err == nil {
			c.keep[key] = true
		}
	}
	err := d.usable()
	if err == nil {
		err = c.run(ctx, dryRun)
	}
	for _, p := range c.packs {
		err = errors.Join(err, p.close())
	}
	if err != nil {
		return c.Collected, fmt.Errorf("checkpoint: collect: %w", err)
	}
	return c.Collected, nil
}

// A collector is one collection.
type collector struct {
	Collected
	folder *Blobs
	keep   map[sum]bool
	copies map[sum]int // of what is needed, in the packs that can be touched
	packs  []*lookedAt
	moved  bool // something was removed, or cut
	buf    []byte
}

// lookedAt is a pack with what is needed of it.
type lookedAt struct {
	name    string
	f       *disk.File
	size    int64
	needed  []packed // chosen copies
	synced  int      // so many of them lie before the last mark, so that they are durable
	bytes   int64    // of them, with their headers
	garbage int      // contents that are not
	victim  bool
}

// close closes the pack, which can be done again.
func (p *lookedAt) close() error {
	if p.f == nil {
		return nil
	}
	f := p.f
	p.f = nil
	return f.Close()
}

// run looks at all packs, decides, and then frees in the order that needs the
// least room: whole packs, ends of packs, and only then what has to be copied
// first. After anything moved the catalogue is read anew.
func (c *collector) run(ctx context.Context, dryRun bool) error {
	d := c.folder
	sizes, err := d.sizes()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if err := c.look(ctx, name, sizes[name]); err != nil {
			return fmt.Errorf("pack %q: %w", d.path(name), err)
		}
	}
	if err := c.choose(); err != nil {
		return err
	}
	c.decide()
	if dryRun {
		return nil
	}
	d.files.close()
	err = c.remove(func(p *lookedAt) bool { return len(p.needed) == 0 })
	if err == nil {
		err = c.cut()
	}
	if err == nil {
		err = c.rewrite(ctx)
	}
	if err == nil {
		err = c.remove(func(p *lookedAt) bool { return len(p.needed) > 0 })
	}
	if c.moved {
		err = errors.Join(err, d.reload())
	}
	return errors.Join(err, c.tidy(err == nil))
}

// look finds out what is needed of a pack.
func (c *collector) look(ctx context.Context, name string, size int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.Packs++
	f, err := c.folder.root.Open(c.folder.path(name))
	if err != nil {
		return err
	}
	// Whoever writes a pack holds its lock. Ours is let go when the file is
	// closed, at the end of the collection.
	if held, err := file.Lock(f.OS()); err == nil && held {
		c.Busy++
		return f.Close()
	}
	p := &lookedAt{name: name, f: f, size: size}
	damaged := false
	if _, err := readBeginning(f, name, size); err != nil {
		return errors.Join(err, f.Close())
	}
	err = walkPack(f, name, int64(packHeader), size, func(it packed) error {
		switch {
		case it.kind == itemMark:
			p.synced = len(p.needed)
		case c.keep[it.digest]:
			p.needed = append(p.needed, it)
			c.copies[it.digest]++
		default:
			p.garbage++
		}
		return nil
	}, func(from, to int64) error {
		damaged = damaged || to < size && !padding(f, from, to)
		return nil
	})
	if err != nil || damaged {
		for _, it := range p.needed {
			c.copies[it.digest]--
		}
		if damaged {
			c.Damaged++
		}
		return errors.Join(err, f.Close())
	}
	c.packs = append(c.packs, p)
	return nil
}

// choose picks one copy of each content that is needed: one that is intact, if
// there are several, and rather one that is durable; all, if none is.
func (c *collector) choose() error {
	chosen := map[sum]bool{}
	taken := make([][]packed, len(c.packs))
	for _, synced := range [...]bool{true, false} {
		for n, p := range c.packs {
			from, to := 0, p.synced
			if !synced {
				from, to = p.synced, len(p.needed)
			}
			for _, it := range p.needed[from:to] {
				take, err := c.take(p, it, chosen)
				if err != nil {
					return err
				}
				if !take {
					p.garbage++
					continue
				}
				taken[n] = append(taken[n], it)
				p.bytes += it.size + itemHeader
			}
		}
	}
	for n, p := range c.packs {
		p.needed = taken[n]
	}
	return nil
}

// take reports whether a copy is taken, and notes that it needs no other.
func (c *collector) take(p *lookedAt, it packed, chosen map[sum]bool) (bool, error) {
	if chosen[it.digest] {
		return false, nil
	}
	if c.copies[it.digest] == 1 {
		return true, nil
	}
	good, err := it.intact(p.f, c.buf)
	chosen[it.digest] = good
	return err == nil, err
}

// decide says which packs are removed, and what that frees.
func (c *collector) decide() {
	small := 0
	for _, p := range c.packs {
		if p.size < smallPack {
			small++
		}
	}
	for _, p := range c.packs {
		free := p.size - int64(packHeader) - p.bytes
		p.victim = len(p.needed) == 0 || p.garbage > 0 && (free >= p.size/4 || p.size < smallPack) ||
			p.size < smallPack && small > manyPacks
		c.Kept += len(p.needed)
		switch {
		case !p.victim:
			continue
		case len(p.needed) == 0:
			c.Removed++
			free = p.size
		default:
			c.Rewritten++
		}
		c.Contents += p.garbage
		c.Bytes += free
	}
}

// rewrite copies what is needed of the packs that go to the own pack.
func (c *collector) rewrite(ctx context.Context) (err error) {
	d := c.folder
	// Where the copying fails, for want of room most likely, it is undone: half
	// of it would only fill the disk.
	before := int64(packHeader)
	if d.own != nil {
		before = d.own.end
	}
	defer func() {
		if err != nil && d.dead == nil && d.own != nil && d.own.end > before { // there is no room for half of it
			c.moved = true
			err = errors.Join(err, d.pop(before))
		}
	}()
	written := 0
	for _, p := range c.packs {
		if !p.victim {
			continue
		}
		for _, it := range p.needed {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			good, err := c.copy(ctx, p, it)
			if err != nil {
				return err
			}
			if !good { // perhaps somebody can save something of it
				p.victim = false
				c.Damaged++
				break
			}
			written++
		}
	}
	if written == 0 {
		return nil
	}
	if err := d.own.write(); err != nil {
		return err
	}
	if err := d.own.f.Sync(); err != nil {
		return d.die(err)
	}
	if err := d.own.at.Check(d.own.end); err != nil {
		return d.die(err)
	}
	return d.own.mark()
}

// copy adds a content of p to the own pack, if it is intact.
func (c *collector) copy(ctx context.Context, p *lookedAt, it packed) (good bool, err error) {
	d := c.folder
	if d.own == nil {
		if d.own, err = newPack(d.root, d.dir); err != nil {
			return false, err
		}
	}
	wrong := errors.New("it is damaged")
	in := content.Check(content.While(ctx, io.NewSectionReader(p.f, it.offset, it.size)), it.digest, it.size, wrong)
	first, err := io.ReadAll(io.LimitReader(in, content.Small))
	var at place
	if err == nil {
		at, err = d.own.add(ctx, it.digest, first, in)
	}
	if err != nil {
		if terr := d.own.cut(); terr != nil {
			return false, errors.Join(err, terr)
		}
		if errors.Is(err, wrong) {
			return false, nil
		}
		return false, err
	}
	d.index.put(it.digest, where{d.own.name, at, true})
	return true, nil
}

// cut frees what is not needed at the ends of packs that are to be written
// anew: the rewriting needs room.
func (c *collector) cut() error {
	d := c.folder
	for _, p := range c.packs {
		if !p.victim || len(p.needed) == 0 {
			continue
		}
		last := p.needed[len(p.needed)-1]
		end := last.offset + last.size
		if end == p.size {
			continue
		}
		c.moved = true
		f, err := d.root.OpenFile(d.path(p.name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Truncate(end), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// remove removes those packs that nobody needs any more.
func (c *collector) remove(which func(*lookedAt) bool) error {
	d := c.folder
	gone := false
	for _, p := range c.packs {
		if !p.victim || !which(p) {
			continue
		}
		gone, c.moved = true, true
		if err := p.close(); err != nil {
			return err
		}
		if err := file.RemoveIfThere(d.root, d.path(p.name)); err != nil {
			return err
		}
	}
	if !gone {
		return nil
	}
	return d.root.SyncFolder(d.dir)
}

// tidy removes what crashes left of indexes that were being written, and writes
// the index anew if the collection came to its end.
func (c *collector) tidy(done bool) error {
	d := c.folder
	above := filepath.Dir(d.dir)
	list, err := d.root.ReadDir(above)
	if err != nil {
		return err
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".new-") && e.Type().IsRegular() {
			err = errors.Join(err, file.RemoveIfThere(d.root, filepath.Join(above, e.Name())))
		}
	}
	if done && c.moved && err == nil {
		_ = d.writeIndex() // it can always be made again
	}
	return err
}
