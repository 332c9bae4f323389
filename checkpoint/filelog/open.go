package filelog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// Open opens the log at path for appending, or makes it with the folders it
// lies in. What a crash left of a last batch is cut off; anything else that
// does not verify is a *record.CorruptError, and the file is left as it is. So
// is a log that its head says is cut, replaced or gone. A log has one writer: a
// second one gets *checkpoint.HeldError. Nothing of ctx is kept.
func Open(ctx context.Context, path string) (*Log, error) { return Witness{}.Open(ctx, path) }

// Read opens the log at path for reading, also while another process appends to
// it. It yields what is complete now, and changes nothing. Nothing of ctx is
// kept.
func Read(ctx context.Context, path string) (*Log, error) { return Witness{}.Read(ctx, path) }

// openLog opens or makes a log that reached known.
func openLog(root *disk.Root, path string, known ends) (*Log, error) {
	f, err := openRegular(root, path, os.O_RDWR)
	// A log that is not there is made, unless its head or its witness says that
	// there was one.
	if errors.Is(err, fs.ErrNotExist) {
		if err := known.notBefore(path, logEnd{}); err != nil {
			return nil, err
		}
		if err = createLog(root, path); err == nil {
			f, err = openRegular(root, path, os.O_RDWR) // by its own name, which errors bear
		}
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: open log: %w", err)
	}
	l := &Log{path: path, root: root, f: file.Data{File: f}}
	if err := l.openForWriting(f, known); err != nil {
		return nil, errors.Join(err, l.unlock(), f.Close())
	}
	return l, nil
}

// readLog opens a log that reached known for reading.
func readLog(root *disk.Root, path string, known ends) (*Log, error) {
	f, err := openRegular(root, path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		if err := known.notBefore(path, logEnd{}); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: open log: %w", err)
	}
	l := &Log{path: path, root: root, f: file.Data{File: f}, readOnly: true}
	if err := l.locate(f, known); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// openRegular opens the file at path, and refuses what is none: a FIFO would be
// waited for, for ever.
func openRegular(root *disk.Root, path string, flags int) (*disk.File, error) {
	f, err := root.OpenFile(path, flags|file.NoWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is not a regular file, remove it or put the log back", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Open is the function Open for a log that w knows.
func (w Witness) Open(ctx context.Context, path string) (*Log, error) {
	root := disk.From(ctx).Anywhere()
	known, err := w.known(root, path)
	if err != nil {
		return nil, err
	}
	l, err := openLog(root, path, known)
	if err == nil {
		l.outside = w.openFile(root, path)
	}
	return l, err
}

// Read is the function Read for a log that w knows.
func (w Witness) Read(ctx context.Context, path string) (*Log, error) {
	root := disk.From(ctx).Anywhere()
	known, err := w.known(root, path)
	if err != nil {
		return nil, err
	}
	return readLog(root, path, known)
}

// createLog makes a file that holds nothing but the header, all at once.
func createLog(root *disk.Root, path string) error {
	dir := filepath.Dir(path)
	if err := root.MakeFolders(dir, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".new-"+ulid.Make().String())
	f, err := root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(binary.BigEndian.AppendUint32([]byte(logMagic), logVersion), 0)
	if err == nil {
		err = createHead(root, path) // its name is synced with that of the log
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, file.RemoveIfThere(root, temp))
	}
	return root.SyncFolder(dir)
}
