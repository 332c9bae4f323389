//go:build unix

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/internal/disk"
)

// What is no folder is refused, also a FIFO that nobody writes to, on any disk.
func TestOnlyFoldersAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.WriteFile(file, nil, 0o644)); err != nil {
		t.Skip("no pipes here:", err)
	}
	for _, d := range []*disk.Disk{nil, disk.New(&list{})} {
		root, err := d.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if _, err := root.OpenRoot("file"); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("a file of an open folder: %v", err)
		}
		for _, name := range []string{pipe, file} {
			if _, err := d.OpenRoot(name); !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := d.Anywhere().OpenRoot(name); !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("%s from anywhere: %v", name, err)
			}
		}
	}
}
