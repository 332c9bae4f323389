package file

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when the content, the name or the attributes of a file changed.
func changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Sec, st.Ctimespec.Nsec)
	}
	return time.Time{}
}
