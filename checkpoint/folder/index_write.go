package folder

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/format"
)

// appendIndexHead adds what every index begins with.
func appendIndexHead(b []byte) []byte {
	return binary.BigEndian.AppendUint16(append(append(b, indexMagic...), 0), indexVersion)
}

// An indexWriter writes an index, of which there is never more than a block in
// memory.
type indexWriter struct {
	out     *bufio.Writer
	numbers map[string]int // of the packs
	packs   []indexedPack
	block   []byte
	table   []byte
	entries uint64
}

// writeIndexOf begins an index of packs.
func writeIndexOf(to io.Writer, packs []indexedPack) *indexWriter {
	w := &indexWriter{out: bufio.NewWriterSize(to, 64<<10), numbers: map[string]int{}, packs: packs}
	var list []byte
	for i, p := range packs {
		w.numbers[p.name] = i
		list = append(append(list, byte(len(p.name))), p.name...)
		list = binary.BigEndian.AppendUint64(list, uint64(p.upTo))
	}
	b := binary.BigEndian.AppendUint64(appendIndexHead(nil), uint64(len(list)+4)) // with the checksum
	w.write(format.Seal(append(b, list...)))
	return w
}

// write writes, and keeps the first error for the end.
func (w *indexWriter) write(b []byte) { _, _ = w.out.Write(b) }

// covers reports whether a place lies in what is indexed of its pack.
func (w *indexWriter) covers(at where) bool {
	n, ok := w.numbers[at.pack]
	return ok && at.offset+at.size <= w.packs[n].upTo
}

// add adds the place of a content, if it is covered. It is called in the order of
// the digests.
func (w *indexWriter) add(key sum, at where) {
	if !w.covers(at) {
		return
	}
	if len(w.block) == 0 {
		w.table = append(w.table, key[:8]...)
	}
	w.block = binary.BigEndian.AppendUint32(append(w.block, key[:]...), uint32(w.numbers[at.pack]))
	w.block = binary.BigEndian.AppendUint64(w.block, uint64(at.offset))
	w.block = binary.BigEndian.AppendUint64(w.block, uint64(at.size))
	if w.entries++; w.entries%indexBlock == 0 {
		w.flush()
	}
}

func (w *indexWriter) flush() {
	if len(w.block) > 0 {
		w.write(format.Seal(w.block))
		w.block = w.block[:0]
	}
}

// end writes what is at the end, and returns the first error.
func (w *indexWriter) end() error {
	w.flush()
	w.write(format.Seal(binary.BigEndian.AppendUint64(w.table, w.entries)))
	return w.out.Flush()
}
