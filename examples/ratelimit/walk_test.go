package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file is what the tests know of a file, link or folder, found out without
// any code of planlock.
type file struct {
	Mode    fs.FileMode
	Content string    // of a file
	Target  string    // of a link
	Time    time.Time // of the last modification; not of folders, where every new name counts as one
}

// walk looks at everything below dir but the controller's own folder and tmp,
// which the plan leaves out of account.
func walk(t *testing.T, dir string) map[string]file {
	t.Helper()
	tree := map[string]file{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if name == ".planlock" || name == "tmp" {
			return fs.SkipDir
		}
		tree[filepath.ToSlash(name)], err = look(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func look(path string) (file, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return file{}, err
	}
	f := file{Mode: info.Mode()}
	switch {
	case info.Mode().IsRegular():
		content, err := os.ReadFile(path)
		f.Content, f.Time = string(content), info.ModTime()
		return f, err
	case info.Mode().Type() == fs.ModeSymlink:
		f.Target, err = os.Readlink(path)
		f.Time = info.ModTime()
	}
	return f, err
}
