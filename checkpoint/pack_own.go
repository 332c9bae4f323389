package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/oklog/ulid/v2"
)

// An ownPack is the pack that a Folder appends to.
type ownPack struct {
	name string
	f    packFile
	at   stay
	end  int64
	buf  []byte
}

// packFile is what a Folder needs of its own pack.
type packFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

func newPack(dir string) (*ownPack, error) {
	p := &ownPack{name: ulid.Make().String(), end: int64(packHeader)}
	path := filepath.Join(dir, p.name+packExt)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	p.f = dataFile{f}
	if _, err = f.WriteAt(appendPackHeader(nil), 0); err == nil {
		p.at, err = stayOf(f, path)
	}
	if err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), removeIfThere(path))
	}
	return p, nil
}

// add appends a content that begins with first and goes on with rest. The
// header is written last where the size is not known before.
func (p *ownPack) add(ctx context.Context, key sum, first []byte, rest io.Reader) (place, error) {
	at := place{offset: p.end + itemHeader, size: int64(len(first))}
	if len(first) < smallBlob {
		p.buf = appendItem(p.buf[:0], p.name, p.end, item{itemContent, at.size, key})
		p.buf = append(p.buf, first...)
		if _, err := p.f.WriteAt(p.buf, p.end); err != nil {
			return at, err
		}
		p.end += int64(len(p.buf))
		return at, nil
	}
	w := io.NewOffsetWriter(p.f, at.offset)
	if _, err := w.Write(first); err != nil {
		return at, err
	}
	n, err := io.Copy(w, readerWith{ctx, rest})
	if err != nil {
		return at, err
	}
	at.size += n
	if _, err := p.f.WriteAt(appendItem(nil, p.name, p.end, item{itemContent, at.size, key}), p.end); err != nil {
		return at, err
	}
	p.end = at.offset + at.size
	return at, nil
}
