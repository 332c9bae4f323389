package folder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// An ownPack is the pack that a Blobs appends to. Small contents are gathered
// in memory, and written together: a write of its own for each of them costs
// more than reading it.
type ownPack struct {
	name     string
	f        packFile
	at       file.Stay
	end      int64  // of the last item
	gathered []byte // items at the end that are not in the file yet
	marked   int64  // all before it is durable
	plain    bool   // nothing stands before the operating system
}

// gatherSize is how many bytes of items are written at once. One item may be
// larger.
const gatherSize = 256 << 10

// packFile is what a Blobs needs of its own pack.
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
	p.f = file.Data{File: f}
	_, _ = file.Lock(f.OS()) // a file that nobody else knows is free
	if _, err = f.WriteAt(appendPackHeader(nil), 0); err == nil {
		p.at, err = file.StayOf(f.OS(), path)
	}
	if err == nil {
		err = root.SyncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), file.RemoveIfThere(root, path))
	}
	return p, nil
}

// add appends a content that begins with first and goes on with rest. The
// header is written last where the size is not known before. After an error
// nothing was added, and cut is to be called.
func (p *ownPack) add(ctx context.Context, key sum, first []byte, rest io.Reader) (place, error) {
	small := len(first) < content.Small
	// Items must stand in the file in the order of their places, so that what
	// is gathered goes first.
	if !small || len(p.gathered)+itemHeader+len(first) > gatherSize {
		if err := p.write(); err != nil {
			return place{}, err
		}
	}
	if small {
		at := place{offset: p.end + itemHeader, size: int64(len(first))}
		p.gathered = appendItem(p.gathered, p.name, p.end, item{itemContent, at.size, key})
		p.gathered = append(p.gathered, first...)
		p.end = at.offset + at.size
		return at, nil
	}
	at := place{offset: p.end + itemHeader}
	// The header goes last: until it is there nobody takes for a content what
	// was only begun.
	w := &content.Sparse{F: p.f, Offset: at.offset}
	if _, err := w.Write(first); err != nil {
		return at, err
	}
	if _, err := io.Copy(w, content.While(ctx, rest)); err != nil {
		return at, err
	}
	if err := w.Finish(); err != nil {
		return at, err
	}
	at.size = w.Offset - at.offset
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

// written is where the file ends.
func (p *ownPack) written() int64 { return p.end - int64(len(p.gathered)) }

// write brings what was gathered into the file. After an error it is still
// gathered, and can be written again.
func (p *ownPack) write() error {
	if len(p.gathered) == 0 {
		return nil
	}
	if _, err := p.f.WriteAt(p.gathered, p.written()); err != nil {
		return errors.Join(err, p.cut())
	}
	p.gathered = p.gathered[:0]
	return nil
}

// cut removes what a write that failed left behind: bytes that a later reader
// would have to step over.
func (p *ownPack) cut() error { return p.f.Truncate(p.written()) }

// drop forgets what was gathered.
func (p *ownPack) drop() { p.end, p.gathered = p.written(), nil }

// back cuts the pack at end, where an item ends. After an error all of it
// stays.
func (p *ownPack) back(end int64) error {
	if n := end - p.written(); n >= 0 {
		p.end, p.gathered = end, p.gathered[:n]
		return nil
	}
	if err := p.f.Truncate(end); err != nil {
		return err
	}
	p.end, p.gathered = end, p.gathered[:0]
	return nil
}

// content is a content that is still gathered, if the one at a place is.
func (p *ownPack) content(at place) ([]byte, bool) {
	i := at.offset - p.written()
	if i < 0 || i+at.size > int64(len(p.gathered)) {
		return nil, false
	}
	return bytes.Clone(p.gathered[i : i+at.size]), true
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

// errNoShare says that a content has to be copied.
var errNoShare = errors.New("checkpoint: blocks cannot be shared")

// share adds the content of c without copying it, where the file system can
// share blocks. These must begin at a block, so up to a block of zeros stands
// before the header. What was shared is checked, since somebody may have
// written meanwhile.
func (p *ownPack) share(ctx context.Context, key sum, c *content.File) (place, error) {
	own, ok := p.f.(file.Data)
	if !ok || !p.plain {
		return place{}, errNoShare
	}
	at := place{(p.end + itemHeader + content.Block - 1) / content.Block * content.Block, c.Size()}
	if c.ShareWith(own.File, at.offset) != nil {
		return place{}, errNoShare
	}
	info, err := own.Stat()
	if err != nil {
		return at, err
	}
	if info.Size() != at.offset+at.size {
		return at, c.Wrong()
	}
	good, err := packed{item{itemContent, at.size, key}, at.offset}.intact(readerAtWith{ctx, p.f},
		make([]byte, 256<<10))
	if err == nil && !good {
		err = c.Wrong()
	}
	if err != nil {
		return at, err
	}
	return at, p.head(at, key)
}

// readerAtWith ends reading when ctx ends.
type readerAtWith struct {
	ctx context.Context
	r   io.ReaderAt
}

// ReadAt reads, unless the context has ended.
func (r readerAtWith) ReadAt(b []byte, offset int64) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.ReadAt(b, offset)
}
