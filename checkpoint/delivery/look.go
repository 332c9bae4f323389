package delivery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

const (
	tries  = 5       // how often a file that changes while it is read is read again
	atOnce = 1 << 20 // files up to that size are read into memory as a whole
	filled = -1      // size of a folder that holds something, where that matters
)

// modeBits are the bits of a mode that entries have.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// entryOf is what the system says of path, without content and target.
func entryOf(info fs.FileInfo, path string) *ledger.Entry {
	e := &ledger.Entry{Path: path, Mode: info.Mode() & modeBits, ModTime: info.ModTime()}
	switch m := info.Mode(); {
	case m.IsRegular():
		e.Kind, e.Size = ledger.File, info.Size()
	case m.IsDir():
		e.Kind = ledger.Dir
	case m&fs.ModeSymlink != 0:
		e.Kind, e.Mode = ledger.Link, 0
	default:
		e.Kind = ledger.Special
		if m&fs.ModeNamedPipe != 0 {
			e.Target = ledger.FIFO
		}
	}
	return e
}

// same reports whether a is what b says; nil is nothing.
func same(a, b *ledger.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	x := *a
	x.Path = b.Path
	return x.Same(*b)
}

// mayBe reports whether what was looked at without its content may be e.
func mayBe(seen, e *ledger.Entry) bool {
	if seen == nil || e == nil {
		return seen == e
	}
	return seen.Kind == e.Kind && seen.Mode == e.Mode && (seen.Kind != ledger.File || seen.Size == e.Size)
}

// glance looks at name without reading it; nil if nothing stands there.
func glance(dir *disk.Root, name, path string) (*ledger.Entry, error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return entryOf(info, path), nil
}

// A reader reads what stands at names. It is not safe for concurrent use.
type reader struct {
	buf []byte
}

// look reads what stands at name, for the entry of path; nil if nothing does. A
// file that somebody writes all the time has no digest, so that it is the same
// as nothing else.
func (r *reader) look(dir *disk.Root, name, path string) (*ledger.Entry, error) {
	var e *ledger.Entry
	for range tries {
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		e = entryOf(info, path)
		switch e.Kind {
		case ledger.Link:
			e.Target, err = dir.Readlink(name)
		case ledger.File:
			e.Digest, err = r.sum(dir, name, info)
		}
		if err == nil {
			return e, nil
		}
		if !becameOther(err) {
			return nil, fmt.Errorf("read %q: %w", path, err)
		}
	}
	return e, nil
}

// errChanging says that a file is written while it is read.
var errChanging = errors.New("somebody writes to it")

// becameOther reports whether err comes of an entry that is another one than a
// moment ago.
func becameOther(err error) bool {
	return unreachable(err) || errors.Is(err, errChanging) || errors.Is(err, syscall.ENXIO) ||
		errors.Is(err, syscall.EINVAL)
}

// unreachable reports whether err says that there is no such path, for one of
// the folders on its way is gone, or is none.
func unreachable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, file.ErrNotFolder) || errors.Is(err, walk.ErrSwapped) ||
		errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) ||
		err != nil && strings.Contains(err.Error(), "escapes")
}

// sum reads the regular file at name, which a moment ago was as info says.
func (r *reader) sum(dir *disk.Root, name string, info fs.FileInfo) (ledger.Digest, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	before, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !os.SameFile(before, info) {
		return "", errChanging
	}
	digest, n, err := r.digest(f, before.Size())
	if err != nil {
		return "", err
	}
	after, err := f.Stat()
	if err != nil {
		return "", err
	}
	if n != before.Size() || after.Size() != n || !after.ModTime().Equal(before.ModTime()) {
		return "", errChanging
	}
	return digest, nil
}

// digest reads f, which should have size bytes.
func (r *reader) digest(f *disk.File, size int64) (ledger.Digest, int64, error) {
	if size >= atOnce {
		return ledger.SumReader(io.LimitReader(f, size+1))
	}
	if int64(cap(r.buf)) <= size {
		r.buf = make([]byte, max(size+1, 64<<10))
	}
	n, err := io.ReadFull(f, r.buf[:size+1])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", 0, err
	}
	return ledger.Sum(r.buf[:n]), int64(n), nil
}

// lookWhole is look, and tells also whether a folder holds something.
func (r *reader) lookWhole(dir *disk.Root, name, path string) (*ledger.Entry, error) {
	e, err := r.look(dir, name, path)
	if err != nil || e == nil || e.Kind != ledger.Dir {
		return e, err
	}
	list, err := dir.ReadDir(name)
	if err != nil && !unreachable(err) {
		return nil, err
	}
	if len(list) > 0 {
		e.Size = filled
	}
	return e, nil
}
