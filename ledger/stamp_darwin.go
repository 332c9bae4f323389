package ledger

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// openFlags open a regular file for reading, and nothing else in a way that waits or follows.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | noFollow

// noFollow refuses a link in the last place of a path.
const noFollow = syscall.O_NOFOLLOW

// errNotFolder is for a path below something that is no folder.
var errNotFolder error = syscall.ENOTDIR

func stampOf(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{
		dev:      uint64(st.Dev),
		ino:      st.Ino,
		changed:  syscall.TimespecToNsec(st.Ctimespec),
		modified: syscall.TimespecToNsec(st.Mtimespec),
	}
}

// mountLocal is MNT_LOCAL: the times of the file system come from this machine's clock.
const mountLocal = 0x1000

// newTrust is the trust of a scan of dir that starts now.
func newTrust(dir string, now time.Time) trust {
	t := trust{start: now}
	info, err := os.Stat(dir)
	if err != nil {
		return t
	}
	t.dev = stampOf(info).dev
	var fs syscall.Statfs_t
	t.usable = syscall.Statfs(dir, &fs) == nil && fs.Flags&mountLocal != 0
	return t
}
