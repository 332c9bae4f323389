package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

func scanned(t testing.TB, dir string, prior *ledger.Tree) *ledger.Tree {
	t.Helper()
	return scanWith(t, Scanner{}, dir, prior)
}

func scanWith(t testing.TB, s Scanner, dir string, prior *ledger.Tree) *ledger.Tree {
	t.Helper()
	if s.open == nil {
		s.open = way
	}
	tree, err := s.Scan(context.Background(), dir, prior)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// eachWay runs a test with each way to scan that this system has.
func eachWay(t *testing.T, test func(t *testing.T, s Scanner)) {
	t.Run("system", func(t *testing.T) { test(t, Scanner{}) })
	t.Run("portable", func(t *testing.T) { test(t, Scanner{open: openRooted}) })
}

// age makes a tree look as if its folder had been at rest for an hour before it
// was scanned.
func age(tree *ledger.Tree) {
	memoryOf(tree).trust.start = memoryOf(tree).trust.start.Round(0).Add(time.Hour)
	memoryOf(tree).trust.up = uptime{}
	memoryOf(tree).trust.grain = fine
}

// shape is a tree as text: what its identity consists of.
func shape(tree *ledger.Tree) string {
	var b strings.Builder
	for e := range tree.All() {
		fmt.Fprintf(&b, "%s %q %04o %d %s %q\n", e.Kind, e.Path, ledger.UnixMode(e.Mode), e.Size, e.Digest.Short(),
			e.Target)
	}
	return b.String()
}

// way is how the tests scan: nil is the fastest on this system. TestPortable
// sets another one.
var way func(dir string) (folder, error)

// scanner is one that scans the way that is tested.
func scanner() *Scanner { return &Scanner{open: way} }

// TestPortable runs the tests of scanning again, on the folders that every
// system has.
func TestPortable(t *testing.T) {
	way = openRooted
	defer func() { way = nil }()
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"ScanReadsEverything", TestScanReadsEverything},
		{"ScanScope", TestScanScope},
		{"ScanRefusesWhatIsNoFolder", TestScanRefusesWhatIsNoFolder},
		{"ScanStopsWhenCancelled", TestScanStopsWhenCancelled},
		{"TreesLinksAreNotFollowed", TestTreesLinksAreNotFollowed},
		{"TreesFolderSwappedDuringScan", TestTreesFolderSwappedDuringScan},
		{"TreesSpecialFilesAreNamed", TestTreesSpecialFilesAreNamed},
		{"TreesUnreadable", TestTreesUnreadable},
		{"TreesSparseFile", TestTreesSparseFile},
		{"TreesNamesOfAnyBytes", TestTreesNamesOfAnyBytes},
		{"TreesFiveThousandFoldersDeep", TestTreesFiveThousandFoldersDeep},
		{"TreesDeepAndWide", TestTreesDeepAndWide},
		{"TreesChangingFiles", TestTreesChangingFiles},
		{"TreesSameSizeSameTime", TestTreesSameSizeSameTime},
		{"ScanTolerantListsWhatIsTooLarge", TestScanTolerantListsWhatIsTooLarge},
		{"ScanTolerantListsWhatIsClosed", TestScanTolerantListsWhatIsClosed},
		{"ScanTolerantStopsWhenCancelled", TestScanTolerantStopsWhenCancelled},
		{"TreeLeavesOut", TestTreeLeavesOut},
	} {
		t.Run(test.name, test.run)
	}
}

func link(t *testing.T, dir, target, path string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, path)); err != nil {
		t.Skip("needs links: ", err)
	}
}

func chmod(t *testing.T, dir, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
		t.Fatal(err)
	}
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("needs Unix modes and names")
	}
}

func TestScanReadsEverything(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	write(t, dir, "a/c", "in a\n")
	write(t, dir, "a-b", "")
	write(t, dir, "a.go", "x")
	write(t, dir, ".gitignore", "*\n")
	write(t, dir, "sub/.git/HEAD", "nested")
	write(t, dir, ".git/HEAD", "left out")
	write(t, dir, ".planlock/x", "left out")
	if err := os.MkdirAll(filepath.Join(dir, "empty/deeper"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, dir, "../nowhere", "a/dangling")
	chmod(t, dir, "a.go", 0o755|fs.ModeSetuid)
	chmod(t, dir, "empty", 0o777|fs.ModeSticky)
	chmod(t, dir, "a", 0o700)
	want := `file ".gitignore" 0644 2 dd72c1fdbc26 ""
dir "a" 0700 0  ""
file "a-b" 0644 0 e3b0c44298fc ""
file "a.go" 4755 1 2d711642b726 ""
file "a/c" 0644 5 ` + ledger.Sum([]byte("in a\n")).Short() + ` ""
link "a/dangling" 0000 0  "../nowhere"
dir "empty" 1777 0  ""
dir "empty/deeper" 0755 0  ""
dir "sub" 0755 0  ""
dir "sub/.git" 0755 0  ""
file "sub/.git/HEAD" 0644 6 ` + ledger.Sum([]byte("nested")).Short() + ` ""
`
	want = strings.Replace(want, "dd72c1fdbc26", ledger.Sum([]byte("*\n")).Short(), 1)
	tree := scanned(t, dir, nil)
	if diff := cmp.Diff(want, shape(tree)); diff != "" {
		t.Error(diff)
	}
	rebuilt, err := ledger.NewTree(slicesOf(tree))
	if err != nil || rebuilt.Digest() != tree.Digest() {
		t.Errorf("made of its entries: %v, %v; want %v", rebuilt, err, tree)
	}
	for _, workers := range []int{1, 2, 7} {
		if again := scanWith(t, Scanner{Workers: workers}, dir, nil); again.Digest() != tree.Digest() {
			t.Errorf("with %d workers the tree differs", workers)
		}
	}
	chmod(t, dir, ".", 0o700)
	if again := scanned(t, dir, nil); again.Digest() != tree.Digest() {
		t.Error("the mode of the root counts")
	}
}

func slicesOf(tree *ledger.Tree) []ledger.Entry {
	var entries []ledger.Entry
	for e := range tree.All() {
		entries = append(entries, e)
	}
	return entries
}

func TestScanScope(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"plan.toml", "plan.lock.json", "build/x/y", "src/a.log", "src/a.go", "logs/today", "views/SUMMARY.md"} {
		write(t, dir, path, path)
	}
	s := Scanner{Scope: ledger.Scope{
		Ignore: []string{"build", "**/*.log"},
		Track:  []string{"logs"},
		Own:    []string{"plan.toml", "plan.lock.json", "views/SUMMARY.md"},
	}}
	tree := scanWith(t, s, dir, nil)
	var got []string
	for e := range tree.All() {
		mark := e.Path
		if tree.Tracked(e.Path) {
			mark += " tracked"
		}
		got = append(got, mark)
	}
	if diff := cmp.Diff([]string{"logs tracked", "logs/today tracked", "src", "src/a.go", "views"}, got); diff != "" {
		t.Error(diff)
	}
	if !tree.Tracked("logs/gone/long/ago") || tree.Tracked("logs2") {
		t.Error("paths that the tree does not hold follow the scope too")
	}
	s.Scope.Ignore = []string{"ok", "../up", "a[", "/abs"}
	_, err := s.Scan(context.Background(), dir, nil)
	if !errors.Is(err, ledger.ErrPattern) || strings.Count(err.Error(), "not a path or glob") != 3 {
		t.Errorf("got %v, want all three faults", err)
	}
}

func TestScanRefusesWhatIsNoFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "")
	for _, path := range []string{"f", "missing"} {
		if tree, err := scanner().Scan(context.Background(), filepath.Join(dir, path), nil); err == nil || tree != nil {
			t.Errorf("%s: got %v, %v", path, tree, err)
		}
	}
}

func TestScanStopsWhenCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		write(t, dir, fmt.Sprintf("d%d/f", i), "x")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := scanner().Scan(ctx, dir, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func write(t testing.TB, dir, path, content string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
