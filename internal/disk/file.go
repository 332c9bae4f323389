package disk

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// A File is an open file or folder. Methods without a comment do what those of
// os.File do, which they are where nothing stands before the operating system.
type File struct {
	disk    *Disk
	file    *os.File
	path    string // absolute; "" where the disk is nil
	appends bool
}

// OS is the file itself, for what is done without the disk: locking, looking
// whether it is still there.
func (f *File) OS() *os.File { return f.file }

// Name is the name that the file was opened with.
func (f *File) Name() string { return f.file.Name() }

// Plain reports whether nothing stands before the operating system.
func (f *File) Plain() bool { return f.disk == nil }

// Read reads on.
func (f *File) Read(b []byte) (n int, err error) {
	if f.disk == nil {
		return f.file.Read(b)
	}
	err = f.do(&Op{Kind: Read}, func() error { n, err = f.file.Read(b); return err })
	return n, err
}

// ReadAt reads at a place.
func (f *File) ReadAt(b []byte, offset int64) (n int, err error) {
	if f.disk == nil {
		return f.file.ReadAt(b, offset)
	}
	err = f.do(&Op{Kind: Read, Offset: offset}, func() error { n, err = f.file.ReadAt(b, offset); return err })
	return n, err
}

// Write writes on; at the end of a file that was opened for appending.
func (f *File) Write(b []byte) (int, error) {
	if f.disk == nil {
		return f.file.Write(b)
	}
	offset, err := f.file.Seek(0, io.SeekCurrent)
	if f.appends {
		offset, err = f.file.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return 0, err
	}
	op := &Op{Kind: Write, Data: b, Offset: offset}
	err = f.do(op, func() (err error) { op.N, err = f.file.Write(op.Data); return err })
	return op.N, err
}

// WriteAt writes at a place.
func (f *File) WriteAt(b []byte, offset int64) (int, error) {
	if f.disk == nil {
		return f.file.WriteAt(b, offset)
	}
	op := &Op{Kind: Write, Data: b, Offset: offset}
	err := f.do(op, func() (err error) { op.N, err = f.file.WriteAt(op.Data, op.Offset); return err })
	return op.N, err
}

// Truncate cuts the file, or fills it up with zeros.
func (f *File) Truncate(size int64) error {
	if f.disk == nil {
		return f.file.Truncate(size)
	}
	return f.do(&Op{Kind: Truncate, Size: size}, func() error { return f.file.Truncate(size) })
}

// Chmod sets the mode.
func (f *File) Chmod(mode fs.FileMode) error {
	if f.disk == nil {
		return f.file.Chmod(mode)
	}
	return f.do(&Op{Kind: Chmod, Mode: mode}, func() error { return f.file.Chmod(mode) })
}

// Sync makes the contents durable, the length, mode and times.
func (f *File) Sync() error {
	if f.disk == nil {
		return f.file.Sync()
	}
	return f.do(&Op{Kind: Sync}, f.file.Sync)
}

// SyncData makes the contents durable, and of the rest what is needed to read
// them.
func (f *File) SyncData() error {
	if f.disk == nil {
		return syncData(f.file)
	}
	return f.do(&Op{Kind: SyncData}, func() error { return syncData(f.file) })
}

// Hasten has the disk begin to write what was written to a part of the file,
// and waits for nothing, so that a SyncData that comes soon has less to wait
// for. It promises nothing, and whether it works cannot be told, so a Layer
// does not hear of it.
func (f *File) Hasten(offset, size int64) {
	if f.disk == nil {
		hasten(f.file, offset, size)
	}
}

// Close closes the file. A Layer's error does not keep it open.
func (f *File) Close() error {
	if f.disk == nil {
		return f.file.Close()
	}
	var err error
	lerr := f.do(&Op{Kind: Close}, func() error { err = f.file.Close(); return err })
	if lerr != nil && err == nil {
		_ = f.file.Close() // the Layer may not have called it
	}
	return lerr
}

// Stat looks at the file.
func (f *File) Stat() (info fs.FileInfo, err error) {
	if f.disk == nil {
		return f.file.Stat()
	}
	err = f.do(&Op{Kind: Stat}, func() error { info, err = f.file.Stat(); return err })
	return info, err
}

// ReadDir lists the folder, as os.File does, but sorted by names.
func (f *File) ReadDir(n int) (list []fs.DirEntry, err error) {
	err = f.disk.do(&Op{Kind: ReadDir, Path: f.path, File: f.file},
		func() error { list, err = f.file.ReadDir(n); return err })
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// Chtimes sets the time of modification where the file was opened, and leaves
// that of the last access.
func (f *File) Chtimes(t time.Time) error {
	run := func() error { return setFileTime(f.file, t) }
	if f.disk == nil {
		return run()
	}
	return f.do(&Op{Kind: Chtimes, Time: t}, run)
}

func (f *File) do(op *Op, run func() error) error {
	op.Path, op.File = f.path, f.file
	return f.disk.do(op, run)
}
