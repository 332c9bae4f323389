//go:build unix

package powercut

import (
	"io/fs"
	"syscall"
)

// identify is what tells the file from all others that exist now.
func identify(info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(st.Dev), uint64(st.Ino)}
}
