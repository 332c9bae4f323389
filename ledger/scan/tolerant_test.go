package scan

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

func TestScanTolerantListsWhatIsTooLarge(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	write(t, dir, "a", "small")
	write(t, dir, "d/large", "larger than that")
	before := scanned(t, dir, nil)
	s := Scanner{MaxFile: 10, Tolerant: true, Scope: ledger.Scope{Ignore: []string{"left"}}}
	write(t, dir, "left", "out, and larger too")
	tree := scanWith(t, s, dir, nil)
	want := `file "a" 0644 5 ` + ledger.Sum([]byte("small")).Short() + ` ""
dir "d" 0755 0  ""
special "d/large" 0644 0  ""
`
	if diff := cmp.Diff(want, shape(tree)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"d/large"}, tree.Unread()); diff != "" {
		t.Error(diff)
	}
	changes := ledger.Diff(before, tree)
	if len(changes) != 1 || changes[0].Path != "d/large" || changes[0].Op != ledger.Modified {
		t.Errorf("what cannot be read is no change: %v", changes)
	}
	// Scanned again with the same eyes; what was cut to size is read.
	if err := os.Truncate(filepath.Join(dir, "d/large"), 3); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "huge", strings.Repeat("x", 11))
	again, err := Again(context.Background(), dir, tree)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"huge"}, again.Unread()); diff != "" {
		t.Error(diff)
	}
	if _, ok := again.Lookup("left"); ok {
		t.Error("the scope was lost")
	}
	if _, err := (&Scanner{MaxFile: 10, open: way}).Scan(context.Background(), dir, tree); err == nil {
		t.Error("a scan that is not tolerant read what is too large")
	}
}

func TestScanTolerantListsWhatIsClosed(t *testing.T) {
	needUnix(t)
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	dir := t.TempDir()
	write(t, dir, "file", "x")
	write(t, dir, "folder/f", "x")
	write(t, dir, "names/f", "x")
	chmod(t, dir, "file", 0)
	chmod(t, dir, "folder", 0)
	chmod(t, dir, "names", 0o400) // can be listed, and nothing more
	defer chmod(t, dir, "folder", 0o700)
	defer chmod(t, dir, "names", 0o700)
	tree := scanWith(t, Scanner{Tolerant: true}, dir, nil)
	want := `special "file" 0000 0  ""
special "folder" 0000 0  ""
special "names" 0400 0  ""
`
	if diff := cmp.Diff(want, shape(tree)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"file", "folder", "names"}, tree.Unread()); diff != "" {
		t.Error(diff)
	}
}

func TestScanTolerantStopsWhenCancelled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "x")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if tree, err := (&Scanner{Tolerant: true, open: way}).Scan(ctx, dir, nil); err == nil {
		t.Errorf("got %v", tree)
	}
}

func TestTreeLeavesOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "x")
	tree := scanWith(t, Scanner{Scope: ledger.Scope{Ignore: []string{"cache", "**/*.o"}, Own: []string{"plan.toml"}}},
		dir, nil)
	for path, want := range map[string]bool{"a": false, "cache": true, "cache/x/y": true, "d/x.o": true, "d/x": false,
		"plan.toml": true, ".git/HEAD": true, "d/.git": false, ".planlock": true} {
		if got := tree.LeavesOut(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if ledger.Empty().LeavesOut("cache") || !ledger.Empty().LeavesOut(".git") {
		t.Error("a tree of entries leaves out something else than .planlock and .git")
	}
}
