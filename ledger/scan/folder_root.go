package scan

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/planlock/planlock/ledger"
)

// A rootFolder works on every system that Go knows.
type rootFolder struct {
	root *os.Root
	info fs.FileInfo
}

// openRooted opens the folder dir, which may be a link.
func openRooted(dir string) (folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return newRootFolder(root)
}

// newRootFolder takes root over, and closes it where it cannot be used.
func newRootFolder(root *os.Root) (*rootFolder, error) {
	info, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &rootFolder{root, info}, nil
}

func (f *rootFolder) close() { f.root.Close() }

func (f *rootFolder) status() (status, error) { return statusOf(f.info), nil }

func (f *rootFolder) stat(_ *buffers, name string) (status, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return status{}, err
	}
	return statusOf(info), nil
}

// list reads all names into b, with their kinds where the folder tells them.
func (f *rootFolder) list(b *buffers) error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	for _, e := range entries {
		kind := unclear
		switch e.Type() {
		case 0:
			kind = ledger.File
		case fs.ModeDir:
			kind = ledger.Dir
		case fs.ModeSymlink:
			kind = ledger.Link
		}
		b.add([]byte(e.Name()), kind)
	}
	return err
}

// enter opens a folder in this one. It fails on anything else, links among it,
// also where that took the place of the folder just now.
func (f *rootFolder) enter(_ *buffers, name string) (folder, error) {
	there, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.IsDir() {
		return nil, errNotFolder
	}
	// The final dot keeps the system from opening anything but a folder.
	root, err := f.root.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	sub, err := newRootFolder(root)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(there, sub.info) { // a link that stands there now, or what that leads to
		sub.close()
		return nil, ErrChanging
	}
	return sub, nil
}

// file opens a regular file to be read, and fails where another one took its
// place meanwhile.
func (f *rootFolder) file(_ *buffers, name string) (openFile, error) {
	there, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, ErrChanging
	}
	file, err := f.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(opened, there) {
		err = ErrChanging
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return rootFile{file}, nil
}

func (f *rootFolder) target(_ *buffers, name string) (string, error) {
	return f.root.Readlink(name)
}

// A rootFile is a file of a rootFolder.
type rootFile struct{ file *os.File }

func (f rootFile) close() { f.file.Close() }

func (f rootFile) status() (status, error) {
	info, err := f.file.Stat()
	if err != nil {
		return status{}, err
	}
	return statusOf(info), nil
}

// read is 0, and no error, at the end of the file.
func (f rootFile) read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
