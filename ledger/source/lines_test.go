package source

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

func TestLines(t *testing.T) {
	before := Version{"changed": "1\n2\n3\n", "gone": "1\n2", "same": "x", "bin": "\x00\n\n", "totext": "\x00", "reordered": "a\nb\nc\n"}
	after := Version{"changed": "1\nx\n3\n4\n", "new": "1\n2\n3\n", "same": "x", "bin": "\x00\n\n\n", "totext": "t\n", "reordered": "c\na\nb\n"}
	a, b := before.Tree(t), after.Tree(t)
	total, perPath, err := countChanges(t.Context(), ledger.Diff(a, b), before.Open, after.Open)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]ledger.LineCount{
		"changed": {Added: 2, Removed: 1}, "gone": {Added: 0, Removed: 2}, "bin": {}, "totext": {Added: 1, Removed: 0},
		"new": {Added: 3, Removed: 0}, "reordered": {Added: 1, Removed: 1}}
	if diff := cmp.Diff(want, perPath); diff != "" {
		t.Error(diff)
	}
	if total != (ledger.LineCount{Added: 7, Removed: 4}) || total.Changed() != 11 {
		t.Errorf("total %+v", total)
	}
}

func TestLinesOfKindsAndModes(t *testing.T) {
	text := Version{"a": "1\n2\n", "m": "1\n"}
	wasFile, isLink := fileOf("a", text["a"]), ledger.Entry{Path: "a", Kind: ledger.Link, Target: "b"}
	mode := fileOf("m", text["m"])
	mode.Mode = 0o755
	d := ledger.Entry{Path: "d", Kind: ledger.Dir, Mode: 0o755}
	old := fileOf("m", text["m"])
	changes := []ledger.Change{{Path: "a", Op: ledger.Modified, Before: &wasFile, After: &isLink},
		{Path: "d", Op: ledger.Created, After: &d}, {Path: "m", Op: ledger.Modified, Before: &old, After: &mode}}
	_, perPath, err := countChanges(t.Context(), changes, text.Open, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]ledger.LineCount{"a": {Added: 0, Removed: 2}}, perPath); diff != "" {
		t.Error(diff)
	}
}

func TestLinesOfLargeContents(t *testing.T) {
	small := "first\n"
	large := strings.Repeat("0123456789abcde\n", maxCompared/16) + "last"
	before, after := Version{"f": small}, Version{"f": large}
	total, _, err := countChanges(t.Context(), ledger.Diff(before.Tree(t), after.Tree(t)), before.Open, after.Open)
	if err != nil {
		t.Fatal(err)
	}
	if want := (ledger.LineCount{Added: maxCompared/16 + 1, Removed: 1}); total != want {
		t.Errorf("got %+v, want %+v", total, want)
	}
}

func BenchmarkLines(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	var before, after []byte
	for i := range 10_000 {
		line := fmt.Sprintf("line %d\n", i)
		before = append(before, line...)
		if r.IntN(50) == 0 {
			line = "changed " + line
		}
		after = append(after, line...)
	}
	b.ReportAllocs()
	for b.Loop() {
		countLines(before, after)
	}
}
