package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/ledger"
)

// A keeper puts the contents of a tree, as scanned from dir.
type keeper struct {
	*Store
	dir   string
	tree  *ledger.Tree
	in    *inlining
	fresh []bool // of each entry: its content is one that the next Sync makes durable
	lacks []bool // of each entry: its content is not kept
}

// A numbered entry is one of those that are kept.
type numbered struct {
	ledger.Entry
	at int
}

// keep puts the contents of entries that are not kept yet. It takes many at a
// time, and not all, since there may be millions.
func (k *keeper) keep(ctx context.Context, entries iter.Seq[ledger.Entry]) error {
	const many = 1 << 12
	if err := k.tooLarge(ctx, entries); err != nil {
		return err
	}
	var todo []numbered
	listed, at := map[ledger.Digest]bool{}, -1
	for e := range entries {
		at++
		needed, err := k.look(ctx, numbered{e, at}, listed)
		if err != nil {
			return err
		}
		if needed {
			todo = append(todo, numbered{e, at})
		}
		if len(todo) == many {
			if err := k.keepFiles(ctx, todo); err != nil {
				return err
			}
			todo = todo[:0]
		}
		if len(listed) > mostKnown {
			clear(listed)
		}
	}
	return k.keepFiles(ctx, todo)
}

// look reports whether the content of an entry is to be put. Listed are contents
// that were looked at.
func (k *keeper) look(ctx context.Context, e numbered, listed map[ledger.Digest]bool) (bool, error) {
	if e.Kind != ledger.File || listed[e.Digest] || k.knows(e.Digest) {
		return false, nil
	}
	has, err := k.blobs.Has(ctx, e.Digest)
	if err != nil {
		return false, err
	}
	listed[e.Digest] = !k.tree.Tracked(e.Path) // what is only tracked may be left out
	switch {
	case has && k.isPut(e.Digest):
		if err := k.takeAgain(ctx, e.Entry); err != nil {
			return false, err
		}
		k.fresh[e.at], listed[e.Digest] = true, true
	case !has:
		k.lacks[e.at] = k.large(e.Entry)
		return !k.lacks[e.at], nil
	}
	return false, nil
}

// large reports whether a content is not to be put for its size.
func (k *keeper) large(e ledger.Entry) bool { return k.MaxContent > 0 && e.Size > k.MaxContent }

// tooLarge refuses contents that would have to be put, and are too large.
func (k *keeper) tooLarge(ctx context.Context, entries iter.Seq[ledger.Entry]) error {
	if k.MaxContent <= 0 {
		return nil
	}
	for e := range entries {
		if e.Kind != ledger.File || !k.large(e) || k.tree.Tracked(e.Path) {
			continue
		}
		has, err := k.blobs.Has(ctx, e.Digest)
		if err == nil && !has {
			err = &TooLargeError{Path: e.Path, Size: e.Size}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// digests are those of the contents that the next Sync makes durable.
func (k *keeper) digests(entries iter.Seq[ledger.Entry]) (list []ledger.Digest) {
	at := -1
	for e := range entries {
		if at++; k.fresh[at] {
			list = append(list, e.Digest)
		}
	}
	return list
}

// needs are the contents that the tree needs of entries: all but those that were
// left out.
func (k *keeper) needs(entries iter.Seq[ledger.Entry]) (list []ledger.Digest) {
	left, at := map[ledger.Digest]bool{}, -1
	for e := range entries {
		if at++; k.lacks[at] {
			left[e.Digest] = true
		}
	}
	for e := range entries {
		if e.Kind == ledger.File && e.Digest != nothing && !left[e.Digest] {
			list = append(list, e.Digest)
		}
	}
	return list
}

// takeAgain collects a content that was put before, and is durable nowhere.
func (k *keeper) takeAgain(ctx context.Context, e ledger.Entry) error {
	if !k.in.fits(e.Size) {
		k.in.large()
		return nil
	}
	content, err := k.Get(ctx, e.Digest)
	k.in.take(content)
	return err
}

// keepFiles shares the work among two. They take turns, since files differ in
// size.
func (k *keeper) keepFiles(ctx context.Context, entries []numbered) error {
	const workers, turn = 2, 32
	var (
		wait  sync.WaitGroup
		begun atomic.Int64
	)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := func() error {
		from, err := openSource(ctx, k.dir)
		if err != nil {
			return err
		}
		defer from.close()
		for {
			end := begun.Add(turn)
			if end-turn >= int64(len(entries)) {
				return nil
			}
			for _, e := range entries[end-turn : min(end, int64(len(entries)))] {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				err := k.keepFile(ctx, from, e.Entry)
				var changed *ChangedError
				if errors.As(err, &changed) && k.tree.Tracked(e.Path) {
					k.lacks[e.at] = true
					continue
				}
				if err != nil {
					return err
				}
				k.fresh[e.at] = true
			}
		}
	}
	for range min(workers, (len(entries)+turn-1)/turn) {
		wait.Go(func() {
			if err := work(); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// keepFile puts the content of one file.
func (k *keeper) keepFile(ctx context.Context, from *source, e ledger.Entry) error {
	if e.Size < content.Small {
		content, err := from.read(e)
		if err != nil {
			return err
		}
		k.in.take(content)
		return k.put(ctx, e.Digest, bytes.NewReader(content))
	}
	k.in.large()
	f, err := from.open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	want, err := e.Digest.Sum()
	if err != nil {
		return err
	}
	return k.put(ctx, e.Digest, content.OfFile(f, content.Check(f, want, e.Size, &ChangedError{Path: e.Path})))
}

// takeBack lets the store forget what was put for something that failed, where
// it can.
func (s *Store) takeBack(digests []ledger.Digest) error {
	b, ok := s.blobs.(taker)
	if !ok {
		return nil
	}
	gone, err := b.TakeBack(digests)
	s.forget(gone)
	return err
}
