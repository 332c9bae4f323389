package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/internal/disk"
)

// An ownPack is the pack that a Folder appends to.
type ownPack struct {
	name   string
	f      packFile
	at     stay
	end    int64
	marked int64 // all before it is durable
	plain  bool  // nothing stands before the operating system
	buf    []byte
}

// packFile is what a Folder needs of its own pack.
type packFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// newPack makes a pack in dir. It is locked as long as it is open, where the
// system can do that, so that Collect leaves it alone.
func newPack(root *disk.Root, dir string) (*ownPack, error) {
	p := &ownPack{name: ulid.Make().String(), end: int64(packHeader), marked: int64(packHeader), plain: root.Plain()}
	path := filepath.Join(dir, p.name+packExt)
	f, err := root.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	p.f = dataFile{f}
	_, _ = lockFile(f.OS()) // a file that nobody else knows is free
	if _, err = f.WriteAt(appendPackHeader(nil), 0); err == nil {
		p.at, err = stayOf(f.OS(), path)
	}
	if err == nil {
		err = root.SyncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), removeIfThere(root, path))
	}
	return p, nil
}

// add appends a content that begins with first and goes on with rest. The
// header is written last where the size is not known before.
func (p *ownPack) add(ctx context.Context, key sum, first []byte, rest io.Reader) (place, error) {
	if len(first) < smallBlob {
		at := place{offset: p.end + itemHeader, size: int64(len(first))}
		p.buf = appendItem(p.buf[:0], p.name, p.end, item{itemContent, at.size, key})
		p.buf = append(p.buf, first...)
		if _, err := p.f.WriteAt(p.buf, p.end); err != nil {
			return at, err
		}
		p.end += int64(len(p.buf))
		return at, nil
	}
	at := place{offset: p.end + itemHeader}
	w := &sparseWriter{f: p.f, offset: at.offset}
	if _, err := w.Write(first); err != nil {
		return at, err
	}
	if _, err := io.Copy(w, readerWith{ctx, rest}); err != nil {
		return at, err
	}
	if err := w.finish(); err != nil {
		return at, err
	}
	at.size = w.offset - at.offset
	return at, p.head(at, key)
}

// head writes the header of the content at a place behind the last one.
func (p *ownPack) head(at place, key sum) error {
	start := at.offset - itemHeader
	_, err := p.f.WriteAt(appendItem(nil, p.name, start, item{itemContent, at.size, key}), start)
	if err == nil {
		p.end = at.offset + at.size
	}
	return err
}

// mark says that all before it is durable. It need not be durable itself: what
// comes after it will be synced together with it.
func (p *ownPack) mark() error {
	mark := appendItem(nil, p.name, p.end, item{kind: itemMark})
	if _, err := p.f.WriteAt(mark, p.end); err != nil {
		return p.f.Truncate(p.end)
	}
	p.end += itemHeader
	p.marked = p.end
	return nil
}
