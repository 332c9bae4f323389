package layer_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

func put(t *testing.T, dir, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, dir string) *ledger.Tree {
	t.Helper()
	tree, err := new(scan.Scanner).Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A clone is the tree of the workspace, with its times, and has the repository;
// what belongs to the controller is not in it.
func TestClone(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	put(t, from, "a/b/file", "text", 0o640)
	put(t, from, "run.sh", "#!/bin/sh", 0o755)
	put(t, from, ".git/HEAD", "ref: refs/heads/main", 0o644)
	put(t, from, ".planlock/runs/x", "ours", 0o644)
	put(t, from, "closed/file", "text", 0o400)
	if err := os.Symlink("../outside", filepath.Join(from, "link")); err != nil {
		t.Skip("no link can be made here:", err)
	}
	if err := os.Link(filepath.Join(from, "run.sh"), filepath.Join(from, "same.sh")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"a/b/file", "a/b", "a"} {
		if err := os.Chtimes(filepath.Join(from, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(from, "closed"), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(from, "closed"), 0o700)

	if err := layer.Clone(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, from), tree(t, to)
	if diff := ledger.Diff(want, got); len(diff) > 0 {
		t.Errorf("the clone differs: %v", diff)
	}
	for _, name := range []string{"a/b/file", "a/b", "a"} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s: %v, %v", name, info.ModTime(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(to, ".git", "HEAD")); err != nil {
		t.Error("the repository is not in the clone:", err)
	}
	if _, err := os.Lstat(filepath.Join(to, ".planlock")); !os.IsNotExist(err) {
		t.Error("the controller's folder is in the clone:", err)
	}
	put(t, to, "run.sh", "changed", 0o755)
	if text, _ := os.ReadFile(filepath.Join(from, "run.sh")); string(text) != "#!/bin/sh" {
		t.Errorf("a write in the clone reached the workspace: %q", text)
	}
	if err := layer.Discard(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(to); !os.IsNotExist(err) {
		t.Error("the clone is still there:", err)
	}
}
