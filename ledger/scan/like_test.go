package scan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// A first scan takes what is the same from a tree that it is told of, and finds
// what it finds without.
func TestLike(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write := func(name, text string) {
			t.Helper()
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"top", "same/a", "same/b", "changed/a", "changed/b", "more/a", "in/same/a"} {
			write(name, "text of "+name)
		}
		if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
			t.Fatal(err)
		}
		first, err := ledger.NewTree(slices.Collect(scanWith(t, s, dir, nil).All())) // not by a scan, as one that was read
		if err != nil {
			t.Fatal(err)
		}
		was := entriesOf(first)
		write("changed/b", "another text")
		write("more/b", "text")
		write("new/a", "text")
		s.Like = first
		second := scanWith(t, s, dir, nil)
		if diff := cmp.Diff(listing(t, dir), entriesOf(second)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(was, entriesOf(first)); diff != "" {
			t.Errorf("the tree that it was told of changed: %s", diff)
		}
		rows := func(of *ledger.Tree, names ...string) *ledger.Row {
			at := of.Root()
			for _, name := range names {
				at = at.Named(name)
			}
			return &at.Rows()[0]
		}
		for _, c := range []struct {
			in   []string
			want bool
		}{{[]string{"same"}, true}, {[]string{"in", "same"}, true}, {[]string{"changed"}, false}, {[]string{"more"}, false}} {
			if got := rows(first, c.in...) == rows(second, c.in...); got != c.want {
				t.Errorf("%v: held once: %v", c.in, got)
			}
		}
		if third := scanWith(t, s, dir, second); third.Digest() != second.Digest() {
			t.Error("the next scan finds something else")
		}
	})
}
