package ledger

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755)
	os.WriteFile(filepath.Join(dir, "a-b"), []byte("x"), 0o644)
	os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("xy"), 0o600)
	os.Symlink("nowhere", filepath.Join(dir, "a/l"))
	os.Mkdir(filepath.Join(dir, ".git"), 0o755)
	os.Mkdir(filepath.Join(dir, ".planlock"), 0o755)
	var s Scanner
	a, err := s.Scan(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for e := range a.All() {
		t.Log(e)
	}
	os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("xz"), 0o600)
	b, err := s.Scan(context.Background(), dir, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(a, b, Diff(a, b))
}
