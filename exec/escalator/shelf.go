package escalator

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/disk"
)

// files is the shelf that is a folder of the file system. Nothing that is done
// through it leaves the folder.
type files struct{ *disk.Root }

func (m files) names() (names []string, err error) {
	list, err := m.ReadDir(".")
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

// replace writes a file that takes the place of what is there.
func (m files) replace(name string, data []byte) error {
	temp, err := m.writeTemp(name, data)
	if err == nil {
		err = m.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, m.discard(temp))
	}
	return m.sync()
}

// read returns a regular file of at most limit bytes. It neither follows a link
// nor waits for a pipe.
func (m files) read(name string, limit int64) (data []byte, put time.Time, err error) {
	info, err := m.Lstat(name)
	if err != nil {
		return nil, put, fmt.Errorf("ask: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, put, notOurs{fmt.Errorf("ask: %q is not a regular file", name)}
	}
	file, err := m.OpenFile(name, readFlags(), 0)
	if err != nil {
		return nil, put, fmt.Errorf("ask: %w", err)
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, put, fmt.Errorf("ask: %w", err)
	}
	if !os.SameFile(info, opened) {
		return nil, put, notOurs{fmt.Errorf("ask: %q was replaced while it was read", name)}
	}
	if data, err = readBounded(file, limit); err != nil {
		return nil, put, fmt.Errorf("ask: %q: %w", name, err)
	}
	return data, opened.ModTime(), nil
}

// readFlags opens a pipe that took a file's place without waiting for its other
// end.
func readFlags() int {
	if runtime.GOOS == "windows" { // has no such pipes in folders
		return os.O_RDONLY
	}
	return os.O_RDONLY | syscall.O_NONBLOCK
}

// readBounded reads everything, and refuses what is larger than limit: the
// folder is open to other programs.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, notOurs{fmt.Errorf("it is larger than %d bytes", limit)}
	}
	return data, nil
}

// once writes a file that is there as a whole or not at all, or returns
// os.ErrExist if there is one.
func (m files) once(name string, data []byte) error {
	temp, err := m.writeTemp(name, data)
	if err == nil {
		err = m.Link(temp, name)
		if err != nil && !errors.Is(err, os.ErrExist) { // a file system without hard links
			err = m.write(name, data)
		}
	}
	if err != nil {
		return errors.Join(err, m.discard(temp))
	}
	return errors.Join(m.discard(temp), m.sync())
}

// writeTemp writes a new file with a name of its own and returns the name, ""
// if there is no such file.
func (m files) writeTemp(name string, data []byte) (string, error) {
	temp := name + "." + rand.Text()[:12] + ".tmp"
	if err := m.write(temp, data); err != nil {
		return "", err
	}
	return temp, nil
}

// write makes a new file and syncs it. What it could not finish it removes.
func (m files) write(name string, data []byte) error {
	file, err := m.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, bytes.NewReader(data))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, m.Remove(name))
	}
	return nil
}

// discard removes a temporary file, if there is one still.
func (m files) discard(temp string) error {
	if temp == "" {
		return nil
	}
	if err := m.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// sync makes the names in the folder durable.
func (m files) sync() error {
	if err := m.SyncFolder("."); err != nil {
		return fmt.Errorf("ask: the folder for questions cannot be synced: %w", err)
	}
	return nil
}

// papers is the shelf whose files are papers, called so behind a prefix.
type papers struct {
	ctx    context.Context // of the one call that it is opened for
	kept   checkpoint.Papers
	prefix string
}

func (p papers) names() ([]string, error) {
	names, err := p.kept.Names(p.ctx, p.prefix)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], p.prefix)
	}
	return names, err
}

func (p papers) read(name string, limit int64) ([]byte, time.Time, error) {
	data, put, err := p.kept.Get(p.ctx, p.prefix+name)
	switch {
	case errors.Is(err, checkpoint.ErrNotFound):
		return nil, put, fmt.Errorf("ask: %w: %w", os.ErrNotExist, err)
	case err == nil && int64(len(data)) > limit:
		err = notOurs{fmt.Errorf("ask: %q is larger than %d bytes", name, limit)}
	}
	return data, put, err
}

func (p papers) replace(name string, data []byte) error {
	return p.kept.Put(p.ctx, p.prefix+name, data)
}

func (p papers) once(name string, data []byte) error {
	return p.kept.PutNew(p.ctx, p.prefix+name, data)
}

func (p papers) discard(name string) error { return p.kept.Remove(p.ctx, p.prefix+name) }

// Close does nothing: papers are the host's.
func (p papers) Close() error { return nil }
