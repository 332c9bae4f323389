// Package format is what the file formats of logs, packs, indexes and manifests
// share. docs/journal-and-store.md specifies them.
package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// OldMagic is how files of all formats before version 1 begin.
const OldMagic = "planlock."

// ErrVersion is checkpoint.ErrVersion.
var ErrVersion = errors.New("checkpoint: the version of the format is not read here")

// Old is ErrVersion of a file from before version 1.
func Old() error {
	return fmt.Errorf("%w: an unreleased planlock wrote it, move .planlock away and begin anew", ErrVersion)
}

// Later is ErrVersion of a file that says a version which is not known yet.
func Later(version uint32) error {
	return fmt.Errorf("%w: it is %d, a later planlock wrote it", ErrVersion, version)
}

// MaxBatch is the size in bytes that the records of one batch may have
// together, four bytes for each of them included. A single fact may have half
// of that.
const MaxBatch = 64 << 20

// A Sum is the hash that a digest names.
type Sum = [sha256.Size]byte

// Castagnoli is the table of CRC-32C, which is made the first time that it is
// asked for.
func Castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Seal adds the checksum of b to it.
func Seal(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, Castagnoli()))
}

// Sealed returns what Seal got, or false where b is no such thing.
func Sealed(b []byte) ([]byte, bool) {
	n := len(b) - crc32.Size
	if n < 0 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], Castagnoli()) {
		return nil, false
	}
	return b[:n], true
}

// ReadUpTo reads n bytes into buf, growing it only as bytes arrive, since n may
// be a number out of a damaged file. Where there are fewer, the error is that
// of io.ReadFull.
func ReadUpTo(in io.Reader, buf []byte, n int64) ([]byte, error) {
	if int64(cap(buf)) >= n {
		_, err := io.ReadFull(in, buf[:n])
		return buf[:n], err
	}
	b := bytes.NewBuffer(make([]byte, 0, min(n, 1<<20)))
	if _, err := io.CopyN(b, in, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// AtEnd turns the end of input, which is judged by its place, into no error.
func AtEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
