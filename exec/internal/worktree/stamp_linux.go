package worktree

import (
	"io/fs"
	"syscall"
)

// identify adds what nobody sets who writes a file.
func identify(s *Stamp, info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Changed, s.Node = st.Ctim.Nano(), uint64(st.Ino)
	}
}
