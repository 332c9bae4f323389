package ledger

import (
	"errors"
	"fmt"
	"strings"
)

// ErrEntry is in the chain of the errors of NewTree.
var ErrEntry = errors.New("ledger: not an entry of a tree")

// checkEntries looks at sorted entries and reports all that no folder could
// hold.
func checkEntries(entries []Entry) error {
	var errs []error
	fail := func(e Entry, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %q %s", ErrEntry, e.Path, fmt.Sprintf(format, args...)))
	}
	var stack ancestry
	for i, e := range entries {
		if why := checkPath(e.Path); why != "" {
			fail(e, "%s", why)
			continue
		}
		if i > 0 && entries[i-1].Path == e.Path {
			fail(e, "is listed twice")
			continue
		}
		if why := e.misfit(); why != "" {
			fail(e, "%s", why)
		}
		dir, _ := splitPath(e.Path)
		if parent := stack.parent(entries, e.Path); dir != "" && (parent < 0 || entries[parent].Path != dir) {
			fail(e, "lies in %q, which is not listed as a folder", dir)
		}
		if e.Kind == Dir {
			stack.push(i)
		}
	}
	return errors.Join(errs...)
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
