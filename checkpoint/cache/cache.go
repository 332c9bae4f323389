package cache

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/ledger"
)

// ErrHeld is returned by Open for a folder that another process has, or another
// cache of this one.
var ErrHeld = errors.New("checkpoint: the cache is another process's")

// Blobs are checkpoint.Blobs elsewhere, of which some contents are here too. They
// are safe for concurrent use.
type Blobs struct {
	under checkpoint.Blobs
	dir   string
	most  int64
	lock  *os.File

	mu     sync.Mutex
	order  *list.List // of *entry, the last used first
	kept   map[ledger.Digest]*list.Element
	size   int64 // of all that is kept
	clock  int64 // counts uses
	holds  map[*int64]bool
	coming map[ledger.Digest]chan struct{} // closed once somebody has read it
}

// An entry is a content that is kept.
type entry struct {
	digest ledger.Digest
	size   int64
	used   int64     // at the clock
	sure   time.Time // when it was found elsewhere
}

var _ checkpoint.Blobs = (*Blobs)(nil)

// Open opens the cache in dir, or makes it, for the contents under it. most is how
// many bytes it may keep; what is more goes at once.
func Open(dir string, most int64, under checkpoint.Blobs) (*Blobs, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("checkpoint: open cache: %w", err)
	}
	b := &Blobs{under: under, dir: dir, most: max(most, 0), order: list.New(), kept: map[ledger.Digest]*list.Element{},
		holds: map[*int64]bool{}, coming: map[ledger.Digest]chan struct{}{}}
	var err error
	if b.lock, err = os.OpenFile(b.path("lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("checkpoint: open cache: %w", err)
	}
	held, err := file.Lock(b.lock)
	if held {
		err = fmt.Errorf("%w: %q: name another folder, or wait until that process ends", ErrHeld, dir)
	}
	if err == nil || errors.Is(err, errors.ErrUnsupported) { // then nobody can know
		err = b.list()
	}
	if err != nil {
		return nil, errors.Join(err, b.lock.Close())
	}
	return b, nil
}

// Close lets go of the folder. The contents elsewhere are the caller's to close.
func (b *Blobs) Close() error {
	err := file.Unlock(b.lock)
	return errors.Join(err, b.lock.Close())
}

// Hold has all stay that is used from now on, until the caller lets go.
func (b *Blobs) Hold() (letGo func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	since := b.clock
	b.holds[&since] = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.holds, &since)
	}
}

// Put keeps content elsewhere, and here; see checkpoint.Blobs.
func (b *Blobs) Put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	key, err := d.Sum()
	if err != nil {
		return b.under.Put(ctx, d, in)
	}
	t := b.taking(d)
	defer t.drop()
	if err := b.under.Put(ctx, d, io.TeeReader(in, t)); err != nil {
		return err
	}
	// Who puts what is there already may not have read it.
	if t.sum() == key {
		t.keep()
	}
	return nil
}

// Get opens content; see checkpoint.Blobs.
func (b *Blobs) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("checkpoint: get: %w", context.Cause(ctx))
	}
	key, err := d.Sum()
	if err != nil {
		return b.under.Get(ctx, d)
	}
	for {
		if in := b.open(d, key); in != nil {
			return in, nil
		}
		wait, mine := b.turn(d)
		if mine {
			defer b.over(d)
			return b.read(ctx, d, key)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, fmt.Errorf("checkpoint: get: %w", context.Cause(ctx))
		}
	}
}

// turn says whose turn it is to read a content from elsewhere: it is read once,
// however many want it at a time.
func (b *Blobs) turn(d ledger.Digest) (wait chan struct{}, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait, ok := b.coming[d]; ok {
		return wait, false
	}
	b.coming[d] = make(chan struct{})
	return nil, true
}

func (b *Blobs) over(d ledger.Digest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.coming[d])
	delete(b.coming, d)
}

// read reads a content from elsewhere, and keeps it. What cannot be kept is only
// passed on.
func (b *Blobs) read(ctx context.Context, d ledger.Digest, key [32]byte) (io.ReadCloser, error) {
	in, err := b.under.Get(ctx, d)
	if err != nil {
		return nil, err
	}
	first, err := io.ReadAll(io.LimitReader(in, content.Small))
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	t := b.taking(d)
	defer t.drop()
	_, _ = t.Write(first) // what it does not take is not kept
	if len(first) < content.Small {
		if err := in.Close(); err != nil {
			return nil, err
		}
		if t.sum() == key {
			t.keep()
		}
		return io.NopCloser(bytes.NewReader(first)), nil
	}
	if t.f == nil { // it cannot be kept
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(first), in), in}, nil
	}
	_, err = io.Copy(t, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	if t.sum() == key && t.keep() {
		if in := b.open(d, key); in != nil {
			return in, nil
		}
	}
	return b.under.Get(ctx, d)
}

// open opens a content that is kept, and says that it is used; nil where there is
// none. It is compared with its digest first: what is something else is removed.
func (b *Blobs) open(d ledger.Digest, key [32]byte) io.ReadCloser {
	b.mu.Lock()
	at, ok := b.kept[d]
	if ok {
		b.use(at)
	}
	b.mu.Unlock()
	if !ok {
		return nil
	}
	f, err := os.Open(b.path(name(d)))
	if err == nil {
		sum := sha256.New()
		if _, err = io.Copy(sum, f); err == nil && [32]byte(sum.Sum(nil)) == key {
			_, err = f.Seek(0, io.SeekStart)
		} else if err == nil {
			err = fs.ErrInvalid
		}
		if err == nil {
			touch(f.Name())
			return f
		}
		_ = f.Close() // only read
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept[d] == at {
		b.remove(at)
	}
	return nil
}

// Has reports whether content is kept elsewhere; see checkpoint.Blobs.
func (b *Blobs) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	if b.sure(d) && ctx.Err() == nil {
		return true, nil
	}
	now := time.Now()
	has, err := b.under.Has(ctx, d)
	if has {
		b.found(d, now)
	}
	return has, err
}

// sure reports whether a content that is kept was found elsewhere lately: it may
// have been freed there since.
func (b *Blobs) sure(d ledger.Digest) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.kept[d]
	return ok && checkpoint.Lately(at.Value.(*entry).sure)
}

// found notes when a content that is kept was found elsewhere.
func (b *Blobs) found(d ledger.Digest, when time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.kept[d]; ok {
		at.Value.(*entry).sure = when
	}
}

// Sync makes everything durable elsewhere; see checkpoint.Blobs.
func (b *Blobs) Sync(ctx context.Context) error { return b.under.Sync(ctx) }

// WriteGathered lets others see what was put; see checkpoint.Blobs.
func (b *Blobs) WriteGathered() error {
	if under, ok := b.under.(interface{ WriteGathered() error }); ok {
		return under.WriteGathered()
	}
	return nil
}

// Fetch reads contents from elsewhere that are not kept yet, several at a time,
// until no more can be kept. It is no error here that one cannot be had.
func (b *Blobs) Fetch(ctx context.Context, digests []ledger.Digest) {
	const many = 8 // at a time
	var wait sync.WaitGroup
	defer wait.Wait()
	slots := make(chan struct{}, many)
	for _, d := range digests {
		if b.has(d) || ctx.Err() != nil || b.full() {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if in, err := b.Get(ctx, d); err == nil {
				_ = in.Close() // whoever needs it opens it again
			}
		})
	}
}
