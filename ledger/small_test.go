package ledger

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// A tree of many entries takes about a hundred bytes for each, with its name and
// its share of the folder, and none that a garbage collector has to look at.
func TestTreesAreSmall(t *testing.T) {
	const folders, each, most = 2000, 12, 120
	digests := make([]Digest, each)
	for i := range digests {
		digests[i] = Sum([]byte{byte(i)})
	}
	entries := func(yield func(Entry, error) bool) {
		for d := range folders {
			folder := fmt.Sprintf("some/folder%04d", d)
			for i := -2; i < each; i++ {
				e := Entry{Path: folder, Kind: Dir, ModTime: time.Unix(int64(d), 0)}
				switch {
				case i == -2 && d > 0:
					continue
				case i == -2:
					e.Path = "some"
				case i >= 0:
					e.Path, e.Kind, e.Digest = fmt.Sprintf("%s/file%02d-%d.go", folder, i, d), File, digests[i]
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	tree, err := Collect(entries)
	if err != nil {
		t.Fatal(err)
	}
	took := live() - before
	if n := uint64(tree.Len()); n != 1+folders*(1+each) || took > n*most {
		t.Errorf("%d entries take %d bytes, %d each; want at most %d", n, took, took/n, most)
	}
	runtime.KeepAlive(digests)
	runtime.KeepAlive(tree)
}
