package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// What a scan believed would die with the controller, and the next one would
// have to read every file before it could go on. So the stamps of the tree that
// an attempt begins with are kept in a file beside the journal, and their
// digest in the record of that attempt, which is written anyway. The file is
// advice for this life of the machine: it is never synced, and where it is not
// what the last such record says, or is of another life, folder or scope,
// everything is read. Before the stamps it has 8 bytes, most significant first:
// the size of the manifest of the tree before the run, where that is the tree of
// the stamps; else 0.

const (
	stampsName = "stamps"
	// baseName has those of the workspace when a run began that works in a layer.
	baseName = "stamps-workspace"
	// A tree of fewer entries is read as fast as such a file.
	fewEntries = 256
	// maxStamps is how many bytes of such a file are read; it is a tree of some
	// millions of files.
	maxStamps = 1 << 30
)

// Stamps are those of the trees of one run.
type Stamps struct {
	of   *Worktree
	last *ledger.Tree // whose stamps were kept last
	base uint64       // size of its manifest, where it is the tree before the run
}

// Stamps are the files that spare a controller which takes the run up the reading
// of everything.
func (w *Worktree) Stamps() *Stamps {
	w.stamps.of = w
	return &w.stamps
}

// Keep keeps those of the tree that we left, if scans had to read much
// since that was done last: so it costs a share of what was read, and nothing
// where little changes. It returns the digest for the journal, "" if the one
// that is there holds.
func (s *Stamps) Keep(ctx context.Context) ledger.Digest {
	tree := s.of.Tree
	if tree == nil || tree.Len() < fewEntries {
		return ""
	}
	if s.last != nil {
		if read := scan.Reads(tree) - scan.Reads(s.last); read >= 0 && read <= int64(fewEntries+tree.Len()/8) {
			return ""
		}
	}
	s.last = tree
	size, err := s.of.Rec.Store.Recognize(ctx, s.of.Rec.Run.Started.Base, tree)
	if err != nil {
		size = 0 // whoever goes on finds out
	}
	return s.keep(ctx, tree, s.of.Dir, stampsName, size)
}

// KeepBase keeps the stamps of the workspace as a run found it, and returns
// their digest; "" if nothing was kept.
func (s *Stamps) KeepBase(ctx context.Context) ledger.Digest {
	if s.of.Base.Len() < fewEntries {
		return ""
	}
	return s.keep(ctx, s.of.Base, s.of.Root, baseName, 0)
}

func (s *Stamps) keep(ctx context.Context, tree *ledger.Tree, dir, name string, size uint64) ledger.Digest {
	root, path := disk.From(ctx).Anywhere(), filepath.Join(s.of.RunDir(), name)
	digest, err := writeStamps(root, path, func(to io.Writer) (bool, error) {
		if _, err := to.Write(binary.BigEndian.AppendUint64(nil, size)); err != nil {
			return false, err
		}
		return scan.WriteStamps(to, tree, dir, disk.From(ctx).Boot())
	})
	if err != nil {
		s.of.Rec.Log.Debug("what the scan saw cannot be kept for the next controller", "run", s.of.Rec.Run.Started.Run,
			"err", err)
		return ""
	}
	return digest
}

// writeStamps makes the file anew, and returns its digest; none, and no file, if
// nothing is to be kept. Writing over the old one, or renaming, would have the
// system write it to the disk.
func writeStamps(root *disk.Root, path string, write func(io.Writer) (bool, error)) (ledger.Digest, error) {
	if err := root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	kept, err := write(io.MultiWriter(io.NewOffsetWriter(f, 0), hash))
	if err = errors.Join(err, f.Close()); err != nil || !kept {
		return "", errors.Join(err, root.Remove(path))
	}
	return ledger.DigestOf([sha256.Size]byte(hash.Sum(nil))), nil
}

// BaseTree is the tree before the run: the one that was kept, where that is it.
func (w *Worktree) BaseTree(ctx context.Context) (*ledger.Tree, error) {
	base := w.Rec.Run.Started.Base
	if w.Tree == nil || w.stamps.base == 0 {
		return w.Rec.Store.Tree(ctx, base)
	}
	if same, err := w.Rec.Store.Recall(ctx, base, w.Tree, w.stamps.base); err != nil || !same {
		return w.Rec.Store.Tree(ctx, base)
	}
	return w.Tree, nil
}

// Revive begins with the tree that the controller before kept, as far as the
// journal says so. Somebody may have written since: it is what the first scan
// knows.
func (s *Stamps) Revive(ctx context.Context) {
	if tree, size := s.revive(ctx, s.of.Rec.Run.Stamps, s.of.Dir, stampsName); tree != nil {
		s.of.Tree, s.last, s.base = tree, tree, size
	}
}

// ReviveBase is the workspace as the run found it, with its stamps; nil if they
// are not there any more.
func (s *Stamps) ReviveBase(ctx context.Context) *ledger.Tree {
	tree, _ := s.revive(ctx, s.of.Rec.Run.Started.Stamps, s.of.Root, baseName)
	return tree
}

func (s *Stamps) revive(ctx context.Context, kept ledger.Digest, dir, name string) (tree *ledger.Tree, base uint64) {
	if kept == "" {
		return nil, 0
	}
	path := filepath.Join(s.of.RunDir(), name)
	digest, err := readStamps(disk.From(ctx).Anywhere(), path, func(in io.Reader, size int64) (err error) {
		if err = binary.Read(in, binary.BigEndian, &base); err == nil {
			tree, err = s.of.Scanner.Revive(dir, disk.From(ctx).Boot(), in, size-int64(binary.Size(base)))
		}
		return err
	})
	if err == nil && digest != kept {
		err = scan.ErrStamps
	}
	if err != nil {
		s.of.Rec.Log.Debug("the first scan reads everything", "run", s.of.Rec.Run.Started.Run, "err", err)
		return nil, 0
	}
	return tree, base
}

// readStamps has a file read, all of it, and returns its digest.
func readStamps(root *disk.Root, path string, read func(in io.Reader, size int64) error) (ledger.Digest, error) {
	info, err := root.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxStamps) {
		err = scan.ErrStamps
	}
	if err != nil {
		return "", err
	}
	f, err := root.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	hash := sha256.New()
	err = read(io.TeeReader(io.NewSectionReader(f, 0, info.Size()), hash), info.Size())
	return ledger.DigestOf([sha256.Size]byte(hash.Sum(nil))), err
}

// Drop removes the files of a run that nobody takes up any more.
func (s *Stamps) Drop(ctx context.Context) {
	for _, name := range []string{stampsName, baseName, asideName, noteName} {
		err := disk.From(ctx).Anywhere().Remove(filepath.Join(s.of.RunDir(), name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.of.Rec.Log.Debug("the stamps of a finished run are left", "run", s.of.Rec.Run.Started.Run, "err", err)
		}
	}
}
