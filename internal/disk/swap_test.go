package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/planlock/planlock/internal/disk"
)

// two are two open folders, with a file in each.
func two(t *testing.T, d *disk.Disk) (a, b *disk.Root, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755),
			os.WriteFile(filepath.Join(dir, name, "f"), []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
		root, err := d.OpenRoot(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		a, b = b, root
	}
	return a, b, dir
}

func TestSwap(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no system call for it")
	}
	for _, d := range []*disk.Disk{nil, disk.New(&list{})} {
		a, b, dir := two(t, d)
		holds := func(name, want string) {
			t.Helper()
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
				t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
			}
		}
		if err := disk.Swap(a, "f", b, "f"); errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		holds("a/f", "b")
		holds("b/f", "a")
		if err := disk.Swap(a, "f", b, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("exchanged with nothing: %v", err)
		}
		if err := disk.MoveNew(a, "f", b, "f"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("renamed over something: %v", err)
		}
		if err := disk.MoveNew(a, "f", b, "g"); err != nil {
			t.Error(err)
		}
		holds("b/g", "b")
		if err := disk.SyncFileSystem(a); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	}
}

func TestRemoveFolder(t *testing.T) {
	for _, d := range []*disk.Disk{nil, disk.New(&list{})} {
		a, _, dir := two(t, d)
		if err := os.MkdirAll(filepath.Join(dir, "a/full/empty"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"f", "full", "none"} {
			if err := disk.RemoveFolder(a, name); err == nil {
				t.Errorf("%s is removed", name)
			}
		}
		sub, err := a.OpenRoot("full")
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		if err := disk.RemoveFolder(sub, "empty"); err != nil {
			t.Error(err)
		}
		if err := disk.RemoveFolder(a, "full"); err != nil {
			t.Error(err)
		}
	}
}
