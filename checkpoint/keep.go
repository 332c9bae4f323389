package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/ledger"
)

// A keeper puts the contents of a tree, as scanned from dir.
type keeper struct {
	*Store
	dir  string
	tree *ledger.Tree
	in   *inlining
}

// keep puts the contents of entries that are not kept yet, and returns the
// digests of all that the next Sync makes durable.
func (k *keeper) keep(ctx context.Context, entries []ledger.Entry) (fresh []ledger.Digest, err error) {
	var todo []ledger.Entry
	listed := map[ledger.Digest]bool{}
	for _, e := range entries {
		if e.Kind != ledger.File || listed[e.Digest] || k.knows(e.Digest) {
			continue
		}
		has, err := k.blobs.Has(ctx, e.Digest)
		if err != nil {
			return fresh, err
		}
		listed[e.Digest] = !k.tree.Tracked(e.Path) // what is only tracked may be left out
		switch large := k.MaxContent > 0 && e.Size > k.MaxContent; {
		case has && k.isPut(e.Digest):
			if err := k.takeAgain(ctx, e); err != nil {
				return fresh, err
			}
			fresh, listed[e.Digest] = append(fresh, e.Digest), true
		case has:
		case !large:
			todo = append(todo, e)
		case !k.tree.Tracked(e.Path):
			return fresh, &TooLargeError{Path: e.Path, Size: e.Size}
		}
	}
	put, err := k.keepFiles(ctx, todo)
	return append(fresh, put...), err
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
func (k *keeper) keepFiles(ctx context.Context, entries []ledger.Entry) (fresh []ledger.Digest, err error) {
	const workers, turn = 2, 32
	var (
		wait  sync.WaitGroup
		begun atomic.Int64
		puts  [workers][]ledger.Digest
	)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := func(i int) error {
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
				err := k.keepFile(ctx, from, e)
				var changed *ChangedError
				if errors.As(err, &changed) && k.tree.Tracked(e.Path) {
					continue
				}
				if err != nil {
					return err
				}
				puts[i] = append(puts[i], e.Digest)
			}
		}
	}
	for i := range min(workers, (len(entries)+turn-1)/turn) {
		wait.Go(func() {
			if err := work(i); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	for _, put := range puts {
		fresh = append(fresh, put...)
	}
	return fresh, context.Cause(ctx)
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
