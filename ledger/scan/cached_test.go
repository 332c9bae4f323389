package scan

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// listing is what a folder holds, found without a Scanner: the oracle of the
// tests of scans that know a prior tree.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		e := ledger.Entry{Kind: ledger.Special,
			Mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		e.Path = filepath.ToSlash(rel)
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			e.Kind, e.Size, e.Digest = ledger.File, int64(len(content)), ledger.DigestOf(sumOf(content))
		case info.IsDir():
			e.Kind = ledger.Dir
		case info.Mode()&fs.ModeSymlink != 0:
			e.Kind, e.Mode = ledger.Link, 0
			if e.Target, err = os.Readlink(path); err != nil {
				return err
			}
		}
		lines = append(lines, e.Path+"\x00"+fmt.Sprintf("%s %q %04o %d %s %q %v\n", e.Kind, e.Path,
			ledger.UnixMode(e.Mode), e.Size, e.Digest, e.Target, info.ModTime().UnixNano()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	var b strings.Builder
	for _, line := range lines {
		_, text, _ := strings.Cut(line, "\x00")
		b.WriteString(text)
	}
	return b.String()
}

func sumOf(content []byte) [sha256.Size]byte { return sha256.Sum256(content) }

// entriesOf is a tree in the words of listing.
func entriesOf(tree *ledger.Tree) string {
	var b strings.Builder
	for e := range tree.All() {
		fmt.Fprintf(&b, "%s %q %04o %d %s %q %v\n", e.Kind, e.Path, ledger.UnixMode(e.Mode), e.Size, e.Digest,
			e.Target, e.ModTime.UnixNano())
	}
	return b.String()
}

// A vandal changes a folder at random. Errors are part of the game: what is
// done is what the folder holds then.
type vandal struct {
	*rand.Rand
	dir string
}

var vandalNames = []string{"a", "a-b", "a.go", "a0", "b", "B", "\u00e9", "e\u0301", "-x", "new\nline", "esc\x1b[2J", "\xff", " ", strings.Repeat("n", 255)}

func (v vandal) path() string {
	path := v.dir
	for range 1 + v.IntN(3) {
		path = filepath.Join(path, vandalNames[v.IntN(len(vandalNames))])
	}
	return path
}

func (v vandal) act() {
	path := v.path()
	switch v.IntN(12) {
	case 0, 1:
		os.MkdirAll(path, 0o755)
	case 2, 3, 4:
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path, fmt.Appendf(nil, "%05d", v.IntN(1e5)), 0o644) // always the same size
	case 5:
		os.WriteFile(path, make([]byte, v.IntN(3)*contentSize/2), 0o600)
	case 6:
		os.Remove(path)
	case 7:
		os.RemoveAll(path)
	case 8:
		os.Rename(path, v.path())
	case 9:
		os.Symlink(vandalNames[v.IntN(len(vandalNames))], path)
	case 10:
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			os.Chmod(path, 0o700|fs.FileMode(v.IntN(0o100)))
		}
	case 11:
		when := time.Unix(int64(v.IntN(2))*1e9, 0)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			os.Chtimes(path, when, when)
		}
	}
}

// A scan that knows the tree before finds what one finds that knows nothing,
// and what the system says, whatever was changed in between.
func TestCachedScanEqualsFirstScan(t *testing.T) {
	needUnix(t)
	rounds := 80
	if testing.Short() {
		rounds = 30
	}
	for seed := range uint64(4) {
		eachWay(t, func(t *testing.T, s Scanner) {
			v := vandal{rand.New(rand.NewPCG(seed, 1)), t.TempDir()}
			var prior *ledger.Tree
			for round := range rounds {
				for range v.IntN(8) {
					v.act()
				}
				s.Workers = v.IntN(4)
				tree := scanWith(t, s, v.dir, prior)
				if diff := cmp.Diff(listing(t, v.dir), entriesOf(tree)); diff != "" {
					t.Fatalf("seed %d, round %d: %s", seed, round, diff)
				}
				checkTree(t, tree, prior)
				prior = tree
			}
		})
	}
}

// checkTree looks at everything that a tree says of itself, and of the
// difference to the one before.
func checkTree(t *testing.T, tree, prior *ledger.Tree) {
	t.Helper()
	entries := slicesOf(tree)
	rebuilt, err := ledger.NewTree(entries)
	if err != nil || rebuilt.Digest() != tree.Digest() || rebuilt.Len() != tree.Len() || len(entries) != tree.Len() {
		t.Fatalf("made of its entries: %v, %v; want %v", rebuilt, err, tree)
	}
	for _, e := range entries {
		if got, ok := tree.Lookup(e.Path); !ok || got != e {
			t.Fatalf("looked up %q: %v, %v", e.Path, got, ok)
		}
	}
	if prior == nil {
		return
	}
	before, err := ledger.NewTree(slicesOf(prior))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ledger.Diff(before, rebuilt), ledger.Diff(prior, tree)); diff != "" {
		t.Fatal("the difference of trees that share is another one: ", diff)
	}
	if diff := cmp.Diff(ledger.Touched(before, rebuilt), ledger.Touched(prior, tree)); diff != "" {
		t.Fatal("what was touched between trees that share is another: ", diff)
	}
	if again := ledger.Touched(tree, tree); again != nil {
		t.Fatal("a tree differs from itself: ", again)
	}
}

// Touched names what Diff names, and entries of another time.
func TestTouched(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/f", "x")
	write(t, dir, "a/g", "x")
	write(t, dir, "b/f", "x")
	before := scanned(t, dir, nil)
	if err := os.Chtimes(filepath.Join(dir, "a/f"), longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b/f", "y")
	after := scanned(t, dir, before)
	var got []string
	for _, c := range ledger.Touched(before, after) {
		got = append(got, string(c.Op)+" "+c.Path)
	}
	if diff := cmp.Diff([]string{"modified a/f", "modified b/f"}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(ledger.Diff(before, after)); n != 1 {
		t.Errorf("Diff names %d changes, want 1", n)
	}
	if n := len(ledger.Touched(nil, after)); n != after.Len() {
		t.Errorf("from nothing: %d", n)
	}
}

// Scans go on while somebody changes the folder all the time: each ends with a
// tree that holds together or with an error that says what changes, and the one
// after that finds what is there.
func TestTreesScanDuringChanges(t *testing.T) {
	needUnix(t)
	eachWay(t, func(t *testing.T, s Scanner) {
		v := vandal{rand.New(rand.NewPCG(9, 9)), t.TempDir()}
		var prior *ledger.Tree
		for range 40 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range 60 {
					v.act()
				}
			}()
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				tree, err := s.Scan(t.Context(), v.dir, prior)
				if err == nil {
					if _, err := ledger.NewTree(slicesOf(tree)); err != nil {
						t.Fatal(err)
					}
					prior = tree
				} else if !strings.Contains(err.Error(), ErrChanging.Error()) {
					t.Fatal(err)
				}
			}
			prior = scanWith(t, s, v.dir, prior)
			if diff := cmp.Diff(listing(t, v.dir), entriesOf(prior)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
