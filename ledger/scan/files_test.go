package scan

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func openFilesWith(t *testing.T, open func(string) (folder, error), dir string) *Files {
	t.Helper()
	root, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &Files{root: root}
	t.Cleanup(f.Close)
	return f
}

func TestFiles(t *testing.T) {
	needUnix(t)
	dir, outside := t.TempDir(), t.TempDir()
	large := string(bytes.Repeat([]byte("0123456789"), 40_000))
	write(t, dir, "a", "top")
	write(t, dir, "d/e/f", "deep")
	write(t, dir, "d/e/g", "")
	write(t, dir, "d/large", large)
	write(t, outside, "f", "deep")
	link(t, dir, "a", "link")
	link(t, dir, outside, "out")
	tests := []struct {
		path string
		size int
		want string
		err  error
	}{
		{"a", 3, "top", nil},
		{"d/e/f", 4, "deep", nil},
		{"d/e/g", 0, "", nil},
		{"d/large", len(large), large, nil},
		{"a", 3, "top", nil},
		{"a", 2, "", ErrChanging},
		{"a", 4, "", ErrChanging},
		{"d/e/g", 1, "", ErrChanging},
		{"d/e/x", 4, "", fs.ErrNotExist},
		{"x/y", 4, "", fs.ErrNotExist},
		{"d/e", 4, "", ErrChanging},
		{"link", 3, "", ErrChanging},
		{"out/f", 4, "", ErrChanging},
		{"a/f", 4, "", ErrChanging},
	}
	for way, open := range map[string]func(string) (folder, error){"system": openTop, "portable": openRooted} {
		t.Run(way, func(t *testing.T) {
			files := openFilesWith(t, open, dir)
			var b []byte
			for _, tt := range tests {
				content, err := files.Read(b, tt.path, int64(tt.size))
				if !errors.Is(err, tt.err) || string(content) != tt.want {
					t.Errorf("%s of %d bytes: %d bytes, %v", tt.path, tt.size, len(content), err)
				}
				b = content
			}
		})
	}
}

// Whoever swaps a folder for a link after it was opened leads nobody outside.
func TestFilesAreNotLedOutside(t *testing.T) {
	needUnix(t)
	for way, open := range map[string]func(string) (folder, error){"system": openTop, "portable": openRooted} {
		t.Run(way, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			write(t, dir, "d/f", "inside")
			write(t, dir, "d/g", "inside")
			write(t, outside, "g", "hidden")
			files := openFilesWith(t, open, dir)
			if _, err := files.Read(nil, "d/f", 6); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "was")); err != nil {
				t.Fatal(err)
			}
			link(t, dir, outside, "d")
			if content, err := files.Read(nil, "d/g", 6); string(content) == "hidden" {
				t.Errorf("it was led outside: %v", err)
			}
			if content, err := openFilesWith(t, open, dir).Read(nil, "d/g", 6); !errors.Is(err, ErrChanging) {
				t.Errorf("through a link: %q, %v", content, err)
			}
		})
	}
}

func TestOpenFilesOfNothing(t *testing.T) {
	if _, err := OpenFiles(filepath.Join(t.TempDir(), "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
