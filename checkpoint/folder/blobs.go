package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Blobs is checkpoint.Blobs in a folder. Contents lie in packs, append-only
// files, of which every opening writes its own; so several processes may share
// a folder. One Sync is one sync of one file, however many contents were put.
//
// After a sync that fails it is dead: what was not synced is gone, and every
// later Put and Sync returns that error, which is checkpoint.ErrDead too. What
// was synced can still be read. It is dead as well when a Sync finds that its
// own pack was removed, replaced or cut (checkpoint.ErrReplaced); then all in
// that pack counts as gone. Only Collect removes anything.
type Blobs struct {
	mu        sync.RWMutex // of all that follows
	catalogue              // where each content lies
	dead      error
	closed    bool

	relied atomic.Int64 // what is put in own before this place somebody may count on: see TakeBack
}

// Open opens the store in dir, or makes it with the folders it lies in. Nothing
// of ctx is kept.
func Open(ctx context.Context, dir string) (*Blobs, error) {
	root := disk.From(ctx).Anywhere()
	d := &Blobs{catalogue: catalogue{dir: filepath.Join(dir, packFolder), root: root}}
	if err := root.MakeFolders(d.dir, 0o755); err != nil {
		return nil, fmt.Errorf("checkpoint: open store: %w", err)
	}
	if err := d.reload(); err != nil {
		return nil, err
	}
	return d, nil
}

// usable says why no Put and Sync is possible.
func (d *Blobs) usable() error {
	if d.closed {
		return checkpoint.ErrClosed
	}
	return d.dead
}

// Put keeps content under digest; see Blobs.
func (d *Blobs) Put(ctx context.Context, digest ledger.Digest, content io.Reader) error {
	if err := d.put(ctx, digest, content); err != nil {
		return fmt.Errorf("checkpoint: put %q: %w", string(digest), err)
	}
	return nil
}

// put keeps a content: without copying it where blocks can be shared, else
// through memory if it is small. Reading what may be slow is done before the
// lock is taken, so that others can put and read meanwhile.
func (d *Blobs) put(ctx context.Context, digest ledger.Digest, in io.Reader) error {
	key, err := digest.Sum()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := in.(*content.File); ok && f.Size() >= content.Small {
		err := d.add(key, func() (place, error) { return d.own.share(ctx, key, f) })
		if !errors.Is(err, errNoShare) {
			return err
		}
	}
	small, err := readSmall(in)
	if err != nil {
		return err
	}
	return d.add(key, func() (place, error) { return d.own.add(ctx, key, small, in) })
}

// add lets write append a content to the pack of this opening, if it is not
// kept.
func (d *Blobs) add(key sum, write func() (place, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	// What only a crash left is put again: it may not be durable, and nobody
	// would sync it.
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
	// After an error the pack is cut to where it ended, so that nothing has to
	// be stepped over later.
	p, err := write()
	if err != nil {
		return errors.Join(err, d.own.cut())
	}
	d.index.put(key, where{d.own.name, p, true})
	return nil
}

// readSmall reads what may be all of in, or its beginning. What it returns may
// be the caller's.
func readSmall(in io.Reader) ([]byte, error) {
	if r, ok := in.(*bytes.Reader); ok && r.Len() <= content.Small {
		var all window
		_, err := r.WriteTo(&all)
		return all, err
	}
	return io.ReadAll(io.LimitReader(in, content.Small))
}

// A window is what was last written to it, which it does not copy.
type window []byte

// Write takes the bytes as they are. It never fails.
func (w *window) Write(b []byte) (int, error) {
	*w = b
	return len(b), nil
}

// Get opens content; see Blobs.
func (d *Blobs) Get(ctx context.Context, digest ledger.Digest) (io.ReadCloser, error) {
	r, err := d.get(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: get %q: %w", string(digest), err)
	}
	return r, nil
}

// get looks for a content where it was known to lie, then in what other
// processes put since, and once more where its pack was taken away between
// looking and opening: a collection moves what is needed before it removes the
// pack.
func (d *Blobs) get(ctx context.Context, digest ledger.Digest) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	key, err := digest.Sum()
	if err != nil {
		return nil, checkpoint.ErrNotFound // nothing else is ever kept
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
		return nil, checkpoint.ErrNotFound
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
		return nil, fmt.Errorf("%w: its pack is gone", checkpoint.ErrNotFound)
	}
	return r, err
}

// read opens the content that lies at w.
func (d *Blobs) read(w where) (io.ReadCloser, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, checkpoint.ErrClosed
	}
	// The own pack may be ahead of its file: small contents are still in
	// memory.
	if d.own != nil && d.own.name == w.pack {
		if kept, ok := d.own.content(w.place); ok {
			return io.NopCloser(bytes.NewReader(kept)), nil
		}
		own, _ := d.own.f.(file.Data)
		return content.Section{SectionReader: io.NewSectionReader(d.own.f, w.offset, w.size), File: own.File}, nil
	}
	f, release, err := d.files.open(d.root, w.pack, d.path(w.pack))
	if err != nil {
		return nil, err
	}
	return content.Section{SectionReader: io.NewSectionReader(f, w.offset, w.size), File: f, Release: release}, nil
}

// look finds what another process may have put, or moved, meanwhile.
func (d *Blobs) look(key sum) (where, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return where{}, false, checkpoint.ErrClosed
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
func (d *Blobs) Has(ctx context.Context, digest ledger.Digest) (bool, error) {
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
		return false, fmt.Errorf("checkpoint: has: %w", checkpoint.ErrClosed)
	}
	w, _ := d.find(key)
	if w.sure {
		d.rely(w)
	}
	return w.sure, nil
}

// Sync makes everything that was put before durable; see Blobs.
func (d *Blobs) Sync(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: sync: %w", context.Cause(ctx))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sync()
}

// sync makes the own pack durable. The caller holds the lock. What could not be
// written yet can be tried again; after a sync that failed nobody knows what is
// on the disk, and the folder is dead.
func (d *Blobs) sync() error {
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
		d.lost = d.own.name
		return d.die(err)
	}
	if d.own.end == d.own.marked {
		return nil // nothing was put since the last sync
	}
	if err := d.own.f.Sync(); err != nil {
		err = d.die(err)
		_ = d.own.back(d.own.marked) // nobody finds what is behind it, and it may be what fills the disk
		return err
	}
	// The mark spares the next opening to check the contents before it.
	if err := d.own.mark(); err != nil {
		d.dead = fmt.Errorf("%w: cut pack %q: %w", checkpoint.ErrDead, d.path(d.own.name), err)
		return nil
	}
	if d.indexIsOld() {
		d.indexed = d.index.len() // once is enough, also if it fails
		_ = d.writeIndex()        // it can always be made again
	}
	return nil
}

// WriteGathered brings all that was put into the pack.
func (d *Blobs) WriteGathered() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil || d.own == nil {
		return err
	}
	return d.own.write()
}

// die forgets what was not synced, because of err.
func (d *Blobs) die(err error) error {
	// Whoever asks again is told that they are not kept, and puts them
	// elsewhere.
	d.index.drop(d.own.name, d.own.marked)
	d.own.drop()
	d.dead = fmt.Errorf("%w: sync pack %q: %w", checkpoint.ErrDead, d.path(d.own.name), err)
	return fmt.Errorf("checkpoint: sync: %w", d.dead)
}

// Close syncs what was put, and releases the files. Where much is not in the
// stored index, that is written anew.
func (d *Blobs) Close() error {
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
	d.stored.done()
	if d.own != nil {
		errs = append(errs, d.own.f.Close())
	}
	return errors.Join(errs...)
}
