// Package content brings contents from one file to another: checked against
// their digests on the way, without writing their holes, and where the file
// system can do that without copying them at all.
package content

import (
	"io"

	"github.com/planlock/planlock/internal/disk"
)

// Block is what places of shared blocks are multiples of. Where the file system
// can share blocks between files (reflinks), large contents are not copied: the
// new file refers to the same blocks until one of the two is written.
const Block = 4 << 10

// A File is the content of a file, from its beginning. Reading it checks it.
type File struct {
	io.Reader
	f     *disk.File
	size  int64
	wrong error
}

// OfFile is the content of f, which in reads and checks.
func OfFile(f *disk.File, in *Checked) *File { return &File{in, f, in.left, in.wrong} }

// Size is how many bytes the content must have.
func (f *File) Size() int64 { return f.size }

// Wrong is the error for a file that does not hold the content.
func (f *File) Wrong() error { return f.wrong }

// ShareWith makes to hold the content at a place which is a multiple of Block,
// without copying it. Nothing of it is checked then, and somebody may write the
// file meanwhile. An error means that it has to be copied.
func (f *File) ShareWith(to *disk.File, at int64) error {
	return shareRange(to.OS(), at, f.f.OS(), 0, 0)
}

// A Section is a content that lies in a larger file.
type Section struct {
	*io.SectionReader
	File    *disk.File   // nil: unknown
	Release func() error // nil: nothing to do
}

// Close says that the content is not read any more.
func (s Section) Close() error {
	if s.Release == nil {
		return nil
	}
	return s.Release()
}

// ShareOut makes the new file f hold the content of size bytes that c checks,
// as far as that can be done without copying, and returns how much that is.
func ShareOut(f *disk.File, c *Checked, size int64) int64 {
	s, ok := c.r.(Section)
	if !ok || s.File == nil {
		return 0
	}
	_, offset, _ := s.Outer()
	whole := size / Block * Block
	if whole == 0 || offset%Block != 0 || shareRange(f.OS(), 0, s.File.OS(), offset, whole) != nil {
		return 0
	}
	return whole
}
