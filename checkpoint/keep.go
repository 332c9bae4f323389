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

// keep puts the contents of entries that are not kept yet, and returns the
// digests of all that the next Sync makes durable.
func (s *Store) keep(ctx context.Context, dir string, tree *ledger.Tree, entries []ledger.Entry,
	in *inlining) (fresh []ledger.Digest, err error) {
	var todo []ledger.Entry
	listed := map[ledger.Digest]bool{}
	for _, e := range entries {
		if e.Kind != ledger.File || listed[e.Digest] || s.knows(e.Digest) {
			continue
		}
		has, err := s.blobs.Has(ctx, e.Digest)
		if err != nil {
			return fresh, err
		}
		listed[e.Digest] = !tree.Tracked(e.Path) // what is only tracked may be left out
		switch large := s.MaxContent > 0 && e.Size > s.MaxContent; {
		case has && s.isPut(e.Digest):
			if err := s.takeAgain(ctx, e, in); err != nil {
				return fresh, err
			}
			fresh, listed[e.Digest] = append(fresh, e.Digest), true
		case has:
		case !large:
			todo = append(todo, e)
		case !tree.Tracked(e.Path):
			return fresh, &TooLargeError{Path: e.Path, Size: e.Size}
		}
	}
	put, err := s.keepFiles(ctx, dir, tree, todo, in)
	return append(fresh, put...), err
}

// takeAgain collects a content that was put before, and is durable nowhere.
func (s *Store) takeAgain(ctx context.Context, e ledger.Entry, in *inlining) error {
	if !in.fits(e.Size) {
		in.large()
		return nil
	}
	content, err := s.Get(ctx, e.Digest)
	in.take(content)
	return err
}

// keepFiles shares the work among two. They take turns, since files differ in
// size.
func (s *Store) keepFiles(ctx context.Context, dir string, tree *ledger.Tree, entries []ledger.Entry,
	in *inlining) (fresh []ledger.Digest, err error) {
	const workers, turn = 2, 32
	var (
		wait  sync.WaitGroup
		begun atomic.Int64
		puts  [workers][]ledger.Digest
	)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := func(i int) error {
		from, err := openSource(ctx, dir)
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
				err := s.keepFile(ctx, from, e, in)
				var changed *ChangedError
				if errors.As(err, &changed) && tree.Tracked(e.Path) {
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
func (s *Store) keepFile(ctx context.Context, from *source, e ledger.Entry, in *inlining) error {
	if e.Size < content.Small {
		content, err := from.read(e)
		if err != nil {
			return err
		}
		in.take(content)
		return s.put(ctx, e.Digest, bytes.NewReader(content))
	}
	in.large()
	f, err := from.open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	want, err := e.Digest.Sum()
	if err != nil {
		return err
	}
	return s.put(ctx, e.Digest, content.OfFile(f, content.Check(f, want, e.Size, &ChangedError{Path: e.Path})))
}

// takeBack lets the store forget what was put for something that failed, where
// it can.
func (s *Store) takeBack(digests []ledger.Digest) error {
	b, ok := s.blobs.(taker)
	if !ok {
		return nil
	}
	gone, err := b.TakeBack(digests)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range gone {
		delete(s.puts, d)
	}
	return err
}
