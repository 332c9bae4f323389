package layer

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// marks are the attributes in which an overlay keeps its notes. Commands cannot
// set those of their own overlay: inside of it their names stand for others.
type marks string

const (
	trustedMarks marks = "trusted.overlay."
	userMarks    marks = "user.overlay."
)

// value is a note about an open file or folder.
func (m marks) value(f *os.File, note string) (string, error) {
	text, err := attribute(f, string(m)+note)
	if err != nil {
		return "", &fs.PathError{Op: "read the notes of the overlay about", Path: f.Name(), Err: err}
	}
	return text, nil
}

// list are the notes about an open file or folder. A command that gives an
// attribute the name of a note finds it escaped.
func (m marks) list(f *os.File) (noted notes, err error) {
	text, err := attribute(f, "")
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case err != nil:
		return nil, &fs.PathError{Op: "list the attributes of", Path: f.Name(), Err: err}
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		note, is := strings.CutPrefix(name, string(m))
		if is && !strings.HasPrefix(note, "overlay.") {
			noted = append(noted, note)
		}
	}
	return noted, nil
}

// remove takes a note from an open file.
func (m marks) remove(f *os.File, note string) error {
	key, err := syscall.BytePtrFromString(string(m) + note)
	if err != nil {
		return err
	}
	handle, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = handle.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_FREMOVEXATTR, fd, uintptr(unsafe.Pointer(key)), 0)
	})
	if err == nil && errno != 0 && errno != syscall.ENODATA {
		err = &fs.PathError{Op: "remove the notes of the overlay from", Path: f.Name(), Err: errno}
	}
	return err
}

// attribute is the value of an attribute of an open file; without a name, the
// names of all, each with a zero byte at its end.
func attribute(f *os.File, name string) (string, error) {
	key, err := syscall.BytePtrFromString(name)
	if err != nil {
		return "", err
	}
	handle, err := f.SyscallConn()
	if err != nil {
		return "", err
	}
	var few [256]byte
	for value := few[:]; ; value = make([]byte, 1<<16) { // more than that there cannot be
		var n uintptr
		var errno syscall.Errno
		err := handle.Control(func(fd uintptr) {
			if name == "" {
				n, _, errno = syscall.Syscall(syscall.SYS_FLISTXATTR, fd, uintptr(unsafe.Pointer(&value[0])),
					uintptr(len(value)))
				return
			}
			n, _, errno = syscall.Syscall6(syscall.SYS_FGETXATTR, fd, uintptr(unsafe.Pointer(key)),
				uintptr(unsafe.Pointer(&value[0])), uintptr(len(value)), 0, 0)
		})
		switch {
		case err != nil:
			return "", err
		case errno == syscall.ERANGE && len(value) < 1<<16:
		case errno != 0:
			return "", errno
		default:
			return string(value[:n]), nil
		}
	}
}

// owner is who an entry belongs to.
func owner(info fs.FileInfo) (uid, gid uint32) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Uid, stat.Gid
	}
	return 0, 0
}

// whiteout reports whether an entry stands for one that was removed.
func whiteout(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && stat.Rdev == 0
}

// hide makes an entry in an upper folder that hides what lies below.
func hide(path string) error {
	if err := syscall.Mknod(path, syscall.S_IFCHR, 0); err != nil {
		return &fs.PathError{Op: "hide", Path: path, Err: err}
	}
	return nil
}

// bestow gives a folder the owner of another one, where that can be done.
func bestow(path string, as fs.FileInfo) error {
	stat, ok := as.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, int(stat.Uid), int(stat.Gid))
}
