package scan

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags open a regular file for reading, and nothing else in a way that
// waits or follows.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | noFollow

// noFollow refuses a link in the last place of a path.
const noFollow = syscall.O_NOFOLLOW

// errNotFolder is for a path below something that is no folder.
var errNotFolder error = syscall.ENOTDIR

// identify fills in what only the system itself knows.
func identify(s *status, info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(st.Dev), st.Ino
		s.changed, s.changedNs = int64(st.Ctimespec.Sec), uint32(st.Ctimespec.Nsec)
	}
}

// mountLocal is MNT_LOCAL: the times of the file system come from this
// machine's clock.
const mountLocal = 0x1000

// trusted reports whether the folder at path lies on a file system whose rules
// are known.
func trusted(path string) (id uint64, ok bool) {
	var fs syscall.Statfs_t
	return 0, syscall.Statfs(path, &fs) == nil && fs.Flags&mountLocal != 0
}
