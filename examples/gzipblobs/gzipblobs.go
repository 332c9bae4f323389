// Package gzipblobs is a store of one's own, with its conformance test:
// contents in a folder, one compressed file each.
//
// A host gives it to [exec.Controller.Blobs]. It only moves bytes: digests,
// manifests and the order of things are the business of checkpoint.Store.
package gzipblobs

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

// Blobs keeps contents compressed, below Dir, which must exist.
type Blobs struct {
	Dir string

	mu    sync.Mutex
	fresh []string // written and not synced yet
}

var _ checkpoint.Blobs = (*Blobs)(nil)

func (b *Blobs) path(d ledger.Digest) string {
	_, sum, _ := strings.Cut(string(d), ":")
	return filepath.Join(b.Dir, sum+".gz")
}

// Put compresses content into a file of its own, which appears under its name
// only when it is whole.
func (b *Blobs) Put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.CreateTemp(b.Dir, "new-*")
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	_, err = io.Copy(z, reader{ctx, content})
	if err = errors.Join(err, z.Close(), f.Close()); err == nil {
		err = os.Rename(f.Name(), b.path(d))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fresh = append(b.fresh, b.path(d))
	return nil
}

// Get opens a content.
func (b *Blobs) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(b.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, checkpoint.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return content{z, f}, nil
}

// Has looks whether there is a file.
func (b *Blobs) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	_, err := os.Stat(b.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Sync makes what was put durable: the files, then the folder that names them.
func (b *Blobs) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range append(b.fresh, b.Dir) {
		if err := syncFile(name); err != nil {
			return err
		}
	}
	b.fresh = nil
	return nil
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// content closes the file with the reader.
type content struct {
	*gzip.Reader
	f *os.File
}

func (c content) Close() error { return errors.Join(c.Reader.Close(), c.f.Close()) }

// reader stops reading when its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
