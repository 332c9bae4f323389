package layer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/layer"
)

// What takes no room in the workspace takes none in the copy: data between holes,
// a hole at the end, and nothing but a hole.
func TestCloneKeepsHoles(t *testing.T) {
	const size = 32 << 20
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	sparse := func(name string, data ...int64) {
		f, err := os.Create(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		for _, at := range data {
			if _, err := f.WriteAt(bytes.Repeat([]byte("data"), 5000), at); err != nil {
				t.Fatal(err)
			}
		}
	}
	sparse("between", 0, 5<<20, size-20000)
	sparse("before", 1<<20+7)
	sparse("empty")
	if err := os.WriteFile(filepath.Join(from, "full"), bytes.Repeat([]byte("full"), 100000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := layer.Clone(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"between", "before", "empty", "full"} {
		want, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(to, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not copied as it is: %d bytes, %v", name, len(got), err)
		}
		var was, now syscall.Stat_t
		if err := syscall.Stat(filepath.Join(from, name), &was); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Stat(filepath.Join(to, name), &now); err != nil {
			t.Fatal(err)
		}
		if now.Blocks*512 > was.Blocks*512+1<<20 {
			t.Errorf("%s takes %d bytes, and its copy %d", name, was.Blocks*512, now.Blocks*512)
		}
	}
}
