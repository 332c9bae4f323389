package filelog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
)

// The file of a log is a header and frames, one frame for every batch. All
// numbers are big-endian. docs/journal-and-store.md specifies it.
const (
	logMagic   = "planlock/log" // then the version
	logVersion = 1
	logHeader  = len(logMagic) + 4

	frameMagic   = "plfr"
	frameHeader  = 28
	frameTrailer = "\xff\xff\xff\xff"
	frameLoose   = 1 << 31 // in the number of records: it was not synced by itself
	frameBehind  = 1 << 30 // the frame before it was not synced when this one was written
	sector       = 512     // the smallest piece that a disk writes or does not write
)

// appendFrame adds the frame of batch, to be written at offset, to b. Marks are
// frameLoose and frameBehind.
func appendFrame(b []byte, offset int64, marks uint32, batch [][]byte) ([]byte, error) {
	total := 0
	for _, r := range batch {
		if len(r) > format.MaxBatch || total > format.MaxBatch {
			break
		}
		total += 4 + len(r)
	}
	if total > format.MaxBatch || len(batch) > format.MaxBatch/4 {
		return b, fmt.Errorf("%w: a batch of more than %d bytes, split it or keep large contents as blobs",
			record.ErrTooLarge, format.MaxBatch)
	}
	start := len(b)
	b = slices.Grow(b, frameHeader+total+len(frameTrailer))
	b = append(b, frameMagic...)
	b = binary.BigEndian.AppendUint32(b, uint32(total))
	b = binary.BigEndian.AppendUint32(b, uint32(len(batch))|marks)
	b = binary.BigEndian.AppendUint64(b, uint64(offset))
	b = append(b, make([]byte, 8)...) // the checksums
	for _, r := range batch {
		b = binary.BigEndian.AppendUint32(b, uint32(len(r)))
		b = append(b, r...)
	}
	head := b[start:]
	binary.BigEndian.PutUint32(head[20:], crc32.Checksum(head[frameHeader:], format.Castagnoli()))
	binary.BigEndian.PutUint32(head[24:], crc32.Checksum(head[:24], format.Castagnoli()))
	return append(b, frameTrailer...), nil
}

// A frameHead is the checked header of a frame.
type frameHead struct {
	payload int64
	records uint32
	marks   uint32
	sum     uint32
}

// size is the length of the whole frame.
func (h frameHead) size() int64 { return frameHeader + h.payload + int64(len(frameTrailer)) }

// parseFrameHead reads the header of the frame at offset.
func parseFrameHead(b []byte, offset int64) (h frameHead, ok bool) {
	if len(b) < frameHeader || string(b[:4]) != frameMagic ||
		binary.BigEndian.Uint64(b[12:]) != uint64(offset) ||
		binary.BigEndian.Uint32(b[24:]) != crc32.Checksum(b[:24], format.Castagnoli()) {
		return h, false
	}
	const marks = frameLoose | frameBehind
	count := binary.BigEndian.Uint32(b[8:])
	h = frameHead{
		payload: int64(binary.BigEndian.Uint32(b[4:])),
		records: count &^ marks,
		marks:   count & marks,
		sum:     binary.BigEndian.Uint32(b[20:]),
	}
	return h, h.payload <= format.MaxBatch
}

// nextRecord splits the first record off a payload.
func nextRecord(payload []byte) (record, rest []byte, ok bool) {
	if len(payload) < 4 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(payload)
	if uint64(n) > uint64(len(payload)-4) {
		return nil, nil, false
	}
	return payload[4 : 4+n : 4+n], payload[4+n:], true
}

// splits reports whether payload holds exactly n records.
func splits(payload []byte, n uint32) bool {
	for ; n > 0; n-- {
		var ok bool
		if _, payload, ok = nextRecord(payload); !ok {
			return false
		}
	}
	return len(payload) == 0
}

// trimZeros returns the offset behind the last byte of r that is not zero.
func trimZeros(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for size > 0 {
		n := min(size, int64(len(buf)))
		if _, err := r.ReadAt(buf[:n], size-n); err != nil && err != io.EOF {
			return 0, err
		}
		if rest := bytes.TrimRight(buf[:n], "\x00"); len(rest) > 0 {
			return size - n + int64(len(rest)), nil
		}
		size -= n
	}
	return 0, nil
}

// torn reports whether what begins at offset, and does not verify, is explained
// by batches that were never synced: by the end of the file, or by sectors that
// were not written and are zero. end is the end of what is not zero.
func torn(r io.ReaderAt, offset, end int64) (bool, error) {
	if end-offset < frameHeader {
		return true, nil
	}
	head := make([]byte, frameHeader)
	if _, err := r.ReadAt(head, offset); err != nil {
		return false, err
	}
	h, ok := parseFrameHead(head, offset)
	if ok && offset+h.size() > end {
		return true, nil // the tail of it is not there
	}
	if ok && offset+h.size() < end && h.marks&frameLoose == 0 {
		return false, nil // something follows, so it was once complete
	}
	zero, err := zeroSector(r, offset, end)
	if err != nil || !zero {
		return false, err
	}
	firm, err := firmFollows(r, offset+1, end)
	return !firm, err
}

// zeroSector reports whether a sector between from and to was never written.
func zeroSector(r io.ReaderAt, from, to int64) (bool, error) {
	var buf, zeros [sector]byte
	for from < to {
		next := min(to, from-from%sector+sector)
		piece := buf[:next-from]
		if _, err := r.ReadAt(piece, from); err != nil {
			return false, err
		}
		if bytes.Equal(piece, zeros[:len(piece)]) {
			return true, nil
		}
		from = next
	}
	return false, nil
}

// firmFollows reports whether a frame begins anywhere between from and to whose
// header verifies and does not say that what is before it was not synced.
func firmFollows(r io.ReaderAt, from, to int64) (bool, error) {
	buf := make([]byte, 64<<10)
	for to-from >= frameHeader {
		n := min(to-from, int64(len(buf)))
		if _, err := r.ReadAt(buf[:n], from); err != nil {
			return false, err
		}
		for i := 0; i+frameHeader <= int(n); i++ {
			j := bytes.Index(buf[i:n], []byte(frameMagic))
			if j < 0 {
				break
			}
			i += j
			if h, ok := parseFrameHead(buf[i:n], from+int64(i)); ok && h.marks&frameBehind == 0 {
				return true, nil
			}
		}
		from += n - frameHeader + 1
	}
	return false, nil
}
