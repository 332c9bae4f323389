package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"strings"
)

// TreeEncoding names the version of the encoding that tree digests are taken
// over. The digest of a tree is the digest of its root folder; that of a folder
// is the sha256 of
//
//	"planlock.tree/1" LF, then for every entry directly in the folder,
//	sorted by the bytes of its name:
//
//	  kind    one byte: 'f' file, 'l' link, 'd' folder, 's' special
//	  name    length as unsigned varint, then the bytes
//	  mode    four bytes, most significant first: the twelve bits of chmod(2); 0 for links
//	  and for a file    its size (eight bytes, most significant first), then its digest as text, with its length as name has
//	      for a link    its target, with its length as name has
//	      for a folder  the 32 bytes of that folder's own hash
//
// Every field has a fixed length or says its length, so that no two folders
// have the same encoding. Another version would start with another first line.
const TreeEncoding = "planlock.tree/1"

const hashSize = sha256.Size

// A Sealer makes folders from the innermost out. The zero value is ready; it is
// not safe for concurrent use.
type Sealer struct {
	buf     []byte
	folders []Folder // room for folders that are still to come
}

// NewSealer returns a Sealer that makes so many folders with one allocation.
func NewSealer(folders int) *Sealer { return &Sealer{folders: make([]Folder, folders)} }

// Folder makes the folder at path, which is "" for the root. Its entries are
// sorted by the bytes of their names, and subs are those of them that are
// folders, in the same order. The caller vouches for both, and gives them away:
// they must not change any more.
func (s *Sealer) Folder(path string, entries []Entry, subs []*Folder) *Folder {
	if len(s.folders) == 0 {
		s.folders = make([]Folder, 1)
	}
	f := &s.folders[0]
	s.folders = s.folders[1:]
	f.entries, f.subs = entries, subs
	if path != "" {
		f.cut = len(path) + 1
	}
	if len(subs) > 0 {
		f.dirs = make([]int32, 0, len(subs))
		for i := range entries {
			if entries[i].Kind == Dir {
				f.dirs = append(f.dirs, int32(i))
			}
		}
	}
	s.buf = f.seal(s.buf)
	return f
}

// seal hashes and counts a folder whose own folders are sealed. It returns buf
// for the next one.
func (f *Folder) seal(buf []byte) []byte {
	buf = append(buf[:0], TreeEncoding...)
	buf = append(buf, '\n')
	subs := f.subs
	f.count = len(f.entries)
	for i := range f.entries {
		e := &f.entries[i]
		buf = appendEntry(buf, e, f.Name(i))
		if e.Kind == Dir {
			buf = append(buf, subs[0].hash[:]...)
			f.count += subs[0].count
			subs = subs[1:]
		}
	}
	f.hash = sha256.Sum256(buf)
	return buf
}

// appendEntry encodes all of an entry but the hash of a folder.
func appendEntry(buf []byte, e *Entry, name string) []byte {
	buf = append(buf, e.Kind[0])
	buf = appendText(buf, name)
	buf = binary.BigEndian.AppendUint32(buf, UnixMode(e.Mode))
	switch e.Kind {
	case File:
		buf = binary.BigEndian.AppendUint64(buf, uint64(e.Size))
		buf = appendText(buf, string(e.Digest))
	case Link:
		buf = appendText(buf, e.Target)
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

// An ancestry finds the folder of each entry in one pass over sorted entries.
//
// It holds the folders whose contents may still come. In byte order these close
// in the reverse order of their opening: of "a" and "a-b", both open, what is
// below "a-b" comes before what is below "a".
type ancestry []int

func (s *ancestry) push(i int) { *s = append(*s, i) }

// parent is the innermost open folder that holds path, or -1.
func (s *ancestry) parent(entries []Entry, path string) int {
	for len(*s) > 0 {
		top := (*s)[len(*s)-1]
		switch dir := entries[top].Path; {
		case strings.HasPrefix(path, dir) && len(path) > len(dir) && path[len(dir)] == '/':
			return top
		case !passed(dir, path):
			return s.below(entries, path)
		}
		*s = (*s)[:len(*s)-1]
	}
	return -1
}

// below looks under the top for the folder of a path that the top, still open,
// does not hold.
func (s *ancestry) below(entries []Entry, path string) int {
	dir, _ := splitPath(path)
	for i := len(*s) - 2; i >= 0; i-- {
		if entries[(*s)[i]].Path == dir {
			return (*s)[i]
		}
	}
	return -1
}

// passed reports whether path sorts after everything below dir.
func passed(dir, path string) bool {
	if !strings.HasPrefix(path, dir) {
		return path > dir
	}
	return len(path) > len(dir) && path[len(dir)] > '/'
}
