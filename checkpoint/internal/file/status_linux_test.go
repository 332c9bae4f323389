//go:build linux && (amd64 || arm64)

package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What statx says is what stat says, of a file and of a folder, by name and
// open.
func TestGlimpse(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(name, name+"2"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{name, dir, "/dev/null"} {
		var st syscall.Stat_t
		if err := syscall.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		want := glimpse{st.Dev, st.Ino, st.Size}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		at, err := glimpseAt(path)
		of, err2 := glimpseOf(f)
		if err != nil || err2 != nil || at != want || of != want {
			t.Errorf("%s: %+v, %+v, %v, %v; want %+v", path, at, of, err, err2, want)
		}
		named, err := syscall.BytePtrFromString(path)
		if err != nil {
			t.Fatal(err)
		}
		at, err = stat(0, named, 0)
		of, err2 = stat(f.Fd(), &none[0], emptyPath)
		if err != nil || err2 != nil || at != want || of != want {
			t.Errorf("%s where there is no statx: %+v, %+v, %v, %v; want %+v", path, at, of, err, err2, want)
		}
	}
	if _, err := glimpseAt(name + "3"); !os.IsNotExist(err) {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := glimpseAt("a\x00b"); err == nil {
		t.Error("of a name that is none: no error")
	}
}
