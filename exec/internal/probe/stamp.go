package probe

import (
	"io/fs"
	"time"
)

// A stamp is what moves when a file changes.
type stamp struct {
	size     int64
	mode     fs.FileMode
	modified time.Time
	changed  time.Time // of content, name or attributes, where the system says
	file     [2]uint64 // device and number, where the system says
}

// latest is the last change that the stamp tells of.
func (s stamp) latest() time.Time {
	if s.changed.After(s.modified) {
		return s.changed
	}
	return s.modified
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mode: info.Mode(), modified: info.ModTime()}
	identify(&s, info)
	return s
}
