package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// removeEntry removes an entry of have that want does not have, or has as
// another kind.
func (r *restorer) removeEntry(e ledger.Entry) error {
	wanted, ok := r.want.Lookup(e.Path)
	if ok && wanted.Kind == ledger.Special && wanted.Target != ledger.FIFO {
		return nil // mendEntry says so; do not lose what is there
	}
	err := r.try(e.Path, func(dir *disk.Root, name string) error {
		r.w.Forget(e.Path)
		info, err := dir.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.IsDir() != (e.Kind == ledger.Dir) && !r.unread[e.Path]:
			return walk.ErrSwapped
		}
		r.touch(e.Path)
		// A folder that is not empty holds what the trees do not know: that is
		// left, and the folder with it, unless something else has to stand
		// here.
		err = dir.Remove(name)
		if err != nil && e.Kind == ledger.Dir && holdsSomething(dir, name) {
			if ok {
				return errInTheWay
			}
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holdsSomething reports whether a folder is known not to be empty.
func holdsSomething(dir *disk.Root, name string) bool {
	f, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() // only read
	names, _ := f.OS().Readdirnames(1)
	return len(names) > 0
}

// mendEntry makes an entry of want, or gives it its content, mode and time.
func (r *restorer) mendEntry(ctx context.Context, m mending) error {
	switch m.Kind {
	case ledger.Dir:
		if !m.content {
			r.touched[m.Path] = true
			return nil
		}
		return r.try(m.Path, func(dir *disk.Root, name string) error { return r.makeDir(dir, name, m.Entry) })
	case ledger.Link:
		return r.try(m.Path, func(dir *disk.Root, name string) error { return r.makeLink(dir, name, m) })
	case ledger.File:
		if m.content {
			return r.writeFile(ctx, m.Entry)
		}
		return r.try(m.Path, func(dir *disk.Root, name string) error { return setStat(dir, name, m.Entry) })
	case ledger.Special:
		if m.content && m.Target == ledger.FIFO {
			return r.try(m.Path, func(dir *disk.Root, name string) error { return r.makeFIFO(dir, name, m.Entry) })
		}
		if m.content {
			return errNoSpecial
		}
		return r.try(m.Path, func(dir *disk.Root, name string) error { return setSpecialMode(dir, name, m.Entry) })
	}
	return fmt.Errorf("kind %q is not known", m.Kind)
}

// makeDir makes a folder that only its owner may write: finish gives it its
// mode when all that it holds is there. A folder that came meanwhile will do.
func (r *restorer) makeDir(dir *disk.Root, name string, e ledger.Entry) error {
	if info, err := dir.Lstat(name); err == nil && !info.IsDir() {
		return walk.ErrSwapped
	}
	r.touch(e.Path)
	if err := dir.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	r.touched[e.Path] = true
	return nil
}

// makeLink makes a link in place of what stands there, and sets its time of
// modification, as far as the system can do that without following it.
func (r *restorer) makeLink(dir *disk.Root, name string, m mending) error {
	if m.content {
		r.touch(m.Path)
		if err := r.clearWay(dir, name); err != nil {
			return err
		}
		if err := dir.Symlink(m.Target, name); err != nil {
			return err
		}
	}
	return dir.ChtimesLink(name, m.ModTime)
}

// makeFIFO makes a named pipe again, with its mode and time.
func (r *restorer) makeFIFO(dir *disk.Root, name string, e ledger.Entry) error {
	r.touch(e.Path)
	if err := r.clearWay(dir, name); err != nil {
		return err
	}
	if err := dir.MakeFIFO(name, 0o600); errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("it was a FIFO: make one there (mkfifo), then restore again: %w", err)
	} else if err != nil {
		return err
	}
	if err := setSpecialMode(dir, name, e); err != nil {
		return err
	}
	return setTime(dir, name, e.ModTime)
}

// clearWay removes what stands at name, if it is no folder that holds
// something. In a fresh folder it removes nothing.
func (r *restorer) clearWay(dir *disk.Root, name string) error {
	if r.fresh {
		return nil
	}
	err := dir.Remove(name)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case holdsSomething(dir, name):
		return errInTheWay
	}
	return err
}

// writeFile writes the content of e: in place if the file has one name only, so
// that a link to it from outside is not written through, else as a new file.
func (r *restorer) writeFile(ctx context.Context, e ledger.Entry) error {
	in, err := r.content(ctx, e)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	return r.try(e.Path, func(dir *disk.Root, name string) error {
		f, err := r.open(dir, name, e)
		if err != nil {
			return err
		}
		err = content.Write(f, in, e.Size, r.w.Root.Plain())
		byFile := runtime.GOOS == "linux" // elsewhere it goes by names, which are looked up in the folder then
		if err == nil && byFile {
			err = setFileStat(f, e)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("write %d bytes: %w", e.Size, err)
		}
		if byFile {
			return nil
		}
		return setStat(dir, name, e)
	})
}

// open opens the file that e is written to: a new one where have has nothing, and
// nothing came meanwhile; else in place, as that keeps owner, attributes and inode,
// and costs less than to remove what stands there, which is done at last.
func (r *restorer) open(dir *disk.Root, name string, e ledger.Entry) (*disk.File, error) {
	create := func() (*disk.File, error) {
		r.touch(e.Path)
		return dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if _, had := r.have.Lookup(e.Path); r.fresh || !had {
		if f, err := create(); r.fresh || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	if f, err := openInPlace(dir, name); f != nil || err != nil {
		return f, err
	}
	if err := r.clearWay(dir, name); err != nil {
		return nil, err
	}
	return create()
}

// content returns the content of e, which is known to be good.
func (r *restorer) content(ctx context.Context, e ledger.Entry) (io.ReadCloser, error) {
	in, err := r.from.Open(ctx, e.Digest, e.Size)
	if err != nil {
		return nil, err
	}
	if e.Size > content.Small {
		// Read it twice rather than put something wrong over the file.
		_, err := io.Copy(io.Discard, content.While(ctx, in))
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		return r.from.Open(ctx, e.Digest, e.Size)
	}
	// A small content is checked in memory, before the file is touched.
	r.buf, err = format.ReadUpTo(in, r.buf[:0], e.Size)
	if err == nil {
		_, err = io.ReadFull(in, make([]byte, 1)) // the check is at the end
	}
	if err = errors.Join(format.AtEnd(err), in.Close()); err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(r.buf)), nil
}

// openInPlace opens a regular file that has one name only for writing. It
// returns nil if there is none like that, or it cannot be opened.
func openInPlace(dir *disk.Root, name string) (*disk.File, error) {
	// A file with a second name may be somebody else's too, who would see it
	// change.
	there, err := dir.Lstat(name)
	if err != nil || !there.Mode().IsRegular() || file.Links(there) != 1 {
		return nil, nil
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|file.NoWait, 0)
	if err != nil {
		return nil, nil
	}
	opened, err := f.Stat()
	if err == nil && (!os.SameFile(there, opened) || file.Links(opened) != 1) {
		err = walk.ErrSwapped
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
