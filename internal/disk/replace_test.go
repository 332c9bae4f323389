package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/internal/disk"
)

func TestWriteReplacesTheWholeFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for _, content := range []string{"a long first content", "short", ""} {
		if err := (*disk.Disk)(nil).Replace(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != content {
			t.Errorf("got %q, %v; want %q", got, err, content)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}

// TestFailureLeavesTheOldFile writes over a folder, which cannot be replaced.
func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "f", "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (*disk.Disk)(nil).Replace(filepath.Join(dir, "f"), []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d entries are left, want the folder alone", len(entries))
	}
	if err := (*disk.Disk)(nil).Replace(filepath.Join(dir, "missing", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestWriteInStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "way")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	root, err := (*disk.Disk)(nil).OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"way/f", "../f"} {
		if err := root.Replace(name, []byte("x"), 0o600); err == nil {
			t.Errorf("%s led outside", name)
		}
	}
}
