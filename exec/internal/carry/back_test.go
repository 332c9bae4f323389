package carry_test

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/carry"
	"github.com/planlock/planlock/ledger"
)

// TestBack takes back what a step made where it is still so, and no folder in
// which something else lies.
func TestBack(t *testing.T) {
	file := func(path, text string) ledger.Entry {
		return ledger.Entry{Path: path, Kind: ledger.File, Mode: 0o644, Size: int64(len(text)), Digest: ledger.Sum([]byte(text))}
	}
	dir := func(path string) ledger.Entry { return ledger.Entry{Path: path, Kind: ledger.Dir, Mode: 0o755} }
	tree := func(entries ...ledger.Entry) *ledger.Tree {
		made, err := ledger.NewTree(entries)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	before := tree(file("kept", "1"), file("went", "1"), file("later", "1"))
	after := tree(file("kept", "2"), file("later", "2"), dir("a"), dir("a/b"), file("a/b/made", "1"), dir("empty"))
	now := tree(file("kept", "2"), file("later", "3"), dir("a"), dir("a/b"), file("a/b/made", "1"), file("a/other", "1"),
		dir("empty"))
	var got []string
	back, changed := carry.Back(now, &history.Accounted{Changes: ledger.Diff(before, after)})
	for _, c := range back {
		got = append(got, string(c.Op)+" "+c.Path)
	}
	if want := []string{"deleted a/b", "deleted a/b/made", "deleted empty", "modified kept", "created went"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []string{"later"}; !slices.Equal(changed, want) {
		t.Errorf("changed since: %q, want %q", changed, want)
	}
	if back, _ := carry.Back(now, nil); back != nil {
		t.Errorf("of a step that nobody accounted for: %v", back)
	}
}
