package ledger

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"
)

// TestEditedIsTheTreeOfItsEntries edits random trees at random paths: what comes
// of it is what a tree of all entries is, and what that refuses is refused.
func TestEditedIsTheTreeOfItsEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	refused := 0
	for range 20_000 {
		was, with := tree(t, randomEntries(r)...), tree(t, randomEntries(r)...)
		by := map[string]*Entry{}
		for e := range with.All() {
			if r.IntN(3) > 0 {
				by[e.Path] = &e
			}
		}
		for e := range was.All() {
			if r.IntN(4) == 0 {
				by[e.Path] = nil
			}
		}
		by["no/such"] = nil
		var entries []Entry
		for e := range was.All() {
			if _, edited := by[e.Path]; !edited && !inNoFolder(e.Path, by) {
				entries = append(entries, e)
			}
		}
		for _, e := range by {
			if e != nil {
				entries = append(entries, *e)
			}
		}
		want, wrong := NewTree(entries)
		got, err := was.Edited(by)
		if wrong != nil || err != nil {
			if (wrong == nil) != (err == nil) {
				t.Fatalf("%v, want %v", err, wrong)
			}
			refused++
			continue
		}
		if got.Digest() != want.Digest() || shape(got) != shape(want) || got.Len() != want.Len() {
			t.Fatalf("got\n%s\nwant\n%s", shape(got), shape(want))
		}
		for e := range want.All() {
			if is, ok := got.Lookup(e.Path); !ok || is != e {
				t.Fatalf("%s is %v, want %v", e.Path, is, e)
			}
		}
	}
	if refused < 100 || refused > 19_000 {
		t.Errorf("%d were refused", refused)
	}
}

func inNoFolder(name string, by map[string]*Entry) bool {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if e, edited := by[folder]; edited && (e == nil || e.Kind != Dir) {
			return true
		}
	}
	return false
}

// TestEditedShares edits one file: no folder is made but those above it.
func TestEditedShares(t *testing.T) {
	was := tree(t, dir("a"), dir("a/b"), file("a/b/f", "x"), dir("c"), file("c/f", "x"), dir("a/d"))
	changed := file("a/b/f", "y")
	now, err := was.Edited(map[string]*Entry{"a/b/f": &changed})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"c", "a/d"} {
		if was.root.below(at) != now.root.below(at) {
			t.Errorf("%s is another folder", at)
		}
	}
	if was.root.below("a/b") == now.root.below("a/b") {
		t.Error("nothing was edited")
	}
}

// TestEditedRefuses names what cannot be put into a tree.
func TestEditedRefuses(t *testing.T) {
	was := tree(t, file("f", "x"))
	in, moved := file("f/g", "x"), file("g", "x")
	for want, by := range map[string]map[string]*Entry{
		`"f/g" lies in "f", which is not listed as a folder`: {"f/g": &in},
		`"h" is put at`: {"h": &moved},
		`"/h"`:          {"/h": nil},
	} {
		if _, err := was.Edited(by); err == nil || !strings.Contains(err.Error(), strings.Split(want, " is put")[0]) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
