package ledger

import (
	"fmt"
	"slices"
	"testing"
)

// grove is a tree with 5,000 files, in 250 folders.
func grove() []Entry {
	entries := make([]Entry, 0, 5300)
	for p := range 25 {
		folder := fmt.Sprintf("p%d", p)
		entries = append(entries, dir(folder))
		for q := range 10 {
			entries = append(entries, dir(fmt.Sprintf("%s/q%d", folder, q)))
		}
	}
	for i := range 5000 {
		entries = append(entries, file(fmt.Sprintf("p%d/q%d/f%d.go", i%25, i/25%10, i), fmt.Sprint(i)))
	}
	slices.SortFunc(entries, byPath)
	return entries
}

func BenchmarkTreeDigest(b *testing.B) {
	entries := grove()
	b.ReportAllocs()
	for b.Loop() {
		tree(b, entries...)
	}
}

func BenchmarkDiff(b *testing.B) {
	t := tree(b, grove()...)
	entries := slicesOf(t)
	for i := range entries {
		if i%500 == 0 {
			entries[i].Mode ^= 0o111
		}
	}
	other := tree(b, entries...)
	b.ReportAllocs()
	for b.Loop() {
		Diff(t, other)
	}
}

func BenchmarkReconcile(b *testing.B) {
	var changes []Change
	var d Declared
	for i := range 100 {
		path := fmt.Sprintf("server/f%d.go", i)
		changes = append(changes, modified(path))
		d.Modify = append(d.Modify, path)
	}
	b.ReportAllocs()
	for b.Loop() {
		Reconcile(d, changes, nil)
	}
}
