package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
)

// treeEncoding names the version of the encoding that tree digests are taken
// over. The digest of a tree is the digest of its root folder; that of a folder
// is the sha256 of
//
//	"planlock.tree/1" LF, then for every entry directly in the folder,
//	sorted by the bytes of its name:
//
//	  kind    one byte: 'f' file, 'l' link, 'd' folder, 's' special
//	  name    length as unsigned varint, then the bytes
//	  mode    four bytes, most significant first: the twelve bits of chmod(2); 0 for links
//	  and for a file    its size (eight bytes, most significant first), then its digest as text,
//	                    with its length as name has
//	      for a link    its target, with its length as name has
//	      for a folder  the 32 bytes of that folder's own hash
//
// Every field has a fixed length or says its length, so that no two folders
// have the same encoding. Another version would start with another first line.
const treeEncoding = "planlock.tree/1"

const hashSize = sha256.Size

// appendRow encodes all of an entry but the hash of a folder.
func appendRow(buf []byte, r *Row, name, target string) []byte {
	kind := r.Kind()
	buf = append(buf, kind[0])
	buf = appendText(buf, name)
	buf = binary.BigEndian.AppendUint32(buf, uint32(r.Bits&^RowKind))
	switch kind {
	case File:
		buf = binary.BigEndian.AppendUint64(buf, uint64(r.Size))
		buf = binary.AppendUvarint(buf, uint64(len(scheme)+2*len(r.Sum)))
		buf = hex.AppendEncode(append(buf, scheme...), r.Sum[:])
	case Link:
		buf = appendText(buf, target)
	}
	return buf
}

func appendText(buf []byte, text string) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(text)))
	return append(buf, text...)
}

// UnixMode is a mode as chmod(2) has it: twelve bits.
func UnixMode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= 0o4000
	}
	if m&fs.ModeSetgid != 0 {
		bits |= 0o2000
	}
	if m&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return bits
}

// FileMode is the reverse of [UnixMode]. Other bits than the twelve are left
// out.
func FileMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits) & fs.ModePerm
	if bits&0o4000 != 0 {
		m |= fs.ModeSetuid
	}
	if bits&0o2000 != 0 {
		m |= fs.ModeSetgid
	}
	if bits&0o1000 != 0 {
		m |= fs.ModeSticky
	}
	return m
}
