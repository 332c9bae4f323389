package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/oklog/ulid/v2"

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

func (d *Folder) indexPath() string { return filepath.Join(filepath.Dir(d.dir), indexName) }

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
	n := len(b) - 4
	if n < indexHeader+4 || crc32.Checksum(b[:n], format.Castagnoli()) != binary.BigEndian.Uint32(b[n:]) ||
		!bytes.Equal(b[:indexHeader], binary.BigEndian.AppendUint16(append([]byte(indexMagic), 0), indexVersion)) {
		return nil
	}
	x, rest := &packIndex{}, b[indexHeader:n]
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

func encodeIndex(packs []indexedPack, entries []byte) []byte {
	b := binary.BigEndian.AppendUint16(append([]byte(indexMagic), 0), indexVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(len(packs)))
	for _, p := range packs {
		b = append(append(b, byte(len(p.name))), p.name...)
		b = binary.BigEndian.AppendUint64(b, uint64(p.upTo))
	}
	return format.Seal(append(b, entries...))
}

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

// indexIsOld reports whether so much is not in the stored index that it is
// worth to write it anew: a share of it, so that this costs little in the long
// run.
func (d *Folder) indexIsOld() bool {
	const contents, packs = 512, 16
	covered := 0
	if d.stored != nil {
		covered = len(d.stored.packs)
	}
	return len(d.index)-d.indexed > contents+(d.stored.len()+d.indexed)/4 || len(d.packs)-covered > packs+covered/4
}

// writeIndex stores where everything lies that is known to be durable.
func (d *Folder) writeIndex() error {
	scans := maps.Clone(d.packs)
	if d.own != nil {
		scans[d.own.name] = packScan{d.own.marked, d.own.marked}
	}
	var packs []indexedPack
	numbers := map[string]uint32{}
	for _, name := range slices.Sorted(maps.Keys(scans)) {
		if upTo := scans[name].marked; upTo >= int64(packHeader) && len(name) <= maxPackName {
			numbers[name] = uint32(len(packs))
			packs = append(packs, indexedPack{name, upTo})
		}
	}
	all := d.allSure()
	entries := make([]byte, 0, len(all)*indexEntry)
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b sum) int { return bytes.Compare(a[:], b[:]) }) {
		w := all[key]
		if n, ok := numbers[w.pack]; ok && w.offset+w.size <= packs[n].upTo {
			entries = appendIndexEntry(entries, key, n, w.place)
		}
	}
	temp := filepath.Join(filepath.Dir(d.dir), ".new-"+ulid.Make().String())
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(encodeIndex(packs, entries), 0)
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(temp, d.indexPath())
	}
	if err != nil {
		return errors.Join(err, file.RemoveIfThere(d.root, temp))
	}
	return nil
}

// allSure is where everything lies that is known to be durable.
func (d *Folder) allSure() map[sum]where {
	all := make(map[sum]where, d.stored.len()+len(d.index))
	for i := range d.stored.len() {
		key, w := d.stored.at(i)
		all[key] = w
	}
	for key, w := range d.index {
		if w.sure {
			all[key] = w
		}
	}
	return all
}
