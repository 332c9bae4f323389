package folder

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/format"
)

// The layout of a store: packs in a folder of their own, and beside it the
// index.
const (
	packFolder = "packs"
	packExt    = ".pack"
)

// A pack is a header and items, one behind the other: contents, each behind its
// own header, and marks, which say that all before them is durable. One process
// appends to a pack, and only while it has it open. The checksum of an item's
// header covers the name of the pack and the place in it too, so that a content
// that looks like items is never taken for them. All numbers are big-endian.
// docs/journal-and-store.md specifies it.
const (
	packMagic   = "planlock/pack\n" // then the version
	packVersion = 1
	packHeader  = len(packMagic) + 2

	// oldPackMagic is that of packs before version 1, whose items are the same.
	// It differs in two places, so that damage to one does not make them alike.
	oldPackMagic = format.OldMagic + "pack\x00"

	itemMagic  = "plit"
	itemHeader = 64

	itemContent = 1
	itemMark    = 2
)

// appendPackHeader adds what every pack begins with.
func appendPackHeader(b []byte) []byte {
	return binary.BigEndian.AppendUint16(append(b, packMagic...), packVersion)
}

// A beginning is what a pack begins with, as far as that makes a difference.
type beginning int

const (
	beginsWell    beginning = iota
	beginsEmpty             // it was just being made, or its header never reached the disk
	beginsDamaged           // which costs nothing but the header
)

// readBeginning reads the header of the pack called name. The error is for a
// pack that cannot be read, or that another planlock wrote
// (checkpoint.ErrVersion). Where a header says so, and an item behind it
// verifies all the same, it is damaged: items of other versions do not verify
// here.
func readBeginning(f io.ReaderAt, name string, size int64) (beginning, error) {
	head := make([]byte, packHeader)
	if n, err := f.ReadAt(head, 0); n < packHeader {
		return beginsEmpty, format.AtEnd(err)
	}
	switch {
	case bytes.Equal(head, appendPackHeader(nil)):
		return beginsWell, nil
	case empty(head):
		return beginsEmpty, nil
	case bytes.HasPrefix(head, []byte(oldPackMagic)):
		return beginsDamaged, format.Old()
	case !bytes.HasPrefix(head, []byte(packMagic)):
		return beginsDamaged, nil
	}
	if item, err := nextItem(f, name, int64(packHeader), size); item >= 0 || err != nil {
		return beginsDamaged, err
	}
	return beginsDamaged, format.Later(uint32(binary.BigEndian.Uint16(head[len(packMagic):])))
}

// A sum is the hash that a digest names.
type sum = format.Sum

// An item is the header of a content or a mark.
type item struct {
	kind   uint32
	size   int64 // of the content; 0 for marks
	digest sum   // of the content; zero for marks
}

//	4  magic
//	4  kind
//	8  place of this header in the pack
//	8  size
//
// 32  digest
//
//	4  zero
//	4  CRC-32C of the name of the pack and the 60 bytes before
func appendItem(b []byte, pack string, offset int64, it item) []byte {
	start := len(b)
	b = append(b, itemMagic...)
	b = binary.BigEndian.AppendUint32(b, it.kind)
	b = binary.BigEndian.AppendUint64(b, uint64(offset))
	b = binary.BigEndian.AppendUint64(b, uint64(it.size))
	b = append(b, it.digest[:]...)
	b = append(b, 0, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, itemSum(pack, b[start:]))
}

// itemSum is the checksum of the header of an item, over the name of its pack
// too: so bytes that were copied from another pack, or from another place, are
// no item.
func itemSum(pack string, head []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(pack), format.Castagnoli()), format.Castagnoli(), head)
}

// parseItem reads the header at offset.
func parseItem(b []byte, pack string, offset int64) (it item, ok bool) {
	if len(b) < itemHeader || string(b[:4]) != itemMagic ||
		binary.BigEndian.Uint64(b[8:]) != uint64(offset) ||
		binary.BigEndian.Uint32(b[60:]) != itemSum(pack, b[:60]) {
		return it, false
	}
	it = item{
		kind:   binary.BigEndian.Uint32(b[4:]),
		size:   int64(binary.BigEndian.Uint64(b[16:])),
		digest: sum(b[24:]),
	}
	switch it.kind {
	case itemContent:
		return it, it.size >= 0
	case itemMark:
		return it, it.size == 0
	}
	return it, false
}

// A place is where a content lies in a pack.
type place struct {
	offset, size int64
}

// where is the place of a content, and its pack.
type where struct {
	pack string
	place
	sure bool // put by this opening, or known to be durable
}

// A packScan is what scanPack found out about a pack.
type packScan struct {
	end    int64 // of its last item
	marked int64 // of its last mark: all before it is durable
}

// scanPack finds the contents of the pack called name from the item at offset
// on, and yields those that are wholly there. Contents behind the last mark may
// be what a crash left, and are not known to be durable: their digests are
// checked, and sure is false. Damage is stepped over: it costs the items it
// hit.
func scanPack(r io.ReaderAt, name string, offset, size int64, yield func(s sum, p place, sure bool)) (packScan, error) {
	scan := packScan{end: offset, marked: offset}
	var unsure []packed
	err := walkPack(r, name, offset, size, func(p packed) error {
		scan.end = p.offset + p.size
		if p.kind != itemMark {
			unsure = append(unsure, p)
			return nil
		}
		for _, u := range unsure {
			yield(u.digest, u.place(), true)
		}
		unsure, scan.marked = unsure[:0], scan.end
		return nil
	}, nil)
	if err != nil {
		return scan, err
	}
	buf := make([]byte, 128<<10)
	for _, u := range unsure {
		good, err := u.intact(r, buf)
		if err != nil {
			return scan, err
		}
		if good {
			yield(u.digest, u.place(), false)
		}
	}
	return scan, nil
}

// A packed is an item in its place.
type packed struct {
	item
	offset int64 // of the content
}

// place is where the content lies.
func (p packed) place() place { return place{p.offset, p.size} }

// intact reports whether the content that lies in r has its digest.
func (p packed) intact(r io.ReaderAt, buf []byte) (bool, error) {
	h := sha256.New()
	_, err := io.CopyBuffer(h, onlyReader{io.NewSectionReader(r, p.offset, p.size)}, buf)
	return sum(h.Sum(nil)) == p.digest, err
}

// walkPack yields the items of a pack from the one at offset on, and to
// damaged, if it is not nil, the ranges between them that are none. An error of
// yield ends it.
func walkPack(r io.ReaderAt, name string, offset, size int64, yield func(packed) error,
	damaged func(from, to int64) error) error {
	const near = 32 << 10
	in := bufio.NewReaderSize(io.NewSectionReader(r, offset, size-offset), 2*near)
	for offset+itemHeader <= size {
		head, err := in.Peek(itemHeader)
		if err != nil {
			return err
		}
		it, ok := parseItem(head, name, offset)
		next := offset + itemHeader + it.size
		if !ok || it.size > size-offset-itemHeader {
			if next, err = nextItem(r, name, offset+1, size); err != nil {
				return err
			}
			if next < 0 {
				break
			}
			ok = false
		}
		if ok {
			err = yield(packed{it, offset + itemHeader})
		} else if damaged != nil {
			err = damaged(offset, next)
		}
		if err != nil {
			return err
		}
		if next-offset <= near {
			_, err = in.Discard(int(next - offset))
		} else {
			in.Reset(io.NewSectionReader(r, next, size-next))
		}
		if err != nil {
			return err
		}
		offset = next
	}
	if offset < size && damaged != nil {
		return damaged(offset, size)
	}
	return nil
}

// onlyReader hides what else a reader can do, so that a given buffer is used.
type onlyReader struct{ io.Reader }

// nextItem finds the next header at or behind from; -1 if there is none.
func nextItem(r io.ReaderAt, name string, from, size int64) (int64, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(r, from, size-from), 256<<10)
	for {
		window, err := in.Peek(in.Size())
		if err != nil && err != io.EOF {
			return -1, err
		}
		if len(window) < itemHeader {
			return -1, nil
		}
		skip := len(window) - itemHeader + 1
		for i := 0; i < skip; i++ {
			j := bytes.Index(window[i:], []byte(itemMagic))
			if j < 0 {
				break
			}
			i += j
			if _, ok := parseItem(window[i:], name, from+int64(i)); ok {
				return from + int64(i), nil
			}
		}
		if _, err := in.Discard(skip); err != nil {
			return -1, err
		}
		from += int64(skip)
	}
}

// empty reports whether there are only zeros in b, as where nothing was ever
// written.
func empty(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
