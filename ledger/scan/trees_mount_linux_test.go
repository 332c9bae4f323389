//go:build torture

package scan

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger"
)

// These tests mount file systems, or take minutes:
//
//	go test -tags torture ./ledger -run 'Trees(Racy|Mount|Million)'

// mounted mounts a file system for the time of the test and returns its folder.
func mounted(t *testing.T, kind, source, options string) string {
	t.Helper()
	needRoot(t)
	dir := t.TempDir()
	if err := syscall.Mount(source, dir, kind, 0, options); err != nil {
		t.Skipf("cannot mount %s: %v", kind, err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
			syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
	return dir
}

// image makes a file system in a file and mounts it.
func image(t *testing.T, mkfs ...string) string {
	t.Helper()
	needRoot(t)
	file, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 512<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := osexec.Command(mkfs[0], append(mkfs[1:], file)...).CombinedOutput(); err != nil {
		t.Skipf("%s: %v: %s", mkfs[0], err, out)
	}
	if out, err := osexec.Command("mount", "-o", "loop", file, dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := osexec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
			syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
	return dir
}

// revivedWhereKept is revived, where a file system's stamps are worth to be
// kept.
func revivedWhereKept(t testing.TB, s Scanner, dir string, tree *ledger.Tree) *ledger.Tree {
	stamps := spelled(t, tree, dir, life)
	if stamps == nil {
		return tree
	}
	again, err := s.revive(dir, life, string(stamps))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// Trees 13: on every file system that can be had here, no racy write is missed.
func TestTreesRacyWritesOnFileSystems(t *testing.T) {
	needRoot(t)
	for name, dir := range map[string]func(t *testing.T) string{
		"tmpfs": func(t *testing.T) string { return mounted(t, "tmpfs", "tmpfs", "") },
		"overlay": func(t *testing.T) string {
			base := mounted(t, "tmpfs", "tmpfs", "")
			for _, sub := range []string{"lower", "upper", "work"} {
				if err := os.Mkdir(filepath.Join(base, sub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			return mounted(t, "overlay", "overlay", fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", base))
		},
		"ext4":                       func(t *testing.T) string { return image(t, "mkfs.ext4", "-q") },
		"ext4 with times in seconds": func(t *testing.T) string { return image(t, "mkfs.ext4", "-q", "-I", "128") },
		"ext2":                       func(t *testing.T) string { return image(t, "mkfs.ext2", "-q") },
		"xfs":                        func(t *testing.T) string { return image(t, "mkfs.xfs", "-q") },
		"btrfs":                      func(t *testing.T) string { return image(t, "mkfs.btrfs", "-q") },
		"vfat":                       func(t *testing.T) string { return image(t, "mkfs.vfat") },
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s Scanner) {
				at := dir(t)
				racyWrites(t, s, at, 200, sameProcess)
				again := dir(t)
				racyWrites(t, s, again, 100, revivedWhereKept)
				_, usable := trusted(at)
				t.Logf("usable %v, clock %d", usable, probe(at))
			})
		})
	}
}

// Trees 10: what is mounted inside the tree is part of it; mounting and
// unmounting is seen, and nothing that is not on the file system of the root is
// believed by its stamps.
func TestTreesMountInside(t *testing.T) {
	needRoot(t)
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write(t, dir, "m/under", "x")
		write(t, dir, "f", "x")
		plain := scanWith(t, s, dir, nil)
		age(plain)
		at := filepath.Join(dir, "m")
		if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "mode=755"); err != nil {
			t.Skip("cannot mount: ", err)
		}
		defer syscall.Unmount(at, syscall.MNT_DETACH)
		write(t, dir, "m/over", "1")
		inside := scanWith(t, s, dir, plain)
		if _, ok := inside.Lookup("m/over"); !ok {
			t.Error("what is mounted is not seen")
		}
		if _, ok := inside.Lookup("m/under"); ok {
			t.Error("what is hidden is seen")
		}
		age(inside) // all stamps look old, and still
		write(t, dir, "m/over", "2")
		if err := os.Chtimes(filepath.Join(at, "over"), longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
		if e, _ := scanWith(t, s, dir, inside).Lookup("m/over"); e.Digest != ledger.Sum([]byte("2")) {
			t.Error("a stamp of another file system was believed")
		}
		if err := syscall.Unmount(at, 0); err != nil {
			t.Fatal(err)
		}
		if again := scanWith(t, s, dir, inside); again.Digest() != plain.Digest() {
			t.Errorf("after unmounting: %v, want %v", again, plain)
		}
	})
}

// Trees 12: a million small files. PLANLOCK_FILES sets another number.
func TestTreesMillionFiles(t *testing.T) {
	count := 1_000_000
	if text := os.Getenv("PLANLOCK_FILES"); text != "" {
		if _, err := fmt.Sscan(text, &count); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		dir = mounted(t, "tmpfs", "tmpfs", "size=6g,nr_inodes=2m")
	}
	for i := range count {
		path := filepath.Join(dir, fmt.Sprintf("d%d/e%d", i/10000, i/100%100))
		if i%100 == 0 {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(path, fmt.Sprint(i)), []byte(fmt.Sprint(i)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	tree := scanned(t, dir, nil)
	first := time.Since(start)
	age(tree)
	start = time.Now()
	again := scanned(t, dir, tree)
	t.Logf("%d entries: first %v, again %v", tree.Len(), first, time.Since(start))
	if again.Digest() != tree.Digest() || !strings.HasPrefix(string(tree.Digest()), "sha256:") {
		t.Error("not the same twice")
	}
}
