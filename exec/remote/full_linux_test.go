package remote_test

import (
	"syscall"
	"testing"
)

// TestFullDisk: a worker whose disk is full leaves its jobs to another one.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// It has room for the folders of a lane and of the cache, and for nothing in them
	// but the lock.
	if err := syscall.Mount("planlock-test", dir, "tmpfs", 0, "size=4k,nr_inodes=4"); err != nil {
		t.Skip("skipped: a small disk takes root:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	withBroken(t, dir, func(string) error { return nil })
}
