package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A Fault is something in a Blobs that is not as it should be.
type Fault struct {
	Pack   string        // path of the file
	Offset int64         // in it
	Digest ledger.Digest // of the content that is lost, or was looked for; empty where that is not known
	Why    string
}

// String names the file, the place and what is wrong, for people.
func (f Fault) String() string {
	return fmt.Sprintf("%s at byte %d: %s", f.Pack, f.Offset, f.Why)
}

// Checked is what Blobs.Check read.
type Checked struct {
	Packs    int
	Contents int   // in all packs; one that lies in two counts twice
	Bytes    int64 // of them

	intact map[sum]bool
}

// Holds reports whether a content was found intact.
func (c *Checked) Holds(d ledger.Digest) bool {
	key, err := d.Sum()
	return err == nil && c.intact[key]
}

// Check reads every content of every pack, compares it with its digest, and the
// stored index with what is there. It tells of everything that is wrong, and
// changes nothing. What a crash left at the end of a pack is no fault.
func (d *Blobs) Check(ctx context.Context, fault func(Fault)) (Checked, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &checker{Checked: Checked{intact: map[sum]bool{}}, fault: fault, buf: make([]byte, 256<<10),
		places: map[string]map[int64]packed{}}
	if d.closed {
		return c.Checked, fmt.Errorf("checkpoint: check store: %w", checkpoint.ErrClosed)
	}
	if d.own != nil {
		if err := d.own.write(); err != nil {
			return c.Checked, fmt.Errorf("checkpoint: check store: %w", err)
		}
	}
	sizes, err := d.sizes()
	if err != nil {
		return c.Checked, err
	}
	if d.own != nil {
		sizes[d.own.name] = d.own.end
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if err := c.pack(ctx, d.root, d.path(name), name, sizes[name]); err != nil {
			return c.Checked, fmt.Errorf("checkpoint: check pack %q: %w", d.path(name), err)
		}
	}
	x := readIndex(d.root, d.indexPath())
	defer x.done()
	c.index(d.indexPath(), x, sizes)
	return c.Checked, nil
}

// A checker is one check.
type checker struct {
	Checked
	fault  func(Fault)
	buf    []byte
	places map[string]map[int64]packed // by pack and offset
}

// pack reads all of a pack, which may go away or grow meanwhile: what is there
// counts. Only what lies between two items is damage; at the end it is what a
// crash, or a writer at work, left.
func (c *checker) pack(ctx context.Context, root *disk.Root, path, name string, size int64) error {
	f, err := root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // only read
	c.Packs++
	begins, err := readBeginning(f, name, size)
	if err != nil {
		return err
	}
	if begins == beginsDamaged {
		c.fault(Fault{Pack: path, Why: "its beginning is damaged"})
	}
	at := map[int64]packed{}
	c.places[name] = at
	err = walkPack(f, name, int64(packHeader), size, func(p packed) error {
		if p.kind == itemMark {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at[p.offset] = p
		c.Contents++
		c.Bytes += p.size
		return c.content(f, path, p, size)
	}, func(from, to int64) error {
		if to < size && !padding(f, from, to) {
			c.fault(Fault{Pack: path, Offset: from,
				Why: fmt.Sprintf("%d bytes are damaged, nobody knows what they were", to-from)})
		}
		return nil
	})
	return err
}

// content compares a content with its digest.
func (c *checker) content(f io.ReaderAt, path string, p packed, size int64) error {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, onlyReader{io.NewSectionReader(f, p.offset, p.size)}, c.buf); err != nil {
		return err
	}
	got := sum(h.Sum(nil))
	if got == p.digest {
		c.intact[p.digest] = true
		return nil
	}
	// The last content of a pack may be half there. It is behind the last mark,
	// so that nobody was told that it is kept.
	if p.offset+p.size == size {
		return nil // a crash left it
	}
	c.fault(Fault{Pack: path, Offset: p.offset, Digest: ledger.DigestOf(p.digest),
		Why: fmt.Sprintf("the content of %d bytes kept as %s is damaged: what lies there is %s", p.size,
			short(p.digest), short(got))})
	return nil
}

// padding reports whether there is nothing but zeros, less than a block of
// them.
func padding(f io.ReaderAt, from, to int64) bool {
	// More than a block was not made by aligning a content.
	if to-from >= content.Block {
		return false
	}
	b := make([]byte, to-from)
	_, err := f.ReadAt(b, from)
	return err == nil && empty(b)
}

// index compares the stored index with what was found in the packs.
func (c *checker) index(path string, x *packIndex, sizes map[string]int64) {
	if x == nil || !x.fits(sizes) {
		return // it is not used then
	}
	wrong := 0
	for key, w := range x.all {
		if p, ok := c.places[w.pack][w.offset]; !ok || p.digest != key || p.size != w.size {
			wrong++
		}
	}
	if x.damaged.Load() {
		c.fault(Fault{Pack: path, Why: "the index is damaged: remove it, it is made anew"})
	}
	if wrong > 0 {
		c.fault(Fault{Pack: path, Why: fmt.Sprintf("%d entries of the index are not what the packs hold: remove it, it is made anew", wrong)})
	}
}

// short is a digest as messages name it.
func short(s sum) string { return "sha256:" + hex.EncodeToString(s[:6]) }
