package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A Snapshot is a tree that can be restored.
type Snapshot struct {
	Tree     ledger.Digest `json:"tree"`     // identity
	Manifest ledger.Digest `json:"manifest"` // the blob that describes it, mtimes included
}

// Snapshot keeps tree, as scanned from dir, with all contents, durably. Only
// contents that are not kept yet are read. What is no longer what the scan saw
// is a *ChangedError; then nothing is lost, scan and try again. Of paths that
// are tracked only, contents that changed meanwhile are left out, and those that
// are larger than s.MaxContent. Another file of that size, if its content is not
// kept yet, is a *TooLargeError, before anything is written. What a snapshot that
// fails has put in a Folder is taken back, as far as nobody else counts on it.
//
// tree may come from a tolerant scan: of what that could not read nothing is kept
// but that it was there.
//
// base (may be zero) is an earlier snapshot of the same store, of which only the
// difference is written; where there is none, times included, it is base itself
// that is returned.
func (s *Store) Snapshot(ctx context.Context, dir string, tree *ledger.Tree, base Snapshot) (Snapshot, error) {
	snap, err := s.snapshot(ctx, dir, tree, base, nil)
	if err != nil {
		return Snapshot{}, fmt.Errorf("checkpoint: snapshot of %q: %w", dir, err)
	}
	return snap, nil
}

func (s *Store) snapshot(ctx context.Context, dir string, tree *ledger.Tree, base Snapshot, in *inlining) (Snapshot, error) {
	if ctx.Err() != nil {
		return Snapshot{}, context.Cause(ctx)
	}
	if err := s.Flush(ctx); err != nil {
		return Snapshot{}, err
	}
	var old keptTree
	if base != (Snapshot{}) {
		var err error
		if old, err = s.load(ctx, base); err != nil && !unreadable(err) {
			return Snapshot{}, err
		} else if err != nil {
			base = Snapshot{} // a full one needs nothing of it
		}
	}
	kept, m := &keptTree{tree: tree}, difference(old.tree, tree)
	if base != (Snapshot{}) && len(m.removed)+len(m.entries) == 0 && base.Tree == m.tree {
		return base, nil
	}
	fresh, err := s.keep(ctx, dir, tree, m.entries, in)
	if err == nil {
		kept.snap, err = s.describe(ctx, kept, m, base, old, in)
	}
	if err != nil {
		return Snapshot{}, errors.Join(err, s.takeBack(append(fresh, kept.snap.Manifest)))
	}
	s.learn(append(fresh, kept.snap.Manifest)...)
	s.remember(*kept)
	return kept.snap, nil
}

// describe puts the manifest of kept, and seals the snapshot.
func (s *Store) describe(ctx context.Context, kept *keptTree, m *manifest, base Snapshot, old keptTree, in *inlining) (Snapshot, error) {
	text, err := kept.describe(m, base, old)
	if err != nil {
		return Snapshot{}, err
	}
	snap := Snapshot{Tree: m.tree, Manifest: ledger.Sum(text)}
	if err := s.blobs.Put(ctx, snap.Manifest, bytes.NewReader(text)); err != nil {
		return snap, err
	}
	in.take(text)
	return snap, s.seal(ctx, in)
}

// unreadable reports that a snapshot cannot be built on, however often one tries.
func unreadable(err error) bool {
	var damaged *DamagedError
	return errors.Is(err, ErrNotFound) || errors.Is(err, errManifest) || errors.As(err, &damaged)
}

// difference finds what leads from old to tree; what both share is not looked at.
func difference(old, tree *ledger.Tree) *manifest {
	m := &manifest{tree: tree.Digest()}
	for _, c := range ledger.Touched(old, tree) {
		if c.Op == ledger.Deleted {
			m.removed = append(m.removed, c.Path)
		} else {
			m.entries = append(m.entries, *c.After)
		}
	}
	return m
}

// describe returns the manifest of k: the difference m, or all of it where
// there is no base, or the chain of differences became too long or too heavy.
func (k *keptTree) describe(m *manifest, base Snapshot, old keptTree) ([]byte, error) {
	if base != (Snapshot{}) && old.depth < maxDepth {
		m.base, m.depth, m.full = base.Manifest, old.depth+1, old.full
		m.weight = old.weight
		text, err := m.encode()
		if err != nil {
			return nil, err
		}
		if m.weight += uint64(len(text)); m.weight <= m.full {
			k.depth, k.weight, k.full = m.depth, m.weight, m.full
			return m.encode()
		}
	}
	whole := &manifest{tree: m.tree, entries: slices.Collect(k.tree.All())}
	text, err := whole.encode()
	k.full = uint64(len(text))
	return text, err
}

// apply returns entries after the difference m.
func (m *manifest) apply(entries []ledger.Entry) []ledger.Entry {
	out := make([]ledger.Entry, 0, len(entries)+len(m.entries))
	removed, added := m.removed, m.entries
	for _, e := range entries {
		for len(added) > 0 && added[0].Path < e.Path {
			out, added = append(out, added[0]), added[1:]
		}
		for len(removed) > 0 && removed[0] < e.Path {
			removed = removed[1:]
		}
		switch {
		case len(added) > 0 && added[0].Path == e.Path:
			out, added = append(out, added[0]), added[1:]
		case len(removed) > 0 && removed[0] == e.Path:
		default:
			out = append(out, e)
		}
	}
	return append(out, added...)
}

// keep puts the contents of entries that are not kept yet, and returns their
// digests. They are not durable before the next Sync.
func (s *Store) keep(ctx context.Context, dir string, tree *ledger.Tree, entries []ledger.Entry, in *inlining) (fresh []ledger.Digest, err error) {
	var todo []ledger.Entry
	listed := map[ledger.Digest]bool{}
	for _, e := range entries {
		if e.Kind != ledger.File || listed[e.Digest] || s.knows(e.Digest) {
			continue
		}
		has, err := s.blobs.Has(ctx, e.Digest)
		if err != nil {
			return nil, err
		}
		listed[e.Digest] = !tree.Tracked(e.Path) // what is only tracked may be left out
		switch large := s.MaxContent > 0 && e.Size > s.MaxContent; {
		case has:
		case !large:
			todo = append(todo, e)
		case !tree.Tracked(e.Path):
			return nil, &TooLargeError{Path: e.Path, Size: e.Size}
		}
	}
	const workers = 2
	var (
		wait sync.WaitGroup
		errs [workers]error
		puts [workers][]ledger.Digest
	)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for i := range workers {
		wait.Go(func() {
			part := todo[i*len(todo)/workers : (i+1)*len(todo)/workers]
			if puts[i], errs[i] = s.keepFiles(ctx, dir, tree, part, in); errs[i] != nil {
				cancel(errs[i])
			}
		})
	}
	wait.Wait()
	for i := range workers {
		fresh = append(fresh, puts[i]...)
	}
	return fresh, context.Cause(ctx)
}

func (s *Store) keepFiles(ctx context.Context, dir string, tree *ledger.Tree, entries []ledger.Entry, in *inlining) (put []ledger.Digest, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	w, err := openWalker(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var buf []byte
	for _, e := range entries {
		if ctx.Err() != nil {
			return put, context.Cause(ctx)
		}
		buf, err = s.keepFile(ctx, w, e, buf, in)
		var changed *ChangedError
		if errors.As(err, &changed) && tree.Tracked(e.Path) {
			continue
		}
		if err != nil {
			return put, err
		}
		put = append(put, e.Digest)
	}
	return put, nil
}

// keepFile puts the content of one file, and returns buf for the next one.
func (s *Store) keepFile(ctx context.Context, w *walker, e ledger.Entry, buf []byte, in *inlining) ([]byte, error) {
	f, err := openToRead(w, e.Path)
	if err != nil {
		return buf, err
	}
	defer f.Close() // only read
	want, err := rawDigest(e.Digest)
	if err != nil {
		return buf, err
	}
	content := check(f, want, e.Size, &ChangedError{Path: e.Path})
	if e.Size >= smallBlob {
		in.large()
		return buf, s.blobs.Put(ctx, e.Digest, &fileContent{content, f, e.Size, &ChangedError{Path: e.Path}})
	}
	if buf, err = readUpTo(content, buf[:0], e.Size); err == nil {
		_, err = io.ReadFull(content, make([]byte, 1))
	}
	switch {
	case errors.Is(err, io.EOF):
	case errors.Is(err, io.ErrUnexpectedEOF), err == nil:
		return buf, &ChangedError{Path: e.Path}
	default:
		return buf, err
	}
	in.take(buf)
	return buf, s.blobs.Put(ctx, e.Digest, bytes.NewReader(buf))
}

// openToRead opens a regular file. What is gone or something else by now is a
// *ChangedError.
func openToRead(w *walker, path string) (*disk.File, error) {
	dir, name, err := w.at(path)
	if err == nil {
		var f *disk.File
		if f, err = dir.OpenFile(name, os.O_RDONLY|noWait, 0); err == nil {
			info, serr := f.Stat()
			if serr == nil && info.Mode().IsRegular() {
				return f, nil
			}
			err = errors.Join(serr, f.Close())
			return nil, &ChangedError{Path: path, Err: err}
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder) || errors.Is(err, errSwapped) || strings.Contains(err.Error(), "escapes") {
		return nil, &ChangedError{Path: path, Err: err}
	}
	return nil, fmt.Errorf("read %q: %w", path, err)
}
