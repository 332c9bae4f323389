package traits

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// owner is who owns a file, and its group.
func owner(info fs.FileInfo) (uid, gid uint32) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Uid, stat.Gid
	}
	return 0, 0
}

// attribute is the value of one of a file, and whether it is there.
func attribute(path, name string) (value []byte, there bool, err error) {
	value = make([]byte, 1<<16) // more than that there cannot be
	n, err := syscall.Getxattr(path, name, value)
	switch {
	case errors.Is(err, syscall.ENODATA), errors.Is(err, syscall.ENOTSUP):
		return nil, false, nil
	case err != nil:
		return nil, false, &fs.PathError{Op: "read an attribute of", Path: path, Err: err}
	}
	return value[:n], true, nil
}

// attributes are the names of those of a file or folder that count. A file
// system that keeps none has none.
func attributes(path string) ([]string, error) {
	names := make([]byte, 1<<16) // more than that there cannot be
	n, err := syscall.Listxattr(path, names)
	switch {
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOENT):
		return nil, nil
	case err != nil:
		return nil, &fs.PathError{Op: "list the attributes of", Path: path, Err: err}
	}
	var found []string
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if counts(name) {
			found = append(found, name)
		}
	}
	return found, nil
}
