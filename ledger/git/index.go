package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"

	"github.com/planlock/planlock/ledger"
)

// index records what is staged: of every entry its path, mode, object, stage
// and the flags that say how it is treated. The times and numbers that git
// keeps beside them only spare it work, and change with a mere look at the
// state.
func (g *reader) index() error {
	content, err := readBounded(filepath.Join(g.dir, "index"), maxFile)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return failure("index", err)
	}
	g.state["index"] = indexDigest(content)
	return nil
}

// indexDigest is the digest of an index's meaning, or, of one that cannot be
// read so, of its bytes.
func indexDigest(content []byte) ledger.Digest {
	// A repository does not say here which of the two hashes it has; entries of
	// the wrong length do not parse.
	for _, hash := range []int{20, 32} { // sha1 and sha256 repositories
		meaning := sha256.New()
		if err := parseIndex(content, hash, meaning); err == nil {
			return ledger.DigestOf([sha256.Size]byte(meaning.Sum(nil)))
		}
	}
	return ledger.Sum(append([]byte("raw\n"), content...))
}

// errIndex says that an index is not of a form that is known. Its bytes are
// digested then, so that every change is still seen.
var errIndex = errors.New("git: not an index that can be read")

// Parts of an index file, in bytes.
const (
	indexHeader = 12 // "DIRC", version, number of entries
	indexStat   = 40 // what stat(2) said: times, numbers, mode at modeAt, owner, size
	modeAt      = 24
	maxGrowth   = 16 // by how much all paths together may be longer than the file
)

// parseIndex writes the meaning of an index of version 2, 3 or 4 whose hashes
// have the given length.
func parseIndex(content []byte, hash int, meaning io.Writer) error {
	if len(content) < indexHeader+hash || string(content[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(content[4:]), binary.BigEndian.Uint32(content[8:])
	if version < 2 || version > 4 || int64(count)*int64(indexStat+hash+3) > int64(len(content)) {
		return errIndex
	}
	body := content[:len(content)-hash]
	rest := body[indexHeader:]
	var path, buf []byte
	paths := 0
	for range count {
		e, after, err := nextIndexEntry(rest, hash, version, path)
		if err != nil {
			return err
		}
		// Compressed paths can stand for far more than they take; honest ones
		// do not.
		if paths += len(e.path); paths > maxGrowth*len(content) {
			return errIndex
		}
		path, rest = e.path, after
		buf = e.append(buf[:0])
		meaning.Write(buf)
	}
	return checkExtensions(rest)
}

// An indexEntry is what counts of an entry of an index.
type indexEntry struct {
	mode     uint32
	object   []byte
	flags    uint16 // assume valid, stage
	extended uint16 // skip the work tree, intent to add
	path     []byte
}

// append encodes an entry, so that no two have the same encoding.
func (e indexEntry) append(buf []byte) []byte {
	buf = appendText(buf, string(e.path))
	buf = binary.BigEndian.AppendUint32(buf, e.mode)
	buf = appendText(buf, string(e.object))
	buf = binary.BigEndian.AppendUint16(buf, e.flags)
	return binary.BigEndian.AppendUint16(buf, e.extended)
}

// Bits of an entry. The others are lengths, or say only what git saves itself.
const (
	flagExtended = 0x4000
	flagsOfUse   = 0xb000 // assume valid, stage
	extendedUse  = 0x6000 // skip the work tree, intent to add
)

// nextIndexEntry reads the first entry of data. before is the path of the last
// one, which version 4 shortens paths by.
func nextIndexEntry(data []byte, hash int, version uint32, before []byte) (e indexEntry, rest []byte, err error) {
	head := indexStat + hash + 2
	if len(data) < head+1 {
		return e, nil, errIndex
	}
	e.mode = binary.BigEndian.Uint32(data[modeAt:])
	e.object = data[indexStat : indexStat+hash]
	flags := binary.BigEndian.Uint16(data[indexStat+hash:])
	e.flags = flags & flagsOfUse
	if flags&flagExtended != 0 {
		if version < 3 || len(data) < head+2 {
			return e, nil, errIndex
		}
		e.extended = binary.BigEndian.Uint16(data[head:]) & extendedUse
		head += 2
	}
	if version == 4 {
		e.path, rest, err = compressedPath(data[head:], before)
		return e, rest, err
	}
	end := bytes.IndexByte(data[head:], 0)
	if end < 0 {
		return e, nil, errIndex
	}
	e.path = data[head : head+end]
	size := (head + end + 8) &^ 7 // at least one zero byte, up to a multiple of eight
	if size > len(data) {
		return e, nil, errIndex
	}
	return e, data[size:], nil
}

// compressedPath reads a path of version 4: how many bytes to drop from the end
// of the one before, and what comes instead.
func compressedPath(data, before []byte) (path, rest []byte, err error) {
	drop, n := offsetVarint(data)
	if n <= 0 || drop > uint64(len(before)) {
		return nil, nil, errIndex
	}
	data = data[n:]
	end := bytes.IndexByte(data, 0)
	if end < 0 || end > maxPointer {
		return nil, nil, errIndex
	}
	kept := before[:len(before)-int(drop)]
	path = append(append(make([]byte, 0, len(kept)+end), kept...), data[:end]...)
	if len(path) > maxPointer {
		return nil, nil, errIndex
	}
	return path, data[end+1:], nil
}

// offsetVarint reads a number as git writes it there: seven bits to a byte, the
// most significant first, each further byte counting from one.
func offsetVarint(data []byte) (value uint64, n int) {
	for n < len(data) && n < 9 {
		b := data[n]
		n++
		value = value<<7 | uint64(b&0x7f)
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, -1
}

// checkExtensions goes over what follows the entries. Extensions that a reader
// may not pass over (their names begin with a small letter) change what the
// entries mean. Only that of a sparse index does not: its entries say all there
// is.
func checkExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errIndex
		}
		name, size := string(data[:4]), int64(binary.BigEndian.Uint32(data[4:]))
		if (name[0] < 'A' || name[0] > 'Z') && name != "sdir" || size > int64(len(data)-8) {
			return errIndex
		}
		data = data[8+size:]
	}
	return nil
}
