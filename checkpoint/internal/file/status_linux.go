//go:build linux && (amd64 || arm64)

package file

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// A glimpse is which file it is, and how long. Its times are not asked for.
// Whoever asks Linux for them makes the next write of the file set them to the
// nanosecond, and on some file systems the sync behind it then writes them to
// the disk, in a write of their own; else they move a few hundred times a
// second at most.
type glimpse struct {
	device, inode uint64
	size          int64
}

func (g glimpse) same(other glimpse) bool { return g.device == other.device && g.inode == other.inode }

// glimpseOf looks at an open file.
func glimpseOf(f *os.File) (glimpse, error) {
	g, err := statx(f.Fd(), &none[0], emptyPath)
	runtime.KeepAlive(f)
	if err != nil {
		err = &os.PathError{Op: "statx", Path: f.Name(), Err: err}
	}
	return g, err
}

// glimpseAt looks at what stands at path, an absolute one, behind links.
func glimpseAt(path string) (glimpse, error) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return glimpse{}, &os.PathError{Op: "statx", Path: path, Err: err}
	}
	g, err := statx(0, name, 0)
	if err != nil {
		err = &os.PathError{Op: "statx", Path: path, Err: err}
	}
	return g, err
}

var none = [1]byte{} // the empty path

const (
	emptyPath = 0x1000        // AT_EMPTY_PATH: the open file itself
	wanted    = 0x100 | 0x200 // STATX_INO, STATX_SIZE
)

// statx asks for a glimpse of a file, and for nothing that a file system would
// have to fetch for it.
func statx(fd uintptr, name *byte, flags uintptr) (glimpse, error) {
	var st struct { // statx of linux/stat.h
		mask         uint32
		_            [28]byte
		inode, size  uint64
		_            [88]byte
		major, minor uint32
		_            [112]byte
	}
	no := syscall.EINTR
	for no == syscall.EINTR {
		_, _, no = syscall.Syscall6(sysStatx, fd, uintptr(unsafe.Pointer(name)), flags, wanted,
			uintptr(unsafe.Pointer(&st)), 0)
	}
	if no != 0 || st.mask&wanted != wanted {
		// an old kernel, a filter that does not know the call, or a file system
		// that does not say; else it fails too
		return stat(fd, name, flags)
	}
	major, minor := uint64(st.major), uint64(st.minor)
	device := minor&0xff | major&0xfff<<8 | minor&^0xff<<12 | major&^0xfff<<32 // as stat has it
	return glimpse{device, st.inode, int64(st.size)}, nil
}

// stat is statx where that does not work.
func stat(fd uintptr, name *byte, flags uintptr) (glimpse, error) {
	var st syscall.Stat_t
	no := syscall.EINTR
	for no == syscall.EINTR {
		_, _, no = syscall.Syscall6(sysFstatat, fd, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&st)),
			flags, 0, 0)
	}
	if no != 0 {
		return glimpse{}, no
	}
	return glimpse{st.Dev, st.Ino, st.Size}, nil
}
