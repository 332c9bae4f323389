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
		s.changed, s.changedNs = int64(st.Ctim.Sec), uint32(st.Ctim.Nsec)
	}
}

// localFileSystems are those whose times come from this machine's clock, by
// their numbers in statfs(2). tmpfs is none of them: what is written to its
// files through a mapping into memory leaves all times as they were.
var localFileSystems = [...]uint32{
	0xef53,     // ext2, ext3, ext4
	0x58465342, // xfs
	0x9123683e, // btrfs
	0x794c7630, // overlayfs
	0xf2f52010, // f2fs
	0x2fc12fc1, // zfs
	0xca451a4e, // bcachefs
}

// trusted reports whether the folder at path lies on a file system whose rules
// are known, and what the system calls that one.
func trusted(path string) (id uint64, ok bool) {
	var fs syscall.Statfs_t
	if syscall.Statfs(path, &fs) != nil {
		return 0, false
	}
	id = uint64(uint32(fs.Fsid.X__val[0]))<<32 | uint64(uint32(fs.Fsid.X__val[1]))
	for _, known := range localFileSystems {
		if uint32(fs.Type) == known {
			return id, true
		}
	}
	return id, false
}
