package folder

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"sort"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/internal/disk"
)

// The stored index says where the contents of all packs lie, so that opening a
// store reads one file instead of every pack. It is advice: it is never synced,
// and where it does not verify, or names a pack that is gone or shorter, the
// packs are read instead. docs/journal-and-store.md specifies it.
const (
	indexName    = "index"
	indexMagic   = "planlock/index" // then a zero byte and the version
	indexVersion = 1
	indexHeader  = len(indexMagic) + 3
	indexEntry   = 32 + 4 + 8 + 8 // digest, number of the pack, offset, size
	maxPackName  = 255
)

// A packIndex is a stored index. A nil one is empty.
type packIndex struct {
	packs   []indexedPack
	entries []byte // sorted by digest
}

// An indexedPack is a pack whose contents before upTo are in the index.
type indexedPack struct {
	name string
	upTo int64
}

// readIndex reads the index at path; nil if there is none that verifies.
func readIndex(root *disk.Root, path string) *packIndex {
	f, err := root.OpenFile(path, os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return nil
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	b, err := format.ReadUpTo(io.NewSectionReader(f, 0, info.Size()), nil, info.Size())
	if err != nil {
		return nil
	}
	return decodeIndex(b)
}

// decodeIndex reads what encodeIndex wrote; nil if it is something else.
func decodeIndex(b []byte) *packIndex {
	b, ok := format.Sealed(b)
	if !ok || len(b) < indexHeader+4 ||
		!bytes.Equal(b[:indexHeader], binary.BigEndian.AppendUint16(append([]byte(indexMagic), 0), indexVersion)) {
		return nil
	}
	x, rest := &packIndex{}, b[indexHeader:]
	count := binary.BigEndian.Uint32(rest)
	for rest = rest[4:]; count > 0; count-- {
		if len(rest) < 1 || len(rest) < 1+int(rest[0])+8 {
			return nil
		}
		name, after := string(rest[1:1+rest[0]]), rest[1+rest[0]:]
		x.packs = append(x.packs, indexedPack{name, int64(binary.BigEndian.Uint64(after))})
		rest = after[8:]
	}
	if len(rest)%indexEntry != 0 {
		return nil
	}
	x.entries = rest
	return x
}

// encodeIndex writes the index of packs. Entries are those that
// appendIndexEntry made, sorted by digest, and name packs by their places in
// the list.
func encodeIndex(packs []indexedPack, entries []byte) []byte {
	b := binary.BigEndian.AppendUint16(append([]byte(indexMagic), 0), indexVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(len(packs)))
	for _, p := range packs {
		b = append(append(b, byte(len(p.name))), p.name...)
		b = binary.BigEndian.AppendUint64(b, uint64(p.upTo))
	}
	return format.Seal(append(b, entries...))
}

// appendIndexEntry adds the place of a content in the pack with a number.
func appendIndexEntry(b []byte, key sum, pack uint32, p place) []byte {
	b = binary.BigEndian.AppendUint32(append(b, key[:]...), pack)
	b = binary.BigEndian.AppendUint64(b, uint64(p.offset))
	return binary.BigEndian.AppendUint64(b, uint64(p.size))
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
	return len(x.entries) / indexEntry
}

// at is the entry number i.
func (x *packIndex) at(i int) (sum, where) {
	e := x.entries[i*indexEntry:]
	w := where{place: place{int64(binary.BigEndian.Uint64(e[36:])), int64(binary.BigEndian.Uint64(e[44:]))}}
	if n := binary.BigEndian.Uint32(e[32:]); n < uint32(len(x.packs)) {
		w.pack, w.sure = x.packs[n].name, true
	}
	return sum(e), w
}

// find says where a content lies.
func (x *packIndex) find(key sum) (where, bool) {
	n := x.len()
	i := sort.Search(n, func(i int) bool { return bytes.Compare(x.entries[i*indexEntry:][:len(key)], key[:]) >= 0 })
	if i == n {
		return where{}, false
	}
	found, w := x.at(i)
	if found != key || !w.sure || w.offset < int64(packHeader) || w.size < 0 {
		return where{}, false
	}
	return w, true
}
