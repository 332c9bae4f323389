package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A Folder is Blobs in a folder. Contents lie in packs, append-only files, of
// which every opening writes its own; so several processes may share a folder.
// One Sync is one sync of one file, however many contents were put.
//
// After a sync that fails it is dead: what was not synced is gone, and every
// later Put and Sync returns that error, which is ErrDead too. What was synced
// can still be read. It is dead as well when a Sync finds that its own pack was
// removed, replaced or cut (ErrReplaced); then all in that pack counts as gone.
// Only Collect removes anything from a Folder.
type Folder struct {
	dir  string     // of the packs
	root *disk.Root // where it leads from

	mu     sync.RWMutex
	stored *packIndex          // as it was read; nil: none
	index  map[sum]where       // what is not in it
	packs  map[string]packScan // how far each pack was read
	files  packFiles
	own    *ownPack   // made by the first Put
	fresh  []freshPut // since the last sync
	dead   error
	closed bool

	relied atomic.Int64 // what is put in own before this place somebody may count on: see takeBack

	indexed int // contents of index when the stored index was last written
}

type where struct {
	pack string
	place
	sure bool // put by this opening, or known to be durable
}

const (
	packFolder = "packs"
	packExt    = ".pack"
	smallBlob  = 1 << 20 // up to here a content is read before the pack is locked
)

// OpenFolder opens the store in dir, or makes it with the folders it lies in.
func OpenFolder(dir string) (*Folder, error) { return OpenFolderContext(context.Background(), dir) }

// OpenFolderContext is OpenFolder. Nothing of ctx is kept.
func OpenFolderContext(ctx context.Context, dir string) (*Folder, error) {
	d := &Folder{dir: filepath.Join(dir, packFolder), root: disk.From(ctx).Anywhere()}
	if err := d.root.MakeFolders(d.dir, 0o755); err != nil {
		return nil, fmt.Errorf("checkpoint: open store: %w", err)
	}
	if err := d.reload(); err != nil {
		return nil, err
	}
	return d, nil
}

// reload reads the store anew, with the help of its stored index.
func (d *Folder) reload() error {
	own := map[sum]where{}
	for key, w := range d.index {
		if d.own != nil && w.pack == d.own.name {
			own[key] = w
		}
	}
	d.indexed = 0
	d.index, d.packs, d.stored = own, map[string]packScan{}, nil
	d.files.forget()
	sizes, err := d.sizes()
	if err != nil {
		return err
	}
	if stored := readIndex(d.root, d.indexPath()); stored != nil && stored.fits(sizes) {
		d.stored = stored
		for _, p := range stored.packs {
			d.packs[p.name] = packScan{p.upTo, p.upTo}
		}
	}
	return d.loadPacks(sizes)
}

// load reads what is new in the packs of other processes.
func (d *Folder) load() error {
	sizes, err := d.sizes()
	if err != nil {
		return err
	}
	for name := range d.packs {
		if size, ok := sizes[name]; !ok || size < d.packs[name].end {
			return d.reload() // what was in it may lie elsewhere now
		}
	}
	return d.loadPacks(sizes)
}

// sizes lists the packs of others.
func (d *Folder) sizes() (map[string]int64, error) {
	list, err := d.root.ReadDir(d.dir)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: read store: %w", err)
	}
	sizes := make(map[string]int64, len(list))
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), packExt)
		if !ok || !e.Type().IsRegular() || d.own != nil && d.own.name == name {
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

func (d *Folder) loadPacks(sizes map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if sizes[name] <= d.packs[name].end {
			continue
		}
		if err := d.loadPack(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("checkpoint: read store: pack %q: %w", d.path(name), err)
		}
	}
	return nil
}

func (d *Folder) path(pack string) string { return filepath.Join(d.dir, pack+packExt) }

func (d *Folder) loadPack(name string) error {
	f, err := d.root.Open(d.path(name))
	if err != nil {
		return err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	before := d.packs[name]
	if before.end == 0 {
		head := make([]byte, packHeader)
		if n, err := io.ReadFull(f, head); n < packHeader {
			return format.AtEnd(err) // it was just being made
		}
		if bytes.Equal(head, make([]byte, packHeader)) {
			return nil // its beginning was never written
		}
		if err := checkPackHeader(head); ofOtherVersion(err) {
			return err
		}
		before.end = int64(packHeader) // a damaged header costs nothing else
	}
	scan, err := scanPack(f, name, before.end, info.Size(), func(s sum, p place, sure bool) {
		if w, ok := d.find(s); !ok || sure && !w.sure {
			d.index[s] = where{name, p, sure}
		}
	})
	if scan.marked == before.end {
		scan.marked = before.marked // no mark came
	}
	d.packs[name] = scan
	return err
}

// find says where a content is known to lie.
func (d *Folder) find(key sum) (where, bool) {
	if w, ok := d.index[key]; ok {
		return w, true
	}
	return d.stored.find(key)
}

// usable says why no Put and Sync is possible.
func (d *Folder) usable() error {
	if d.closed {
		return ErrClosed
	}
	return d.dead
}

// Put keeps content under digest; see Blobs.
func (d *Folder) Put(ctx context.Context, digest ledger.Digest, content io.Reader) error {
	if err := d.put(ctx, digest, content); err != nil {
		return fmt.Errorf("checkpoint: put %q: %w", string(digest), err)
	}
	return nil
}

func (d *Folder) put(ctx context.Context, digest ledger.Digest, content io.Reader) error {
	key, err := digest.Sum()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c, ok := content.(*fileContent); ok && c.size >= smallBlob {
		err := d.add(key, func() (place, error) { return d.own.clone(ctx, key, c) })
		if !errors.Is(err, errNoClone) {
			return err
		}
	}
	small, err := readSmall(content)
	if err != nil {
		return err
	}
	return d.add(key, func() (place, error) { return d.own.add(ctx, key, small, content) })
}

// add lets write append a content to the pack of this opening, if it is not
// kept.
func (d *Folder) add(key sum, write func() (place, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	if w, _ := d.find(key); w.sure {
		d.rely(w)
		return nil
	}
	if d.own == nil {
		var err error
		if d.own, err = newPack(d.root, d.dir); err != nil {
			return err
		}
	}
	start := d.own.end
	p, err := write()
	if err != nil {
		return errors.Join(err, d.own.cut())
	}
	d.index[key] = where{d.own.name, p, true}
	d.fresh = append(d.fresh, freshPut{key, start})
	return nil
}

// readSmall reads what may be all of content, or its beginning. What it returns
// may be the caller's.
func readSmall(content io.Reader) ([]byte, error) {
	if r, ok := content.(*bytes.Reader); ok && r.Len() <= smallBlob {
		var all window
		_, err := r.WriteTo(&all)
		return all, err
	}
	return io.ReadAll(io.LimitReader(content, smallBlob))
}

// A window is what was last written to it, which it does not copy.
type window []byte

func (w *window) Write(b []byte) (int, error) {
	*w = b
	return len(b), nil
}

// Get opens content; see Blobs.
func (d *Folder) Get(ctx context.Context, digest ledger.Digest) (io.ReadCloser, error) {
	r, err := d.get(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: get %q: %w", string(digest), err)
	}
	return r, nil
}

func (d *Folder) get(ctx context.Context, digest ledger.Digest) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	key, err := digest.Sum()
	if err != nil {
		return nil, ErrNotFound // nothing else is ever kept
	}
	d.mu.RLock()
	w, ok := d.find(key)
	d.mu.RUnlock()
	if !ok {
		if w, ok, err = d.look(key); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, ErrNotFound
	}
	r, err := d.read(w)
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	// Its pack was taken away: somebody may have put it together with others.
	if w, ok, err = d.look(key); err != nil {
		return nil, err
	}
	if ok {
		r, err = d.read(w)
	}
	if !ok || errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: its pack is gone", ErrNotFound)
	}
	return r, err
}

// read opens the content that lies at w.
func (d *Folder) read(w where) (io.ReadCloser, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, ErrClosed
	}
	if d.own != nil && d.own.name == w.pack {
		if content, ok := d.own.content(w.place); ok {
			return io.NopCloser(bytes.NewReader(content)), nil
		}
		own, _ := d.own.f.(file.Data)
		return packContent{io.NewSectionReader(d.own.f, w.offset, w.size), own.File, nil}, nil
	}
	f, release, err := d.files.open(d.root, w.pack, d.path(w.pack))
	if err != nil {
		return nil, err
	}
	return packContent{io.NewSectionReader(f, w.offset, w.size), f, release}, nil
}

// packContent is a content that lies in a pack.
type packContent struct {
	*io.SectionReader
	file    *disk.File   // the pack; nil: unknown
	release func() error // nil: nothing to do
}

func (c packContent) Close() error {
	if c.release == nil {
		return nil
	}
	return c.release()
}

// look finds what another process may have put, or moved, meanwhile.
func (d *Folder) look(key sum) (where, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return where{}, false, ErrClosed
	}
	if err := d.load(); err != nil {
		return where{}, false, err
	}
	w, ok := d.find(key)
	return w, ok, nil
}

// Has reports whether content is kept; see Blobs. It does not look for what
// other processes put after this one opened the folder, and says no to what a
// crash left that is not known to be durable, though Get may still find it.
func (d *Folder) Has(ctx context.Context, digest ledger.Digest) (bool, error) {
	if ctx.Err() != nil {
		return false, fmt.Errorf("checkpoint: has: %w", context.Cause(ctx))
	}
	key, err := digest.Sum()
	if err != nil {
		return false, nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return false, fmt.Errorf("checkpoint: has: %w", ErrClosed)
	}
	w, _ := d.find(key)
	if w.sure {
		d.rely(w)
	}
	return w.sure, nil
}

// Sync makes everything that was put before durable; see Blobs.
func (d *Folder) Sync(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: sync: %w", context.Cause(ctx))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sync()
}

func (d *Folder) sync() error {
	if err := d.usable(); err != nil {
		return fmt.Errorf("checkpoint: sync: %w", err)
	}
	if d.own == nil {
		return nil
	}
	if err := d.own.write(); err != nil {
		return fmt.Errorf("checkpoint: sync: %w", err) // nothing is lost yet
	}
	if err := d.own.at.Check(d.own.end); err != nil {
		for key, w := range d.index {
			if w.pack == d.own.name {
				w.sure = false
				d.index[key] = w
			}
		}
		return d.die(err)
	}
	if len(d.fresh) == 0 {
		return nil
	}
	if err := d.own.f.Sync(); err != nil {
		err = d.die(err)
		_ = d.own.back(d.own.marked) // nobody finds what is behind it, and it may be what fills the disk
		return err
	}
	d.fresh = d.fresh[:0]
	// The mark spares the next opening to check the contents before it.
	if err := d.own.mark(); err != nil {
		d.dead = fmt.Errorf("%w: cut pack %q: %w", ErrDead, d.path(d.own.name), err)
		return nil
	}
	if d.indexIsOld() {
		d.indexed = len(d.index) // once is enough, also if it fails
		_ = d.writeIndex()       // it can always be made again
	}
	return nil
}

// writeGathered brings all that was put into the pack.
func (d *Folder) writeGathered() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil || d.own == nil {
		return err
	}
	return d.own.write()
}

// die forgets what was not synced, because of err.
func (d *Folder) die(err error) error {
	for _, put := range d.fresh {
		delete(d.index, put.key)
	}
	d.fresh = nil
	d.own.drop()
	d.dead = fmt.Errorf("%w: sync pack %q: %w", ErrDead, d.path(d.own.name), err)
	return fmt.Errorf("checkpoint: sync: %w", d.dead)
}

// Close syncs what was put, and releases the files. Where much is not in the
// stored index, that is written anew.
func (d *Folder) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	var errs []error
	if d.own != nil && d.dead == nil {
		errs = append(errs, d.sync())
	}
	d.closed = true
	if d.own != nil && d.dead == nil && d.indexIsOld() {
		_ = d.writeIndex() // it can always be made again
	}
	d.files.close()
	if d.own != nil {
		errs = append(errs, d.own.f.Close())
	}
	return errors.Join(errs...)
}
