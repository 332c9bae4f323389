package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tally is how often a scan asked the system for what.
type tally struct {
	opened, listed, folderStats int // of folders
	stats                       int // of names
	files, fileStats            int // opened, and looked at while open
	targets                     int // of links
}

func (t tally) String() string {
	return fmt.Sprintf("folders opened %d, listed %d, looked at %d; names looked at %d; files opened %d, looked at %d; links read %d",
		t.opened, t.listed, t.folderStats, t.stats, t.files, t.fileStats, t.targets)
}

// counts are put between a scan and its folders.
type counts struct {
	mu sync.Mutex
	tally
}

func (c *counts) add(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

// take is what was counted since it was last taken.
func (c *counts) take() tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tally
	c.tally = tally{}
	return t
}

func (c *counts) open(open func(string) (folder, error)) func(string) (folder, error) {
	return func(dir string) (folder, error) {
		f, err := open(dir)
		if err != nil {
			return nil, err
		}
		c.add(&c.opened)
		return &countedFolder{f, c}, nil
	}
}

type countedFolder struct {
	under folder
	*counts
}

func (f *countedFolder) status() (status, error) { f.add(&f.folderStats); return f.under.status() }

func (f *countedFolder) stat(b *buffers, name string) (status, error) {
	f.add(&f.stats)
	return f.under.stat(b, name)
}

func (f *countedFolder) list(b *buffers) error { f.add(&f.listed); return f.under.list(b) }

func (f *countedFolder) enter(b *buffers, name string) (folder, error) {
	f.add(&f.opened)
	sub, err := f.under.enter(b, name)
	if err != nil {
		return nil, err
	}
	return &countedFolder{sub, f.counts}, nil
}

func (f *countedFolder) file(b *buffers, name string) (openFile, error) {
	f.add(&f.files)
	file, err := f.under.file(b, name)
	if err != nil {
		return nil, err
	}
	return countedFile{file, f.counts}, nil
}

func (f *countedFolder) target(b *buffers, name string) (string, error) {
	f.add(&f.targets)
	return f.under.target(b, name)
}

func (f *countedFolder) close() { f.under.close() }

type countedFile struct {
	openFile
	c *counts
}

func (f countedFile) status() (status, error) { f.c.add(&f.c.fileStats); return f.openFile.status() }

// One status for each entry and scan, one opening for each folder, and no
// listing of what did not move.
func TestScanCounts(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	folders, files := 1, 0
	for i := range 40 {
		sub := fmt.Sprintf("d%d/e", i)
		folders += 2
		for k := range 3 + 10*(i%7) {
			write(t, dir, fmt.Sprintf("%s/f%d", sub, k), "x")
			files++
		}
	}
	link(t, dir, "d0", "l")
	for i := range 3 * batch { // a folder that several readers share
		write(t, dir, fmt.Sprintf("wide/f%d", i), "x")
		files++
	}
	folders++
	var n counts
	s := Scanner{open: n.open(openTop)}
	tree := scanWith(t, s, dir, nil)
	if !memoryOf(tree).trust.usable {
		t.Skip("no stamps are trusted on this file system")
	}
	check := func(what string, want tally) {
		t.Helper()
		if diff := cmp.Diff(want.String(), n.take().String()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	check("first", tally{opened: folders, listed: folders, folderStats: folders, stats: 1, files: files,
		fileStats: 2 * files, targets: 1})
	age(tree)
	tree = scanWith(t, s, dir, tree)
	check("unchanged", tally{opened: folders, folderStats: folders, stats: files + 1})

	age(tree)
	if err := os.WriteFile(filepath.Join(dir, "d3/e/f1"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree = scanWith(t, s, dir, tree)
	check("a file changed", tally{opened: folders, folderStats: folders, stats: files + 1, files: 1, fileStats: 2})

	age(tree)
	write(t, dir, "d4/e/new", "x")
	files++
	scanWith(t, s, dir, tree)
	check("a file more", tally{opened: folders, listed: 1, folderStats: folders, stats: files, files: 1, fileStats: 2})
}

// A scan of what did not change shares everything with the prior tree.
func TestScanSharesWhatDidNotChange(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write(t, dir, "a/b/f", "x")
		write(t, dir, "c/d/f", "x")
		write(t, dir, "e", "x")
		first := scanWith(t, s, dir, nil)
		if !memoryOf(first).trust.usable {
			t.Skip("no stamps are trusted on this file system")
		}
		if again := scanWith(t, s, dir, first); memoryOf(again).root != memoryOf(first).root {
			t.Error("what was read once more, since it is young, and is the same, is not shared")
		}
		age(first)
		again := scanWith(t, s, dir, first)
		if memoryOf(again).root != memoryOf(first).root || again == first {
			t.Error("the trees share nothing")
		}
		write(t, dir, "a/b/f", "y")
		age(again)
		third := scanWith(t, s, dir, again)
		if memoryOf(third).root == memoryOf(again).root ||
			memoryOf(third).root.subs[0] == memoryOf(again).root.subs[0] ||
			memoryOf(third).root.subs[1] != memoryOf(again).root.subs[1] {
			t.Error("exactly the folders on the way to a change are new")
		}
	})
}
