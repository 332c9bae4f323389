package delivery

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// unawaited opens a pipe without waiting for its other end.
const unawaited = syscall.O_NONBLOCK

// owner is who owns a file, where the system tells.
func owner(info fs.FileInfo) (uid, gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// readAttributes reads those that are the file's own: not what an overlay keeps
// there of itself.
func readAttributes(f *os.File, into map[string][]byte) error {
	names, err := attribute(syscall.SYS_FLISTXATTR, f, "")
	if errors.Is(err, syscall.ENOTSUP) || err == nil && len(names) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		if strings.HasPrefix(name, "trusted.overlay.") || strings.HasPrefix(name, "user.overlay.") {
			continue
		}
		switch value, err := attribute(syscall.SYS_FGETXATTR, f, name); {
		case err == nil:
			into[name] = value
		case errors.Is(err, syscall.ENODATA), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EPERM):
		default:
			return err
		}
	}
	return nil
}

// attribute reads what has to be asked for its size first.
func attribute(number uintptr, f *os.File, name string) ([]byte, error) {
	n, err := attributeCall(number, f, name, nil)
	if err != nil || n == 0 {
		return nil, err
	}
	value := make([]byte, n)
	n, err = attributeCall(number, f, name, value)
	return value[:max(n, 0)], err
}

// writeAttributes writes those that this user may write; all of them, if they
// must be.
func writeAttributes(f *os.File, all map[string][]byte, must bool) error {
	for name, value := range all {
		_, err := attributeCall(syscall.SYS_FSETXATTR, f, name, value)
		refused := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOTSUP)
		if err != nil && (must || !refused) {
			return err
		}
	}
	return nil
}

// attributeCall makes a call about an attribute of a file, or about all.
func attributeCall(number uintptr, f *os.File, name string, value []byte) (int, error) {
	at, err := syscall.BytePtrFromString(name)
	if err != nil {
		return 0, err
	}
	var first *byte
	if len(value) > 0 {
		first = &value[0]
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var n uintptr
	var errno syscall.Errno
	err = conn.Control(func(fd uintptr) {
		switch {
		case name == "":
			n, _, errno = syscall.Syscall(number, fd, uintptr(unsafe.Pointer(first)), uintptr(len(value)))
		default:
			n, _, errno = syscall.Syscall6(number, fd, uintptr(unsafe.Pointer(at)), uintptr(unsafe.Pointer(first)),
				uintptr(len(value)), 0, 0)
		}
	})
	if err == nil && errno != 0 {
		err = &fs.PathError{Op: "attributes of", Path: f.Name(), Err: errno}
	}
	return int(n), err
}
