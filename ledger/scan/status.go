package scan

import (
	"io/fs"

	"github.com/planlock/planlock/ledger"
)

// A status is what the system says of an entry without reading it, in a fixed
// size and without pointers, so that many of them lie together. Equal statuses
// mean an unchanged entry only where a belief covers them.
type status struct {
	dev, ino   uint64 // both 0 where the system has no such numbers
	size       int64
	changed    int64 // seconds since 1970 of the last change of content or attributes, as the file system has it
	modified   int64 // the same of the last change of content; anybody can set it
	changedNs  uint32
	modifiedNs uint32
	mode       uint32 // as in stat(2): the kind and twelve bits
}

// The kinds in a mode, as in stat(2).
const (
	modeKind   = 0o170000
	modeFile   = 0o100000
	modeLink   = 0o120000
	modeDir    = 0o040000
	modeSocket = 0o140000
	modeBlock  = 0o060000
	modeChar   = 0o020000
	modeFIFO   = 0o010000 // and what Go calls irregular
)

// kind is what an entry is; devices, sockets and pipes are all special.
func (s *status) kind() ledger.Kind {
	switch s.mode & modeKind {
	case modeFile:
		return ledger.File
	case modeDir:
		return ledger.Dir
	case modeLink:
		return ledger.Link
	}
	return ledger.Special
}

// same reports whether both are of one file or folder, whatever was done to it.
func (s *status) same(o *status) bool {
	return s.dev == o.dev && s.ino == o.ino && s.mode&modeKind == o.mode&modeKind
}

// statusOf is the portable way to a status.
func statusOf(info fs.FileInfo) status {
	t := info.ModTime()
	s := status{size: info.Size(), modified: t.Unix(), modifiedNs: uint32(t.Nanosecond()),
		mode: ledger.UnixMode(info.Mode())}
	switch info.Mode().Type() {
	case 0:
		s.mode |= modeFile
	case fs.ModeDir:
		s.mode |= modeDir
	case fs.ModeSymlink:
		s.mode |= modeLink
	case fs.ModeSocket:
		s.mode |= modeSocket
	case fs.ModeDevice:
		s.mode |= modeBlock
	case fs.ModeDevice | fs.ModeCharDevice:
		s.mode |= modeChar
	default:
		s.mode |= modeFIFO
	}
	identify(&s, info)
	return s
}
