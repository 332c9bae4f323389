package layer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Where lseek(2) goes: to what a file has on the disk, and to what it has not.
const (
	seekData = 3
	seekHole = 4
)

// hasHoles reports whether a file takes less room than it is long.
func hasHoles(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Blocks*512 < info.Size()
}

// copyWithHoles copies a file of a size that has holes, which take no room in
// the copy either.
func copyWithHoles(out, in *os.File, size int64) error {
	for at := int64(0); at < size; {
		begin, err := in.Seek(at, seekData)
		if errors.Is(err, syscall.ENXIO) {
			break // nothing but a hole is left
		}
		if err != nil { // the file system knows no holes
			begin = at
		}
		end, err := in.Seek(begin, seekHole)
		if err != nil {
			end = size
		}
		if _, err := in.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := out.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, end-begin); err != nil && !errors.Is(err, io.EOF) { // it became shorter
			return err
		}
		at = end
	}
	return out.Truncate(size)
}
