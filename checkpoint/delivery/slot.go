package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A maker makes what is staged. It is not safe for concurrent use.
type maker struct {
	open ledger.Content
	sync bool // each file by itself
	buf  []byte
}

// make makes e at name in dir, where nothing stands, with its mode and time. A
// folder can be written in by its owner, whatever its mode says.
func (m *maker) make(ctx context.Context, dir *disk.Root, name string, e ledger.Entry) error {
	switch e.Kind {
	case ledger.Link:
		if err := dir.Symlink(e.Target, name); err != nil || e.ModTime.IsZero() {
			return err
		}
		return dir.ChtimesLink(name, e.ModTime)
	case ledger.Dir:
		err := errors.Join(dir.Mkdir(name, 0o700), dir.Chmod(name, e.Mode|0o700))
		if err == nil && m.sync {
			err = dir.SyncFolder(name) // its mode
		}
		return err
	case ledger.Special:
		if err := dir.MakeFIFO(name, 0o600); err != nil {
			return fmt.Errorf("a FIFO cannot be made: %w", err)
		}
		return errors.Join(dir.Chmod(name, e.Mode), m.time(dir, name, e))
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(m.file(ctx, f, e), f.Close())
}

func (m *maker) time(dir *disk.Root, name string, e ledger.Entry) error {
	if e.ModTime.IsZero() {
		return nil
	}
	return dir.Chtimes(name, e.ModTime)
}

// file writes a file that is new and empty.
func (m *maker) file(ctx context.Context, f *disk.File, e ledger.Entry) error {
	if err := m.content(ctx, f, e); err != nil {
		return err
	}
	if e.Mode != 0o600 { // after writing, which takes bits away
		if err := f.Chmod(e.Mode); err != nil {
			return err
		}
	}
	if !e.ModTime.IsZero() {
		if err := f.Chtimes(e.ModTime); err != nil {
			return err
		}
	}
	if m.sync {
		return f.Sync()
	}
	return nil
}

// content fills a file with what an entry says. Contents that the store has not
// checked are checked here, before anybody can see them.
func (m *maker) content(ctx context.Context, f *disk.File, e ledger.Entry) error {
	if e.Size == 0 {
		return nil
	}
	sum, err := e.Digest.Sum()
	if err != nil {
		return err
	}
	in, err := m.open(ctx, e)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	wrong := fmt.Errorf("%w: %s of %d bytes", ledger.ErrContent, e.Digest, e.Size)
	checked, ok := in.(*content.Checked) // by its store
	if !ok {
		checked = content.Check(in, sum, e.Size, wrong)
	}
	if e.Size > content.Small {
		return content.Write(f, checked, e.Size, f.Plain())
	}
	if int64(cap(m.buf)) <= e.Size {
		m.buf = make([]byte, max(64<<10, e.Size+1))
	}
	n, err := io.ReadFull(checked, m.buf[:e.Size+1]) // one byte more: the check is at the end
	switch {
	case err == nil, err == io.EOF, err == io.ErrUnexpectedEOF && int64(n) != e.Size:
		return wrong
	case err != io.ErrUnexpectedEOF:
		return err
	}
	_, err = f.Write(m.buf[:n])
	return err
}

// copyFrom is the content of files that lie in a folder, as what is staged
// does.
func copyFrom(dir *disk.Root, name string) ledger.Content {
	return func(context.Context, ledger.Entry) (io.ReadCloser, error) {
		f, err := dir.Open(name)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{f, f}, nil
	}
}

// removeAny removes what stands at name, and what is in it, if anything does.
func removeAny(dir *disk.Root, name string) error {
	if err := dir.RemoveAll(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
