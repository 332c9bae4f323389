package ledger_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// TestBehind follows the links of a tree from what somebody says to read.
func TestBehind(t *testing.T) {
	var entries []ledger.Entry
	for _, dir := range []string{"real", "real/deep", "more"} {
		entries = append(entries, ledger.Entry{Path: dir, Kind: ledger.Dir})
	}
	for _, file := range []string{"f", "real/f", "real/deep/f", "more/f"} {
		entries = append(entries, ledger.Entry{Path: file, Kind: ledger.File, Digest: ledger.Sum(nil)})
	}
	for name, target := range map[string]string{"alias": "real", "l": "f", "two": "alias/deep", "more/up": "../real/f",
		"loop": "loop/x", "out": "../elsewhere", "all": ".", "abs": "/etc", "gone": "nothing"} {
		entries = append(entries, ledger.Entry{Path: name, Kind: ledger.Link, Target: target})
	}
	tree, err := ledger.NewTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string][]string{
		"f":        nil,
		"real":     {"real/**"},
		"nothing":  nil,
		"l":        {"f"},
		"alias/f":  {"real/f"},
		"alias/**": {"real/**"},
		"two/f":    {"alias/deep/f", "real/deep/f"},
		"more/*":   {"real/f"},
		"mo*/up":   {"real/f"},
		"a*s/f":    {"real/f"},
		"out":      nil,
		"out/**":   nil,
		"abs/x":    nil,
		"all/f":    {"f"},
		"gone/f":   {"nothing/f"},
	} {
		got := map[string]bool{}
		for _, p := range tree.Behind([]string{pattern}) {
			got[p] = true
		}
		missing := map[string]bool{}
		for _, p := range append(want, pattern) {
			if !got[p] {
				missing[p] = true
			}
			delete(got, p)
		}
		if diff := cmp.Diff([2]map[string]bool{{}, {}}, [2]map[string]bool{missing, got}); diff != "" {
			t.Errorf("%s: (-want +got: missing, too many)\n%s", pattern, diff)
		}
	}
	if n := len(tree.Behind([]string{"loop"})); n > 50 {
		t.Errorf("a loop is followed %d times", n)
	}
	if diff := cmp.Diff([]string{"**"}, tree.Behind([]string{"all", "f"})); diff != "" {
		t.Errorf("a link to all of the tree (-want +got):\n%s", diff)
	}
}

// TestBehindEnds has trees whose links lead to more places than can be followed:
// all is read then.
func TestBehindEnds(t *testing.T) {
	for name, target := range map[string]string{"many": "there/%[1]d", "targets that look like patterns": "*/%[1]d"} {
		var entries []ledger.Entry
		for i := range 10_001 {
			entries = append(entries, ledger.Entry{Path: fmt.Sprintf("l%05d", i), Kind: ledger.Link, Target: fmt.Sprintf(target, i)})
		}
		tree, err := ledger.NewTree(entries)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"**"}, tree.Behind([]string{"*/q"})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
