package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// list says all that dir holds, without the code under test.
func list(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%v", info.Mode())
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %q", b)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " -> " + target
		}
		if info.Mode()&fs.ModeSymlink == 0 || runtime.GOOS == "linux" {
			text += " " + info.ModTime().UTC().Format(time.RFC3339Nano)
		}
		all[strings.TrimPrefix(path, dir+"/")] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func scanned(t testing.TB, dir string, scope ledger.Scope) *ledger.Tree {
	t.Helper()
	tree, err := (&scan.Scanner{Scope: scope}).Scan(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		if link := (*os.LinkError)(nil); runtime.GOOS == "windows" && errors.As(err, &link) && link.Op == "symlink" {
			t.Skip("no link can be made here:", err)
		}
		t.Fatal(err)
	}
}

// names are few, so that kinds are swapped often; some are hostile.
var names = []string{"a", "b", "c-d", "c", "x.go", "new\nline", "-rf", "\xff\xfe", "é"}

// mutate changes dir at random places.
func mutate(t testing.TB, r *rand.Rand, dir string, n int) {
	t.Helper()
	for range n {
		path := dir
		for range 1 + r.IntN(3) {
			path = filepath.Join(path, names[r.IntN(len(names))])
		}
		parent := filepath.Dir(path)
		if r.IntN(4) == 0 {
			os.RemoveAll(parent + "/x.go")
		}
		if info, err := os.Lstat(parent); err != nil || !info.IsDir() {
			if parent == dir || os.RemoveAll(parent) != nil || os.MkdirAll(parent, 0o755) != nil {
				continue
			}
		}
		content := []byte(strings.Repeat(fmt.Sprint(r.IntN(20)), r.IntN(3000)))
		switch r.IntN(9) {
		case 0, 1:
			os.RemoveAll(path)
			os.WriteFile(path, content, 0o644)
		case 2: // in place
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				os.WriteFile(path, content, 0o644)
			}
		case 3:
			os.RemoveAll(path)
			os.Mkdir(path, 0o755)
		case 4:
			os.RemoveAll(path)
			os.Symlink([]string{"a", "../b", "/etc", "nowhere", "."}[r.IntN(5)], path)
		case 5:
			os.RemoveAll(path)
		case 6:
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				modes := []fs.FileMode{0o755, 0o700, 0o555, 0o744, fs.ModeSetgid | 0o755, fs.ModeSticky | 0o777}
				os.Chmod(path, modes[r.IntN(len(modes))])
			}
		case 7:
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				os.Chtimes(path, time.Time{}, time.Unix(r.Int64N(4e9), r.Int64N(1e9)))
			}
		case 8: // a second name
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				os.Remove(path + "2")
				os.Link(path, path+"2")
			}
		}
	}
}

// openUpAll makes a folder removable again.
func openUpAll(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o755)
		}
		return nil
	})
}

// Whatever happened to a tree, a restore makes it what it was, and a second one
// changes nothing.
func TestRestoreGivesBackAnyTree(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 10
	}
	store := checkpoint.NewStore(&checkpoint.Memory{})
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			dir := t.TempDir()
			t.Cleanup(func() { openUpAll(dir) })
			type version struct {
				snap record.Snapshot
				list map[string]string
			}
			var versions []version
			var base record.Snapshot
			for range 4 {
				mutate(t, r, dir, 30)
				snap, err := store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), base)
				must(t, err)
				versions, base = append(versions, version{snap, list(t, dir)}), snap
			}
			for i := range 8 {
				v := versions[r.IntN(len(versions))]
				want, err := checkpoint.NewStore(storeBlobs(store)).Tree(t.Context(), v.snap)
				must(t, err)
				must(t, store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{})))
				if diff := cmp.Diff(v.list, list(t, dir)); diff != "" {
					t.Fatalf("restore %d (-want +got):\n%s", i, diff)
				}
				now := scanned(t, dir, ledger.Scope{})
				if now.Digest() != v.snap.Tree {
					t.Fatalf("restore %d: scan says %s", i, now.Digest())
				}
				must(t, store.Restore(t.Context(), dir, want, now))
				if i%2 == 0 {
					mutate(t, r, dir, 20)
				}
			}
		})
	}
}

// storeBlobs gives a store with an empty memory of what it read.
func storeBlobs(s *checkpoint.Store) checkpoint.Blobs { return checkpoint.BlobsOf(s) }

func TestRestoreLeavesIgnoredTrackedAndOwnAlone(t *testing.T) {
	scope := ledger.Scope{Ignore: []string{"**/*.o", "cache"}, Track: []string{"log/**"}, Own: []string{"plan.toml"}}
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755),
			os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644))
	}
	for _, p := range []string{"a.go", "a.o", "cache/x", "log/l", "plan.toml", ".planlock/lock", ".git/HEAD"} {
		write(p, "before")
	}
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before := scanned(t, dir, scope)
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	for _, p := range []string{"a.go", "a.o", "cache/x", "cache/y", "log/l", "log/m", "plan.toml", ".planlock/lock", ".git/HEAD", "new/n.go", "new/n.o", "gone/g.go"} {
		write(p, "after")
	}
	must(t, store.Restore(t.Context(), dir, before, scanned(t, dir, scope)))
	got := map[string]bool{}
	for path := range list(t, dir) {
		got[path] = true
	}
	for _, p := range []string{"new/n.go", "gone", "gone/g.go"} {
		if got[p] {
			t.Errorf("%s is still there", p)
		}
	}
	for path, want := range map[string]string{"a.go": "before", "a.o": "after", "cache/x": "after",
		"cache/y": "after", "log/l": "after",
		"log/m": "after", "plan.toml": "after", ".planlock/lock": "after", ".git/HEAD": "after", "new/n.o": "after"} {
		b, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", path, b, err, want)
		}
	}
}

func TestRestoreIgnoredInTheWayIsAnError(t *testing.T) {
	scope := ledger.Scope{Ignore: []string{"**/*.o"}}
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	must(t, os.WriteFile(path, []byte("file"), 0o644))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before := scanned(t, dir, scope)
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err, os.Remove(path), os.Mkdir(path, 0o755), os.WriteFile(path+"/y.o", nil, 0o644),
		os.WriteFile(dir+"/z", nil, 0o644))
	err = store.Restore(t.Context(), dir, before, scanned(t, dir, scope))
	if err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("error is %v, want one that names the path", err)
	}
	if _, err := os.Lstat(path + "/y.o"); err != nil {
		t.Errorf("the ignored file: %v", err)
	}
	if _, err := os.Lstat(dir + "/z"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the rest was not restored: %v", err)
	}
}

// A file outside that got a second name inside is not written through it.
func TestRestoreNeverWritesThroughLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "precious")
	must(t, os.WriteFile(outside, []byte("precious"), 0o644))
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/d", 0o755), os.WriteFile(dir+"/d/precious", []byte("one"), 0o644),
		os.WriteFile(dir+"/f", []byte("two"), 0o644))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before := scanned(t, dir, ledger.Scope{})
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	want := list(t, dir)
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"hard link", func() error { return errors.Join(os.Remove(dir+"/f"), os.Link(outside, dir+"/f")) }},
		{"link", func() error { return errors.Join(os.Remove(dir+"/f"), os.Symlink(outside, dir+"/f")) }},
		{"link for folder", func() error {
			return errors.Join(os.RemoveAll(dir+"/d"), os.Symlink(filepath.Dir(outside), dir+"/d"))
		}},
	} {
		must(t, step.do(), store.Restore(t.Context(), dir, before, scanned(t, dir, ledger.Scope{})))
		if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
			t.Errorf("%s: outside holds %q, %v", step.name, b, err)
		}
		if diff := cmp.Diff(want, list(t, dir)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	// The folder is swapped after the scan: nothing behind the link is touched.
	must(t, os.WriteFile(dir+"/d/precious", []byte("changed"), 0o644))
	have := scanned(t, dir, ledger.Scope{})
	must(t, os.RemoveAll(dir+"/d"), os.Symlink(filepath.Dir(outside), dir+"/d"))
	if err := store.Restore(t.Context(), dir, before, have); err == nil {
		t.Error("no error for a folder that was swapped")
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
		t.Errorf("swapped after the scan: outside holds %q, %v", b, err)
	}
}

func TestRestoreTouchesNothingWithoutContents(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/b", []byte("b"), 0o644))
	before := scanned(t, dir, ledger.Scope{})
	must(t, os.WriteFile(dir+"/a", []byte("other"), 0o644), os.Remove(dir+"/b"))
	want := list(t, dir)
	err := checkpoint.NewStore(&checkpoint.Memory{}).Restore(t.Context(), dir, before, scanned(t, dir, ledger.Scope{}))
	if !errors.Is(err, checkpoint.ErrNotFound) || !strings.Contains(err.Error(), `"a"`) ||
		!strings.Contains(err.Error(), `"b"`) {
		t.Errorf("error is %v, want ErrNotFound for both", err)
	}
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("it was touched (-want +got):\n%s", diff)
	}
}

// Ordinary users must get read-only and closed folders back too; root sees no
// difference.
func TestRestoreReadOnlyFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no modes there")
	}
	dir := t.TempDir()
	t.Cleanup(func() { openUpAll(dir) })
	must(t, os.MkdirAll(dir+"/a/b/c", 0o755), os.WriteFile(dir+"/a/b/c/f", []byte("f"), 0o444),
		os.WriteFile(dir+"/a/g", []byte("g"), 0o444),
		os.Chmod(dir+"/a/b/c", 0o555), os.Chmod(dir+"/a/b", 0o555), os.Chmod(dir+"/a", 0o555))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before, want := scanned(t, dir, ledger.Scope{}), list(t, dir)
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	openUpAll(dir)
	must(t, os.Remove(dir+"/a/b/c/f"), os.Mkdir(dir+"/a/b/c/f", 0o555), os.Mkdir(dir+"/a/b/n", 0o755),
		os.WriteFile(dir+"/a/b/n/x", nil, 0o400),
		os.Chmod(dir+"/a/g", 0o644), os.WriteFile(dir+"/a/g", []byte("changed"), 0o644), os.Chmod(dir+"/a/g", 0o400),
		os.Chmod(dir+"/a/b/n", 0o500), os.Chmod(dir+"/a/b/c", 0o500), os.Chmod(dir+"/a/b", 0o500), os.Chmod(dir, 0o555))
	must(t, store.Restore(t.Context(), dir, before, scanned(t, dir, ledger.Scope{})))
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("the workspace itself: %v, %v", info.Mode(), err)
	}
}

func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/b", []byte("b"), 0o644))
	counted := &counting{}
	store := checkpoint.NewStore(counted)
	tree := scanned(t, dir, ledger.Scope{})
	first, err := store.Snapshot(t.Context(), dir, tree, record.Snapshot{})
	must(t, err)
	if counted.puts != 3 || counted.syncs != 1 {
		t.Errorf("the first snapshot: %d puts, %d syncs, want 3 and 1", counted.puts, counted.syncs)
	}
	again, err := store.Snapshot(t.Context(), dir, tree, first)
	must(t, err)
	if again != first || counted.puts != 3 || counted.syncs != 1 {
		t.Errorf("an unchanged snapshot: %v, %d puts, %d syncs, want %v and nothing written", again, counted.puts,
			counted.syncs, first)
	}
	must(t, os.WriteFile(dir+"/a", []byte("b"), 0o644)) // a content that is there
	second, err := store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), first)
	must(t, err)
	if counted.puts != 4 || second == first {
		t.Errorf("a known content: %d puts, want 4", counted.puts)
	}
	must(t, os.WriteFile(dir+"/a", []byte("x"), 0o644))
	tree = scanned(t, dir, ledger.Scope{})
	must(t, os.WriteFile(dir+"/a", []byte("y"), 0o644))
	var changed *checkpoint.ChangedError
	if _, err = store.Snapshot(t.Context(), dir, tree, second); !errors.As(err, &changed) || changed.Path != "a" {
		t.Errorf("error is %v, want *ChangedError for a", err)
	}
	must(t, os.Remove(dir+"/a"))
	if _, err = store.Snapshot(t.Context(), dir, tree, second); !errors.As(err, &changed) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want *ChangedError because it is gone", err)
	}
}

type counting struct {
	checkpoint.Memory
	mu          sync.Mutex
	puts, syncs int
}

func (c *counting) Put(ctx context.Context, d ledger.Digest, r io.Reader) error {
	c.mu.Lock()
	c.puts++
	c.mu.Unlock()
	return c.Memory.Put(ctx, d, r)
}

func (c *counting) Sync(ctx context.Context) error {
	c.syncs++
	return c.Memory.Sync(ctx)
}

// Differences are built on each other, but not without end, and all can be
// read.
func TestSnapshotChain(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		must(t, os.WriteFile(fmt.Sprintf("%s/f%03d", dir, i), []byte{byte(i)}, 0o644))
	}
	blobs := &checkpoint.Memory{}
	store := checkpoint.NewStore(blobs)
	var snaps []record.Snapshot
	var base record.Snapshot
	for i := range 80 {
		must(t, os.WriteFile(fmt.Sprintf("%s/f%03d", dir, i), []byte("changed"), 0o644), os.WriteFile(fmt.Sprintf("%s/n%d", dir, i), nil, 0o644))
		if i > 0 {
			must(t, os.Remove(fmt.Sprintf("%s/n%d", dir, i-1)))
		}
		snap, err := store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), base)
		must(t, err)
		snaps, base = append(snaps, snap), snap
	}
	for i, snap := range slices.Backward(snaps) {
		tree, err := checkpoint.NewStore(blobs).Tree(t.Context(), snap)
		if err != nil || tree.Digest() != snap.Tree {
			t.Fatalf("snapshot %d: %v", i, err)
		}
	}
}

// A folder is swapped for a link to the outside, and back, all the time while a
// tree is restored: what lies outside is never touched, and once there is quiet
// the tree is restored.
func TestRestoreWhileFoldersAreSwapped(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(outside+"/f", []byte("precious"), 0o644),
		os.WriteFile(outside+"/g", []byte("precious"), 0o644))
	must(t, os.Mkdir(dir+"/d", 0o755), os.WriteFile(dir+"/d/f", []byte("one"), 0o644), os.Symlink(outside, dir+"/link"))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before := scanned(t, dir, ledger.Scope{})
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	want := list(t, dir)
	must(t, os.WriteFile(dir+"/d/f", []byte("two"), 0o600), os.WriteFile(dir+"/d/g", []byte("new"), 0o644))
	have := scanned(t, dir, ledger.Scope{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			os.Rename(dir+"/d", dir+"/away")
			os.Symlink(outside, dir+"/d")
			os.RemoveAll(dir + "/d") // the link, or what was restored there meanwhile
			os.Rename(dir+"/away", dir+"/d")
			os.WriteFile(dir+"/d/f", []byte("two"), 0o600)
			os.WriteFile(dir+"/d/g", []byte("new"), 0o644)
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	failed := 0
	for range 300 {
		if err := store.Restore(t.Context(), dir, before, have); err != nil {
			failed++
		}
	}
	close(stop)
	<-stopped
	for _, name := range []string{"f", "g"} {
		info, err := os.Stat(outside + "/" + name)
		must(t, err)
		if b, err := os.ReadFile(outside + "/" + name); err != nil || string(b) != "precious" ||
			info.Mode().Perm() != 0o644 {
			t.Errorf("outside %s holds %q, mode %v, %v", name, b, info.Mode(), err)
		}
	}
	must(t, store.Restore(t.Context(), dir, before, scanned(t, dir, ledger.Scope{})))
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Logf("%d of 300 restores did not succeed", failed)
}
