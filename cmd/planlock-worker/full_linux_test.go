package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullStore: the disk of a store is full. The call says which disk, and what
// gc could do about it; once there is room all goes on, and nothing is half done.
func TestFullStore(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("planlock-test", small, "tmpfs", 0, "size=6m"); err != nil {
		t.Skip("skipped: a small disk takes root:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	w := s.place("sqlite:" + filepath.Join(small, "runs.db"))
	w.write("kept.txt", strings.Repeat("more than there is room for", 50_000))
	ballast := filepath.Join(small, "ballast")
	fill(t, ballast)
	_ = os.Remove(filepath.Join(w.dir, "a.txt"))
	out := s.call(w.dir, 6, "run", "plan.toml", "--store", w.store, "--ack", "modifying:1.2")
	for _, want := range []string{filepath.Join(small, "runs.db"), "its disk is full: free some space",
		"hint: make room on the disk of the store that keeps the runs (once there is a little, planlock gc frees in the store what no run needs)"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.call(w.dir, 0, "verify")
	w.run()
	s.call(w.dir, 0, "verify")
	w.says(0, `Freed 0 bytes: .*because 2 runs in 1 workspace need them\.\n`)
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // it is ballast
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}
