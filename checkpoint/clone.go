package checkpoint

import (
	"context"
	"errors"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// Where the file system can share blocks between files (reflinks), large
// contents are not copied: the new file refers to the same blocks until one of
// the two is written. They must begin at a block, so a pack has up to a block
// of zeros before the header of such a content.

// errNoClone says that a content has to be copied.
var errNoClone = errors.New("checkpoint: blocks cannot be shared")

// cloneBlock is what places of shared blocks are multiples of.
const cloneBlock = 4 << 10

// A fileContent is the content of a file, from its beginning.
type fileContent struct {
	io.Reader // checks what it reads
	f         *disk.File
	size      int64
	wrong     error // if the file does not hold the content
}

// clone adds the content of c, without copying it. What was cloned is checked,
// since somebody may have written meanwhile.
func (p *ownPack) clone(ctx context.Context, key sum, c *fileContent) (place, error) {
	own, ok := p.f.(file.Data)
	if !ok || !p.plain {
		return place{}, errNoClone
	}
	at := place{(p.end + itemHeader + cloneBlock - 1) / cloneBlock * cloneBlock, c.size}
	if err := cloneRange(own.OS(), at.offset, c.f.OS(), 0, 0); err != nil {
		return place{}, errNoClone
	}
	info, err := own.Stat()
	if err != nil {
		return at, err
	}
	if info.Size() != at.offset+at.size {
		return at, c.wrong
	}
	good, err := packed{item{itemContent, at.size, key}, at.offset}.intact(readerAtWith{ctx, p.f},
		make([]byte, 256<<10))
	if err == nil && !good {
		err = c.wrong
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

func (r readerAtWith) ReadAt(b []byte, offset int64) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.ReadAt(b, offset)
}

// cloneOut makes the new file f hold a content that lies in a pack, as far as
// that can be done without copying, and returns how much that is.
func cloneOut(f *disk.File, content io.Reader, size int64) int64 {
	c, ok := content.(packContent)
	if !ok || c.file == nil {
		return 0
	}
	_, offset, _ := c.Outer()
	whole := size / cloneBlock * cloneBlock
	if whole == 0 || offset%cloneBlock != 0 || cloneRange(f.OS(), 0, c.file.OS(), offset, whole) != nil {
		return 0
	}
	return whole
}
