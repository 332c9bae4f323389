package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can do this")
	}
}

// Trees 10: a device is named and not opened, whoever could.
func TestTreesDevices(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	for name, dev := range map[string]int{"null": 1<<8 | 3, "full": 1<<8 | 7, "tty": 5 << 8} {
		if err := syscall.Mknod(filepath.Join(dir, name), syscall.S_IFCHR|0o666, dev); err != nil {
			t.Skip("needs device nodes: ", err)
		}
	}
	if err := syscall.Mknod(filepath.Join(dir, "block"), syscall.S_IFBLK|0o600, 7<<8); err != nil {
		t.Skip("needs device nodes: ", err)
	}
	eachWay(t, func(t *testing.T, s Scanner) {
		var n counts
		open := s.open
		if open == nil {
			open = openTop
		}
		s.open = n.open(open)
		tree := scanWith(t, s, dir, nil)
		for e := range tree.All() {
			if e.Kind != ledger.Special {
				t.Errorf("%v", e)
			}
		}
		if n.files != 0 || tree.Len() != 4 {
			t.Errorf("%d were opened, of %d", n.files, tree.Len())
		}
	})
}

// Trees 10: a file that nobody may change is read like any other.
func TestTreesImmutable(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	write(t, dir, "d/f", "x")
	chattr := func(flag string) error {
		return osexec.Command("chattr", flag, filepath.Join(dir, "d/f"), filepath.Join(dir, "d")).Run()
	}
	if err := chattr("+i"); err != nil {
		t.Skip("needs attributes of ext4: ", err)
	}
	defer chattr("-i")
	first := scanned(t, dir, nil)
	if again := scanned(t, dir, first); again.Digest() != first.Digest() || first.Len() != 2 {
		t.Errorf("%v, then %v", first, again)
	}
}

// Trees 9: a hard link to the outside is a file; what is written through its
// other name is seen.
func TestTreesHardLinkToTheOutside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "f", "first")
	if err := os.Link(filepath.Join(outside, "f"), filepath.Join(dir, "f")); err != nil {
		t.Skip("needs hard links: ", err)
	}
	eachWay(t, func(t *testing.T, s Scanner) {
		tree := scanWith(t, s, dir, nil)
		for i := range 100 {
			content := fmt.Sprintf("%05d", i)
			write(t, outside, "f", content)
			tree = scanWith(t, s, dir, tree)
			if e, _ := tree.Lookup("f"); e.Digest != ledger.Sum([]byte(content)) {
				t.Fatalf("write %d was missed", i)
			}
		}
	})
}

// Trees 12: deeper than any path may be long, with a folder beside each that
// keeps it in use.
func TestTreesDeepWithSiblings(t *testing.T) {
	depth := 1500
	if testing.Short() {
		depth = 700
	}
	dir := t.TempDir()
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		if err := errors.Join(at.Mkdir("aside", 0o755), at.Mkdir("down", 0o755),
			at.Mkdir("zaside", 0o755)); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot("down")
		at.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = below
	}
	at.Close()
	open := descriptors(t)
	tree := scanned(t, dir, nil)
	if tree.Len() != 3*depth {
		t.Errorf("%d entries, want %d", tree.Len(), 3*depth)
	}
	if again := scanned(t, dir, tree); again.Digest() != tree.Digest() {
		t.Error("not the same twice")
	}
	if left := descriptors(t) - open; left > 0 {
		t.Errorf("%d folders are left open", left)
	}
}

// descriptors is how many files this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	return len(entries)
}

// nextDescriptor is the number that the next file to be opened gets. Those
// behind it may be taken, as where a shell hands files on.
func nextDescriptor(t *testing.T) uint64 {
	t.Helper()
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return uint64(f.Fd())
}

// Scans leave nothing open, also when they fail or are stopped.
func TestScanLeavesNothingOpen(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		for i := range 30 {
			write(t, dir, fmt.Sprintf("d%d/e/f", i), strings.Repeat("x", i))
		}
		open := descriptors(t)
		tree := scanWith(t, s, dir, nil)
		scanWith(t, s, dir, tree)
		s.MaxFile = 10
		if _, err := s.Scan(t.Context(), dir, nil); err == nil {
			t.Error("large files were read")
		}
		s.Tolerant = true
		scanWith(t, s, dir, nil)
		if left := descriptors(t) - open; left > 0 {
			t.Errorf("%d are left open", left)
		}
	})
}

// Trees 18: where no more files can be opened, the scan says so and stands
// aside.
func TestTreesTooManyOpenFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "d/e/f/g", "x")
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Skip(err)
	}
	refused := 0
	for more := range uint64(5) {
		tight := old
		tight.Cur = nextDescriptor(t) + more
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &tight); err != nil {
			t.Skip(err)
		}
		tree, err := scanner().Scan(t.Context(), dir, nil)
		if e := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); e != nil {
			t.Fatal(e)
		}
		if errors.Is(err, syscall.EMFILE) {
			refused++
		} else if err != nil {
			t.Errorf("with %d more: %v", more, err)
		}
		if (err == nil) != (tree != nil) {
			t.Errorf("tree %v and error %v", tree, err)
		}
	}
	if refused == 0 {
		t.Error("it was never tight")
	}
}

// Where the system lacks openat2, folders are opened one after another.
func TestReachWithoutOpenat2(t *testing.T) {
	top, ok := mustOpen(t, makeChain(t, 5)).(reacher)
	if !ok {
		t.Skip("no system calls on this machine")
	}
	for _, root := range []folder{top.(folder), bare(top.(folder))} {
		var b buffers
		f, err := descend(&b, root, "d/d/d")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.list(&b); err != nil || len(b.names) != 2 {
			t.Errorf("%d names, %v", len(b.names), err)
		}
		f.close()
		for _, path := range []string{"d/l/d", "d/missing", "d/f/x", "l"} {
			if f, err := descend(&b, root, path); err == nil {
				f.close()
				t.Errorf("%q was reached", path)
			}
		}
	}
}

// makeChain makes folders called d in one another, and in the second a file f
// and a link l to the folder itself.
func makeChain(t *testing.T, depth int) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, strings.Repeat("d/", depth)+"f", "x")
	write(t, dir, "d/f", "x")
	link(t, dir, ".", "d/l")
	link(t, dir, "d", "l")
	write(t, dir, "d/d/d/f", "x")
	return dir
}

func mustOpen(t *testing.T, dir string) folder {
	t.Helper()
	f, err := openTop(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	return f
}

// bare hides what only some folders can do.
func bare(f folder) folder { return struct{ folder }{f} }

// Both ways see every entry alike, and refuse alike.
func TestFoldersAreAlike(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "content")
	write(t, dir, "folder/f", "x")
	link(t, dir, "file", "link")
	link(t, dir, "folder", "dirlink")
	mkfifo(t, filepath.Join(dir, "fifo"))
	mksocket(t, filepath.Join(dir, "socket"))
	see := func(open func(string) (folder, error)) string {
		f, err := open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		var b strings.Builder
		var buf buffers
		if err := f.list(&buf); err != nil {
			t.Fatal(err)
		}
		buf.sort()
		own, err := f.status()
		fmt.Fprintln(&b, own, err)
		names := []string{"missing"}
		for _, l := range buf.names {
			names = append(names, string(buf.name(l)))
		}
		for _, name := range names {
			st, err := f.stat(&buf, name)
			fmt.Fprintln(&b, name, st, errors.Is(err, fs.ErrNotExist))
			if sub, err := f.enter(&buf, name); err == nil {
				st, err := sub.status()
				fmt.Fprintln(&b, "  folder", st, err)
				sub.close()
			}
			if target, err := f.target(&buf, name); err == nil {
				fmt.Fprintln(&b, "  leads to", target)
			}
			if name == "fifo" || name == "folder" {
				continue // a scan never gets that far
			}
			if file, err := f.file(&buf, name); err == nil {
				st, err := file.status()
				content := make([]byte, 100)
				n, readErr := file.read(content)
				fmt.Fprintln(&b, "  file", st, err, string(content[:n]), readErr)
				file.close()
			}
		}
		return b.String()
	}
	if diff := cmp.Diff(see(openRooted), see(openTop)); diff != "" {
		t.Error(diff)
	}
}
