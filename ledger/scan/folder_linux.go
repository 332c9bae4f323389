//go:build amd64 || arm64 || riscv64

package scan

import (
	"bytes"
	"encoding/binary"
	"syscall"
	"unsafe"

	"github.com/planlock/planlock/ledger"
)

// A rawFolder is the descriptor of an open folder. Each of its calls is one
// system call (listing and reading as many as it takes), and none of them
// allocates, except for what it returns.
//
// Names are looked up in the descriptor, and links are refused by the system
// itself, so there is no moment between looking and opening.
type rawFolder int

const (
	atNoFollow  = 0x100 // AT_SYMLINK_NOFOLLOW
	rawFlags    = syscall.O_RDONLY | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	listingSize = 32 << 10
	longestPath = 4000 // bytes of a path that the system takes at once, and some to spare
)

// openTop opens the folder that is scanned, which may be a link.
func openTop(dir string) (folder, error) {
	for {
		fd, err := syscall.Open(dir, rawFlags|syscall.O_DIRECTORY, 0)
		if err == nil {
			return rawFolder(fd), nil
		}
		if err != syscall.EINTR {
			return nil, err
		}
	}
}

func (f rawFolder) close() { syscall.Close(int(f)) }

func (f rawFolder) status() (status, error) { return statusFD(int(f)) }

// statusFD is the status of an open file.
func statusFD(fd int) (status, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Fstat(fd, &st)
		if err == nil {
			return rawStatus(&st), nil
		}
		if err != syscall.EINTR {
			return status{}, err
		}
	}
}

// rawStatus is what a scan needs of the system's status.
func rawStatus(st *syscall.Stat_t) status {
	return status{
		dev:        uint64(st.Dev),
		ino:        st.Ino,
		size:       st.Size,
		changed:    st.Ctim.Sec,
		modified:   st.Mtim.Sec,
		changedNs:  uint32(st.Ctim.Nsec),
		modifiedNs: uint32(st.Mtim.Nsec),
		mode:       st.Mode,
	}
}

// stat is the status of an entry. A link is not followed.
func (f rawFolder) stat(b *buffers, name string) (status, error) {
	var st syscall.Stat_t
	b.terminate(name)
	for {
		_, _, no := syscall.Syscall6(sysFstatat, uintptr(f), uintptr(unsafe.Pointer(&b.path[0])),
			uintptr(unsafe.Pointer(&st)), atNoFollow, 0, 0)
		if no == 0 {
			return rawStatus(&st), nil
		}
		if no != syscall.EINTR {
			return status{}, no
		}
	}
}

// list reads all names into b, in the order of the disk.
func (f rawFolder) list(b *buffers) error {
	if b.raw == nil {
		b.raw = make([]byte, listingSize)
	}
	for {
		n, err := syscall.Getdents(int(f), b.raw)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		b.addRecords(b.raw[:n])
	}
}

// addRecords adds the names of directory records: the number of the file (8
// bytes) and a position (8), the length of the record (2), the kind (1), and
// the name with a zero at its end.
func (b *buffers) addRecords(raw []byte) {
	const header = 19
	for len(raw) > header {
		size := int(binary.NativeEndian.Uint16(raw[16:]))
		if size <= header || size > len(raw) {
			return
		}
		name, _, _ := bytes.Cut(raw[header:size], []byte{0})
		kind := unclear
		switch raw[18] {
		case syscall.DT_REG:
			kind = ledger.File
		case syscall.DT_DIR:
			kind = ledger.Dir
		case syscall.DT_LNK:
			kind = ledger.Link
		case syscall.DT_FIFO, syscall.DT_SOCK, syscall.DT_CHR, syscall.DT_BLK:
			kind = ledger.Special
		}
		if n := string(name); n != "" && n != "." && n != ".." && bytes.IndexByte(name, '/') < 0 {
			b.add(name, kind)
		}
		raw = raw[size:]
	}
}

// enter opens a folder in this one. It fails on anything else, links among it.
func (f rawFolder) enter(b *buffers, name string) (folder, error) {
	fd, err := f.open(b, name, syscall.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return rawFolder(fd), nil
}

// file opens a file to be read.
func (f rawFolder) file(b *buffers, name string) (openFile, error) {
	fd, err := f.open(b, name, 0)
	if err != nil {
		return nil, err
	}
	return rawFile(fd), nil
}

// open opens what stands at name, if it is no link.
func (f rawFolder) open(b *buffers, name string, flags int) (int, error) {
	b.terminate(name)
	for {
		fd, _, no := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(f), uintptr(unsafe.Pointer(&b.path[0])),
			uintptr(rawFlags|syscall.O_NOFOLLOW|flags), 0, 0, 0)
		if no == 0 {
			return int(fd), nil
		}
		if no != syscall.EINTR {
			return -1, no
		}
	}
}

// reach opens a folder further down, in steps that the system takes.
func (f rawFolder) reach(b *buffers, path string) (folder, error) {
	at := f
	for {
		part := path
		if len(part) > longestPath {
			part = part[:longestPath]
			for part[len(part)-1] != '/' {
				part = part[:len(part)-1]
			}
		}
		next, err := at.step(b, part)
		if at != f {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		if len(part) == len(path) {
			return next, nil
		}
		at, path = next, path[len(part):]
	}
}

// step opens the folder at a path of moderate length, following no link on the
// way.
func (f rawFolder) step(b *buffers, path string) (rawFolder, error) {
	const (
		openat2    = 437
		noMagic    = 0x02 // RESOLVE_NO_MAGICLINKS
		noSymlinks = 0x04 // RESOLVE_NO_SYMLINKS
		beneath    = 0x08 // RESOLVE_BENEATH
	)
	how := [3]uint64{rawFlags | syscall.O_DIRECTORY | syscall.O_NOFOLLOW, 0, noMagic | noSymlinks | beneath}
	b.terminate(path)
	for range 1000 {
		fd, _, no := syscall.Syscall6(openat2, uintptr(f), uintptr(unsafe.Pointer(&b.path[0])),
			uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		switch no {
		case 0:
			return rawFolder(fd), nil
		case syscall.EINTR, syscall.EAGAIN: // EAGAIN: something was moved on the way
			continue
		case syscall.ENOSYS, syscall.EPERM: // an old system, or a filter that does not know the call
			at, err := descend(b, bareFolder{f}, path)
			if err != nil {
				return -1, err
			}
			return at.(rawFolder), nil
		}
		return -1, no
	}
	return -1, ErrChanging
}

// A bareFolder is a rawFolder that goes down from name to name.
type bareFolder struct{ folder }

// target is what a link leads to, as it is written.
func (f rawFolder) target(b *buffers, name string) (string, error) {
	b.terminate(name)
	if b.raw == nil {
		b.raw = make([]byte, listingSize)
	}
	for {
		n, _, no := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(f), uintptr(unsafe.Pointer(&b.path[0])),
			uintptr(unsafe.Pointer(&b.raw[0])), uintptr(len(b.raw)), 0, 0)
		if no == 0 {
			return string(b.raw[:n]), nil
		}
		if no != syscall.EINTR {
			return "", no
		}
	}
}

// A rawFile is the descriptor of a file of a rawFolder.
type rawFile int

func (f rawFile) close() { syscall.Close(int(f)) }

func (f rawFile) status() (status, error) { return statusFD(int(f)) }

// read is 0, and no error, at the end of the file.
func (f rawFile) read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), p)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

// terminate puts a path with a zero at its end into b.path.
func (b *buffers) terminate(path string) { b.path = append(append(b.path[:0], path...), 0) }
