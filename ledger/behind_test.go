package ledger_test

import (
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
		"all":      {"**", "nothing", "real/f", "f", "alias/deep", "real/deep", "real/deep/**", "real", "real/**"},
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
		if pattern == "all" { // the loop, as far as it is followed
			for p := range got {
				if len(p) >= 4 && p[:4] == "loop" {
					delete(got, p)
				}
			}
		}
		if diff := cmp.Diff([2]map[string]bool{{}, {}}, [2]map[string]bool{missing, got}); diff != "" {
			t.Errorf("%s: (-want +got: missing, too many)\n%s", pattern, diff)
		}
	}
	if n := len(tree.Behind([]string{"loop"})); n > 50 {
		t.Errorf("a loop is followed %d times", n)
	}
}
