package folder

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"sort"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/internal/disk"
)

// The stored index says where the contents of all packs lie, so that opening a
// store reads a part of one file instead of every pack, and nobody has to have
// millions of places in memory. It is advice: it is never synced, and where it
// does not verify, or names a pack that is gone or shorter, the packs are read
// instead. docs/journal-and-store.md specifies it.
const (
	indexName    = "index"
	indexMagic   = "planlock/index" // then a zero byte and the version
	indexVersion = 2
	indexEntry   = 32 + 4 + 8 + 8 // digest, number of the pack, offset, size
	indexBlock   = 64             // entries that have a checksum together
	blockSize    = indexBlock*indexEntry + 4
	indexEnd     = 8 + 4 // number of entries, checksum
	maxPackName  = 255
)

// A packIndex is a stored index that is open. A nil one is empty.
type packIndex struct {
	packs   []indexedPack
	f       io.ReaderAt
	close   func() error
	start   int64    // of the first block
	entries int      // in all blocks, sorted by digest
	first   []uint64 // the beginning of the first digest of each block
	damaged atomic.Bool
}

// An indexedPack is a pack whose contents before upTo are in the index.
type indexedPack struct {
	name string
	upTo int64
}

// readIndex opens the index at path; nil if there is none that verifies.
func readIndex(root *disk.Root, path string) *packIndex {
	f, err := root.OpenFile(path, os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if x := openIndex(f, info.Size()); x != nil {
			x.close = f.Close
			return x
		}
	}
	_ = f.Close() // only read
	return nil
}

// openIndex reads what an indexWriter wrote, but for the entries; nil if it is
// something else.
func openIndex(f io.ReaderAt, size int64) *packIndex {
	x := &packIndex{f: f, close: func() error { return nil }}
	if !x.readPacks(size) || !x.readEnd(size) {
		return nil
	}
	return x
}

// readPacks reads the packs, at the beginning.
func (x *packIndex) readPacks(size int64) bool {
	in := io.NewSectionReader(x.f, 0, size)
	head := appendIndexHead(nil)
	var sizes [8]byte
	b, err := format.ReadUpTo(in, nil, int64(len(head)+len(sizes)))
	if err != nil || !bytes.HasPrefix(b, head) {
		return false
	}
	copy(sizes[:], b[len(head):])
	more := int64(binary.BigEndian.Uint64(sizes[:]))
	if more < 0 || more > size {
		return false
	}
	list, err := format.ReadUpTo(in, nil, more)
	if err != nil {
		return false
	}
	x.start = int64(len(b)) + more
	rest, ok := format.Sealed(append(b, list...))
	if !ok {
		return false
	}
	for rest = rest[len(head)+len(sizes):]; len(rest) > 0; {
		if len(rest) < 1+int(rest[0])+8 {
			return false
		}
		name, after := string(rest[1:1+rest[0]]), rest[1+rest[0]:]
		x.packs = append(x.packs, indexedPack{name, int64(binary.BigEndian.Uint64(after))})
		rest = after[8:]
	}
	return true
}

// readEnd reads where each block begins, at the end.
func (x *packIndex) readEnd(size int64) bool {
	var b [indexEnd]byte
	if size < x.start+indexEnd {
		return false
	}
	if _, err := x.f.ReadAt(b[:], size-indexEnd); err != nil {
		return false
	}
	n := binary.BigEndian.Uint64(b[:])
	if n > uint64(size)/indexEntry {
		return false
	}
	x.entries = int(n)
	blocks := int64(x.entries+indexBlock-1) / indexBlock
	behind := x.start + int64(n)*indexEntry + 4*blocks
	if size-behind != 8*blocks+indexEnd {
		return false
	}
	table, err := format.ReadUpTo(io.NewSectionReader(x.f, behind, size-behind), nil, size-behind)
	if err != nil {
		return false
	}
	table, ok := format.Sealed(table)
	if !ok {
		return false
	}
	for ; blocks > 0; blocks-- {
		x.first = append(x.first, binary.BigEndian.Uint64(table))
		table = table[8:]
	}
	return true
}

// fits reports whether all packs are there, and long enough.
func (x *packIndex) fits(sizes map[string]int64) bool {
	for _, p := range x.packs {
		if size, ok := sizes[p.name]; !ok || p.upTo > size || p.upTo < int64(packHeader) {
			return false
		}
	}
	return true
}

// len is the number of entries.
func (x *packIndex) len() int {
	if x == nil {
		return 0
	}
	return x.entries
}

// done closes the file.
func (x *packIndex) done() {
	if x != nil {
		_ = x.close() // only read
	}
}

// block reads the entries of one block into b; nil where they do not verify.
func (x *packIndex) block(i int, b *[blockSize]byte) []byte {
	n := min(indexBlock, x.entries-i*indexBlock)*indexEntry + 4
	_, err := x.f.ReadAt(b[:n], x.start+int64(i)*blockSize)
	entries, ok := format.Sealed(b[:n])
	if err != nil || !ok {
		x.damaged.Store(true)
		return nil
	}
	return entries
}

// all yields the entries. It stops where they do not verify.
func (x *packIndex) all(yield func(sum, where) bool) {
	if x == nil {
		return
	}
	var b [blockSize]byte
	for i := range x.first {
		for entries := x.block(i, &b); len(entries) > 0; entries = entries[indexEntry:] {
			if !yield(x.entry(entries)) {
				return
			}
		}
		if x.damaged.Load() {
			return
		}
	}
}

// entry is the entry that b begins with.
func (x *packIndex) entry(b []byte) (sum, where) {
	w := where{place: place{int64(binary.BigEndian.Uint64(b[36:])), int64(binary.BigEndian.Uint64(b[44:]))}}
	if n := binary.BigEndian.Uint32(b[32:]); n < uint32(len(x.packs)) {
		w.pack, w.sure = x.packs[n].name, true
	}
	return sum(b), w
}

// find says where a content lies.
func (x *packIndex) find(key sum) (where, bool) {
	if x == nil || x.damaged.Load() {
		return where{}, false
	}
	begins := binary.BigEndian.Uint64(key[:])
	var b [blockSize]byte
	// Several blocks may begin alike. The last of those that begin before the
	// digest may hold it, and each that begins like it.
	for i := max(0, sort.Search(len(x.first), func(i int) bool { return x.first[i] >= begins })-1); i < len(x.first) &&
		x.first[i] <= begins; i++ {
		entries := x.block(i, &b)
		n := len(entries) / indexEntry
		k := sort.Search(n, func(k int) bool { return bytes.Compare(entries[k*indexEntry:][:len(key)], key[:]) >= 0 })
		if k == n {
			continue
		}
		found, w := x.entry(entries[k*indexEntry:])
		if found != key || !w.sure || w.offset < int64(packHeader) || w.size < 0 {
			break
		}
		return w, true
	}
	return where{}, false
}
