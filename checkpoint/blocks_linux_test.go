package checkpoint_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// blocks is how much of the disk a file takes, in bytes.
func blocks(t *testing.T, path string) int64 {
	t.Helper()
	var st syscall.Stat_t
	must(t, syscall.Stat(path, &st))
	return st.Blocks * 512
}

// Where blocks can be shared between files, a large file that is kept and
// restored takes no more room.
func TestTortureSharedBlocks(t *testing.T) {
	if !torture || os.Getuid() != 0 {
		t.Skip("mounts file systems: go test -tags torture, as root")
	}
	for name, mkfs := range map[string][]string{"xfs": {"mkfs.xfs", "-q", "-f"}, "btrfs": {"mkfs.btrfs", "-q", "-f"}} {
		t.Run(name, func(t *testing.T) {
			dir := mounted(t, append(mkfs, ""), name)
			tree := filepath.Join(dir, "tree")
			must(t, os.Mkdir(tree, 0o755))
			content := []byte(strings.Repeat("planlock", 5<<20) + "tail")
			must(t, os.WriteFile(filepath.Join(tree, "large"), content, 0o644))
			syscall.Sync()
			var before, after syscall.Statfs_t
			must(t, syscall.Statfs(dir, &before))
			store := openStoreIn(t, filepath.Join(dir, "objects"))
			_, err := store.Put(t.Context(), []byte("moves what follows away from a block"))
			must(t, err)
			want := scanned(t, tree, ledger.Scope{})
			_, err = store.Snapshot(t.Context(), tree, want, record.Snapshot{})
			must(t, err, os.WriteFile(filepath.Join(tree, "large"), []byte("gone"), 0o644))
			must(t, store.Restore(t.Context(), tree, want, scanned(t, tree, ledger.Scope{})))
			syscall.Sync()
			must(t, syscall.Statfs(dir, &after))
			if used := int64(before.Bfree-after.Bfree) * before.Bsize; used > 8<<20 {
				t.Errorf("it takes %d bytes more, of %d", used, len(content))
			}
			got, err := os.ReadFile(filepath.Join(tree, "large"))
			if err != nil || string(got) != string(content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			again := openStoreIn(t, filepath.Join(dir, "objects"))
			if got, err := again.Get(t.Context(), ledger.Sum(content)); err != nil || len(got) != len(content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// mounted makes a file system of 1 GiB and mounts it.
func mounted(t *testing.T, mkfs []string, kind string) string {
	t.Helper()
	if _, err := exec.LookPath(mkfs[0]); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	image, at := filepath.Join(dir, "image"), filepath.Join(dir, "at")
	must(t, os.WriteFile(image, nil, 0o600), os.Truncate(image, 1<<30), os.Mkdir(at, 0o755))
	mkfs[len(mkfs)-1] = image
	for _, c := range [][]string{mkfs, {"mount", "-o", "loop", "-t", kind, image, at}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v: %s", c, err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", at).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return at
}

// What nobody may change is named, and does not keep the rest from being
// restored.
func TestTortureImmutable(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mark files")
	}
	dir := t.TempDir()
	write := func(text string) {
		must(t, os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o644),
			os.WriteFile(filepath.Join(dir, "b"), []byte(text), 0o644))
	}
	write("before")
	store := openStoreIn(t, t.TempDir())
	want := scanned(t, dir, ledger.Scope{})
	_, err := store.Snapshot(t.Context(), dir, want, record.Snapshot{})
	must(t, err)
	write("after it")
	mark := func(how string) error { return exec.Command("chattr", how, filepath.Join(dir, "a")).Run() }
	if err := mark("+i"); err != nil {
		t.Skip("chattr:", err)
	}
	defer mark("-i")
	err = store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{}))
	if err == nil || !strings.Contains(err.Error(), `"a": it, or its folder, is marked as immutable`) ||
		strings.Contains(err.Error(), `"b"`) || !errors.Is(err, os.ErrPermission) {
		t.Errorf("error is %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(got) != "before" {
		t.Errorf("the other one: %q, %v", got, err)
	}
	must(t, mark("-i"))
	must(t, store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{})))
}
