package scan

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// touched are the paths of what differs, times of modification included.
func touched(a, b *ledger.Tree) (paths []string) {
	for _, c := range ledger.Touched(a, b) {
		paths = append(paths, c.Path)
	}
	return paths
}

// A scan that is told where something was written finds what a whole one finds,
// and what anybody else wrote meanwhile is found by the next whole one, however
// soon it was written.
func TestScanWrittenEqualsScan(t *testing.T) {
	needUnix(t)
	rounds := 60
	if testing.Short() {
		rounds = 30
	}
	for seed := range uint64(4) {
		eachWay(t, func(t *testing.T, s Scanner) {
			v := vandal{rand.New(rand.NewPCG(seed, 7)), t.TempDir()}
			var prior *ledger.Tree
			for round := range rounds {
				for range v.IntN(8) {
					v.act()
				}
				s.Workers = v.IntN(4)
				whole := scanWith(t, s, v.dir, prior)
				tree, err := s.ScanWritten(t.Context(), v.dir, prior, touched(prior, whole))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(listing(t, v.dir), entriesOf(tree)); diff != "" {
					t.Fatalf("seed %d, round %d: %s", seed, round, diff)
				}
				checkTree(t, tree, prior)
				v.act() // nobody tells
				if tree, err = s.ScanWritten(t.Context(), v.dir, tree, nil); err != nil {
					t.Fatal(err)
				}
				tree = scanWith(t, s, v.dir, tree)
				if diff := cmp.Diff(listing(t, v.dir), entriesOf(tree)); diff != "" {
					t.Fatalf("seed %d, round %d, behind somebody's back: %s", seed, round, diff)
				}
				prior = tree
			}
		})
	}
}

// Only the folders on the way to what was written are looked at, and what is
// new.
func TestScanWrittenCounts(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	for _, name := range []string{"a/b/f", "a/c/f", "a/c/g", "d/e/f", "top"} {
		write(t, dir, name, "x")
	}
	var n counts
	s := Scanner{open: n.open(openTop)}
	prior := scanWith(t, s, dir, nil)
	if !memoryOf(prior).trust.usable {
		t.Skip("no stamps are trusted on this file system")
	}
	prior = scanWith(t, s, dir, prior) // the file system's clock is known
	age(prior)
	for _, c := range []struct {
		what  string
		do    func()
		paths []string
		want  tally
	}{
		{"nothing", func() {}, nil, tally{opened: 1, folderStats: 1, stats: 1}},
		{"a file", func() { write(t, dir, "a/c/f", "y") }, []string{"a/c/f"},
			tally{opened: 3, folderStats: 3, stats: 3, files: 1, fileStats: 2}},
		{"a folder that is new", func() { write(t, dir, "a/n/m/f", "y") }, []string{"a/n", "a/n/m", "a/n/m/f"},
			tally{opened: 4, listed: 3, folderStats: 4, stats: 1, files: 1, fileStats: 2}},
		{"a folder that is gone", func() { os.RemoveAll(filepath.Join(dir, "d/e")) }, []string{"d/e", "d/e/f"},
			tally{opened: 2, listed: 1, folderStats: 2, stats: 1}},
	} {
		c.do()
		n.take()
		tree, err := s.ScanWritten(t.Context(), dir, prior, c.paths)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want.String(), n.take().String()); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		if memoryOf(tree).trust.start != memoryOf(prior).trust.start {
			t.Errorf("%s: what was not looked at is believed as if it had been", c.what)
		}
		if got := touched(prior, tree); !slices.Equal(got, touched(prior, scanWith(t, s, dir, prior))) {
			t.Errorf("%s: found %q", c.what, got)
		}
		prior = scanWith(t, s, dir, prior)
		age(prior)
	}
}
