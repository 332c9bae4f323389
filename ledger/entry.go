package ledger

import (
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Kind says what stands at a path.
type Kind string

const (
	File    Kind = "file"    // a regular file
	Link    Kind = "link"    // a symbolic link; never followed
	Dir     Kind = "dir"     // every folder below the root, empty ones too
	Special Kind = "special" // FIFO, socket, device: named, never opened
)

// An Entry is one path of a tree. Everything but ModTime belongs to the
// identity of the tree.
type Entry struct {
	Path    string      // slash-separated, relative to the root, never "."; any bytes the file system allows
	Kind    Kind        //
	Mode    fs.FileMode // permission, setuid, setgid and sticky bits; 0 for links
	Size    int64       // bytes of a file's content; 0 for all else
	Digest  Digest      // of a file's content; zero for all else
	Target  string      // of a link, as written; FIFO for a FIFO, which is not part of its identity; zero for all else
	ModTime time.Time   // restored with the entry, but not part of its identity
}

// FIFO is the target of a special entry that is a FIFO (a named pipe), which
// can be made again. Sockets and devices have none.
const FIFO = "fifo"

// modeBits are the bits of a mode that belong to an entry.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Same reports whether two entries are the same in everything that belongs to
// a tree's identity.
func (e Entry) Same(o Entry) bool {
	e.ModTime, o.ModTime = time.Time{}, time.Time{}
	if e.Kind == Special && o.Kind == Special {
		e.Target, o.Target = "", ""
	}
	return e == o
}

// checkPath says what is wrong with the path of an entry, or nothing.
func checkPath(path string) string {
	switch {
	case path == "":
		return "is an empty path"
	case path[0] == '/':
		return "is an absolute path; use one relative to the root"
	case strings.IndexByte(path, 0) >= 0:
		return "has a zero byte in its path"
	}
	for rest, more := path, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		switch name {
		case "":
			return "has an empty name in its path"
		case ".", "..":
			return fmt.Sprintf("has %q in its path; write the path without it", name)
		}
	}
	return ""
}

// misfit says which field does not fit the entry's kind, or nothing.
func (e Entry) misfit() string {
	switch e.Kind {
	case File:
		if e.Size < 0 {
			return "has a negative size"
		}
		if _, err := ParseDigest(string(e.Digest)); err != nil {
			return "is a file without the digest of its content"
		}
	case Link, Dir, Special:
		if e.Size != 0 || e.Digest != "" {
			return fmt.Sprintf("is a %s, and has the size or digest of a file", e.Kind)
		}
	default:
		return fmt.Sprintf("has the unknown kind %q", string(e.Kind))
	}
	switch {
	case e.Kind == Special && e.Target != "" && e.Target != FIFO:
		return fmt.Sprintf("is special, and has the unknown target %q", e.Target)
	case e.Kind != Link && e.Kind != Special && e.Target != "":
		return fmt.Sprintf("is a %s, and has the target of a link", e.Kind)
	case e.Kind == Link && e.Target == "":
		return "is a link without a target"
	case e.Kind == Link && e.Mode != 0:
		return "is a link, and has a mode"
	case e.Mode&^modeBits != 0:
		return fmt.Sprintf("has the mode %v, with bits that no entry has", e.Mode)
	}
	return ""
}

// splitPath cuts a path into its folder ("" for the root) and its last name.
func splitPath(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}
