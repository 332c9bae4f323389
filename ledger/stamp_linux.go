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
		changed:  syscall.TimespecToNsec(st.Ctim),
		modified: syscall.TimespecToNsec(st.Mtim),
	}
}

// localFileSystems are those whose times come from this machine's clock, by their
// numbers in statfs(2).
var localFileSystems = [...]int64{
	0xef53,     // ext2, ext3, ext4
	0x58465342, // xfs
	0x9123683e, // btrfs
	0x01021994, // tmpfs
	0x794c7630, // overlayfs
	0xf2f52010, // f2fs
	0x2fc12fc1, // zfs
	0xca451a4e, // bcachefs
}

// newTrust is the trust of a scan of dir that starts now.
func newTrust(dir string, now time.Time) trust {
	t := trust{start: now}
	info, err := os.Stat(dir)
	if err != nil {
		return t
	}
	t.dev = stampOf(info).dev
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil {
		return t
	}
	for _, known := range localFileSystems {
		t.usable = t.usable || uint32(fs.Type) == uint32(known)
	}
	return t
}
