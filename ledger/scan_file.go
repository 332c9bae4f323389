package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
)

// tries is how often an entry is read before it is given up as changing.
const tries = 5

// A reader is one worker of a scan, with what it found and its buffers.
type reader struct {
	walk  *walk
	buf   []byte
	hash  hash.Hash
	found []found
}

// entry reads what stands at name in dir. A folder is not read: it comes back as the job to do so,
// and is part of the tree once that is done. What is not there any more is no error; nor is, in
// a tolerant scan, what cannot be read.
func (r *reader) entry(dir *os.Root, name, path string) (folder *job, err error) {
	f := found{entry: Entry{Path: path}}
	for range tries {
		var info fs.FileInfo
		if info, err = dir.Lstat(name); err != nil {
			break
		}
		f = found{entry: Entry{Path: path, ModTime: info.ModTime().UTC()}, stamp: stampOf(info)}
		f.entry.Kind, f.entry.Mode = kindOf(info.Mode()), info.Mode()&modeBits
		switch f.entry.Kind {
		case Dir:
			return &job{path: path, info: info, found: f}, nil
		case Link:
			f.entry.Mode = 0
			f.entry.Target, err = dir.Readlink(name)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				err = ErrChanging // it was a link a moment ago
			}
		case File:
			err = r.file(dir, name, info, &f)
		}
		if err == nil {
			r.found = append(r.found, f)
			return nil, nil
		}
		if !errors.Is(err, ErrChanging) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, r.refuse(f, err)
}

// refuse says what becomes of an entry that cannot be read because of err: it is listed by a
// tolerant scan, unless that is just being stopped.
func (r *reader) refuse(f found, err error) error {
	if !r.walk.scanner.Tolerant || f.entry.Path == "" || r.walk.ctx.Err() != nil {
		return err
	}
	e := Entry{Path: f.entry.Path, Kind: Special, Mode: f.entry.Mode, ModTime: f.entry.ModTime}
	r.found = append(r.found, found{entry: e, stamp: f.stamp, unread: true})
	return nil
}

func kindOf(m fs.FileMode) Kind {
	switch m.Type() {
	case 0:
		return File
	case fs.ModeDir:
		return Dir
	case fs.ModeSymlink:
		return Link
	}
	return Special
}

// file fills in size and digest of the regular file name, from the prior tree where that can be trusted.
func (r *reader) file(dir *os.Root, name string, info fs.FileInfo, f *found) error {
	f.entry.Size = info.Size()
	if old, ok := r.walk.known(f); ok {
		f.entry.Digest = old
		return nil
	}
	if f.entry.Size > r.walk.maxFile {
		return fmt.Errorf("it has %d bytes, and files of more than %d are not read; leave it out with [ledger] ignore", f.entry.Size, r.walk.maxFile)
	}
	file, err := dir.OpenFile(name, openFlags, 0)
	if err != nil {
		// What was there is not: a link to the outside, a socket, nothing.
		if now, e := dir.Lstat(name); e != nil || !os.SameFile(now, info) || !now.Mode().IsRegular() {
			return ErrChanging
		}
		return err
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if !opened.Mode().IsRegular() || !os.SameFile(opened, info) || !unmoved(opened, info) {
		return ErrChanging
	}
	if r.hash == nil {
		r.hash = sha256.New()
	}
	r.hash.Reset()
	n, err := r.copy(file, info.Size())
	if err != nil {
		return err
	}
	after, err := file.Stat()
	if err != nil {
		return err
	}
	if n != info.Size() || !unmoved(after, info) {
		return ErrChanging
	}
	f.entry.Digest = digestOf(r.hash.Sum(r.buf[:0]))
	return nil
}

// copy hashes the file, and stops as soon as it is longer than it should be.
func (r *reader) copy(file *os.File, size int64) (n int64, err error) {
	for n <= size {
		if r.walk.ctx.Err() != nil {
			return n, r.walk.ctx.Err()
		}
		k, err := file.Read(r.buf)
		n += int64(k)
		r.hash.Write(r.buf[:k])
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// known is the digest of a file whose stamps say that it is still what the prior scan read.
func (w *walk) known(f *found) (Digest, bool) {
	if w.prior == nil || w.prior.stamps == nil {
		return "", false
	}
	i, ok := w.prior.index(f.entry.Path)
	if !ok {
		return "", false
	}
	old := &w.prior.entries[i]
	if old.Kind != File || old.Size != f.entry.Size || !old.ModTime.Equal(f.entry.ModTime) {
		return "", false
	}
	if w.prior.stamps[i] != f.stamp || !w.prior.trust.covers(f.stamp) {
		return "", false
	}
	return old.Digest, true
}

// unmoved reports whether two descriptions of one file show no write between them.
func unmoved(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode() && stampOf(a) == stampOf(b)
}
