package layer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// entryOf is what stands at name in an open folder, as a tree has it. The
// content of a file is read, and see is told of the open file if it is not nil. One
// that is larger than a scan reads is Special, as in a tree: nobody reads it.
func entryOf(ctx context.Context, in *os.Root, name, path string, info fs.FileInfo, see func(*os.File) error) (*ledger.Entry, error) {
	e := &ledger.Entry{Path: path, ModTime: info.ModTime()}
	if info.Mode()&fs.ModeSymlink == 0 {
		e.Mode = info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	}
	var err error
	switch {
	case info.Mode().IsRegular() && info.Size() > scan.MaxFile:
		e.Kind = ledger.Special
	case info.Mode().IsRegular():
		e.Kind = ledger.File
		e.Digest, e.Size, err = sumOf(ctx, in, name, see)
	case info.IsDir():
		e.Kind = ledger.Dir
	case info.Mode()&fs.ModeSymlink != 0:
		e.Kind = ledger.Link
		e.Target, err = in.Readlink(name)
	default:
		e.Kind = ledger.Special
		if info.Mode()&fs.ModeNamedPipe != 0 {
			e.Target = ledger.FIFO
		}
	}
	return e, err
}

// sumOf reads a regular file.
func sumOf(ctx context.Context, in *os.Root, name string, see func(*os.File) error) (ledger.Digest, int64, error) {
	f, err := openRegular(in, name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	h := sha256.New()
	size, err := io.CopyBuffer(h, reading{ctx, f}, buf[:])
	if err == nil && see != nil {
		err = see(f)
	}
	return ledger.DigestOf([sha256.Size]byte(h.Sum(nil))), size, err
}

// A reading ends with its context.
type reading struct {
	ctx  context.Context
	from io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.from.Read(p)
}

// buffers are for reading files.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// openRegular opens a regular file, and waits for nobody.
func openRegular(in *os.Root, name string) (*os.File, error) {
	f, err := in.OpenFile(name, os.O_RDONLY|nonblock|noFollow, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %q: %w", name, syscall.ELOOP)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
