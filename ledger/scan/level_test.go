package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// What each level sees of a change in a folder, and what it misses: the table
// of docs/plan-format.md.
func TestLevelsSeeAndMiss(t *testing.T) {
	needUnix(t)
	do := func(step func(dir string) error) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := step(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	in := filepath.Join
	changes := []struct {
		name   string
		change func(t *testing.T, dir string)
		seen   string // the levels that see it
	}{
		{"a new file", do(func(d string) error { return os.WriteFile(in(d, "new"), nil, 0o644) }),
			"full tracked stamps"},
		{"a new file further down", do(func(d string) error { return os.WriteFile(in(d, "sub/new"), nil, 0o644) }), "full tracked stamps"},
		{"a file that is gone", do(func(d string) error { return os.Remove(in(d, "sub/f")) }), "full tracked stamps"},
		{"a file of another name", do(func(d string) error { return os.Rename(in(d, "f"), in(d, "g")) }), "full tracked stamps"},
		{"a new folder", do(func(d string) error { return os.Mkdir(in(d, "more"), 0o755) }), "full tracked stamps"},
		{"a folder that becomes a file", do(func(d string) error {
			if err := os.Remove(in(d, "empty")); err != nil {
				return err
			}
			return os.WriteFile(in(d, "empty"), nil, 0o644)
		}), "full tracked stamps"},
		{"a file that becomes a folder", do(func(d string) error {
			if err := os.Remove(in(d, "f")); err != nil {
				return err
			}
			return os.Mkdir(in(d, "f"), 0o755)
		}), "full tracked stamps"},
		{"the mode of a folder", do(func(d string) error { return os.Chmod(in(d, "sub"), 0o700) }), "full tracked stamps"},
		{"a file written in place", do(func(d string) error {
			return os.WriteFile(in(d, "f"), []byte("other"),
				0o644)
		}), "full tracked"},
		{"a file that grows", do(func(d string) error {
			return os.WriteFile(in(d, "sub/f"), []byte("more of it"),
				0o644)
		}), "full tracked"},
		{"a file replaced by another of its name", do(func(d string) error {
			if err := os.WriteFile(in(d, "t"), []byte("other"), 0o644); err != nil {
				return err
			}
			return os.Rename(in(d, "t"), in(d, "f"))
		}), "full tracked"},
		{"the mode of a file", do(func(d string) error { return os.Chmod(in(d, "f"), 0o755) }), "full tracked"},
		{"the target of a link", do(func(d string) error {
			if err := os.Remove(in(d, "l")); err != nil {
				return err
			}
			return os.Symlink("elsewhere", in(d, "l"))
		}), "full tracked"},
		{"a file that becomes a link", do(func(d string) error {
			if err := os.Remove(in(d, "f")); err != nil {
				return err
			}
			return os.Symlink("l", in(d, "f"))
		}), "full tracked"},
		{"a time of modification", do(func(d string) error { return os.Chtimes(in(d, "f"), longAgo, longAgo) }), ""},
	}
	scopes := map[ledger.Level]ledger.Scope{
		ledger.Full: {}, ledger.Tracked: {Track: []string{"big"}},
		ledger.Stamps: {Stamps: []string{"big"}}, ledger.Ignored: {Ignore: []string{"big"}},
	}
	eachWay(t, func(t *testing.T, s Scanner) {
		for _, level := range []ledger.Level{ledger.Full, ledger.Tracked, ledger.Stamps, ledger.Ignored} {
			for _, c := range changes {
				t.Run(fmt.Sprintf("%s/%s", level, c.name), func(t *testing.T) {
					root := t.TempDir()
					big := filepath.Join(root, "big")
					write(t, root, "big/f", "first")
					write(t, root, "big/sub/f", "first")
					link(t, root, "f", "big/l")
					if err := os.Mkdir(filepath.Join(big, "empty"), 0o755); err != nil {
						t.Fatal(err)
					}
					s.Scope = scopes[level]
					before := scanWith(t, s, root, nil)
					if got := before.Level("big/sub/f"); got != level {
						t.Errorf("the level is %s", got)
					}
					c.change(t, big)
					after := scanWith(t, s, root, before)
					sees := strings.Contains(c.seen, level.String())
					if got := len(ledger.Diff(before, after)) > 0; got != sees {
						t.Errorf("seen: %v", got)
					}
					if anew := scanWith(t, s, root, nil); anew.Digest() != after.Digest() {
						t.Error("a scan without a prior tree finds another one")
					}
				})
			}
		}
	})
}

// At the level Stamps no file is opened or looked at, and folders are listed
// only when their stamps moved.
func TestLevelStampsLooksAtFoldersOnly(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		write(t, dir, fmt.Sprintf("node_modules/m%d/index.js", i), "x")
	}
	write(t, dir, "a", "x")
	var n counts
	s := Scanner{Scope: ledger.Scope{Stamps: []string{"node_modules"}}, open: n.open(openTop)}
	tree := scanWith(t, s, dir, nil)
	if diff := cmp.Diff(tally{opened: 22, listed: 22, folderStats: 22, files: 1, fileStats: 2}.String(),
		n.take().String()); diff != "" {
		t.Error("first: ", diff)
	}
	age(tree)
	again := scanWith(t, s, dir, tree)
	if !memoryOf(again).trust.usable {
		t.Skip("no stamps are trusted on this file system")
	}
	if diff := cmp.Diff(tally{opened: 22, folderStats: 22, stats: 1}.String(), n.take().String()); diff != "" {
		t.Error("again: ", diff)
	}
	if e, ok := again.Lookup("node_modules/m3/index.js"); !ok || e.Kind != ledger.Special || e.Size != 0 {
		t.Errorf("got %v, %v", e, ok)
	}
	if !again.Tracked("node_modules/m3/index.js") || again.Tracked("a") {
		t.Error("what is watched by its name only must not be restored, and the rest must")
	}
}

// Where several lists match, the least close level holds, and a folder's holds
// for all below it.
func TestLevelPrecedence(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a/b/c/d", "t/x"} {
		write(t, dir, path, "x")
	}
	s := Scanner{Scope: ledger.Scope{Track: []string{"a", "t"}, Stamps: []string{"a/b"}, Ignore: []string{"a/b/c"}}}
	tree := scanWith(t, s, dir, nil)
	for path, want := range map[string]ledger.Level{"a": ledger.Tracked, "a/x": ledger.Tracked, "a/b": ledger.Stamps, "a/b/x": ledger.Stamps, "a/b/c": ledger.Ignored, "a/b/c/d": ledger.Ignored,
		"t/x": ledger.Tracked, "u": ledger.Full, ".git/HEAD": ledger.Ignored, "u/.git/HEAD": ledger.Full} {
		if got := tree.Level(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if ledger.Empty().Level("a") != ledger.Full || ledger.Empty().Level(".planlock/x") != ledger.Ignored {
		t.Error("a tree of entries knows no levels but for what is reserved")
	}
	if text := fmt.Sprint(ledger.Full, ledger.Tracked, ledger.Stamps, ledger.Ignored); text != "full tracked stamps ignored" {
		t.Error(text)
	}
}

// A prior tree of another scope says nothing about names and levels, and still
// spares reading.
func TestLevelChangesBetweenScans(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write(t, dir, "big/sub/f", "x")
		write(t, dir, "f", "x")
		scopes := []ledger.Scope{{}, {Stamps: []string{"big"}}, {Stamps: []string{"big/sub"}}, {Stamps: []string{"big/sub/f"}}, {Ignore: []string{"big/sub"}}, {Track: []string{"big"}}}
		for i, from := range scopes {
			for j, to := range scopes {
				s.Scope = from
				prior := scanWith(t, s, dir, nil)
				age(prior)
				s.Scope = to
				got, want := scanWith(t, s, dir, prior), scanWith(t, s, dir, nil)
				if diff := cmp.Diff(shape(want), shape(got)); diff != "" {
					t.Errorf("from scope %d to %d: %s", i, j, diff)
				}
			}
		}
	})
}

// longAgo is a time that no scan takes for young.
var longAgo = time.Unix(1e9, 0)
