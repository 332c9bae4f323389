// Package traits looks at what a file bears besides what is part of a tree, and
// what no plan declares: another owner or group, attributes, and bits that give
// whoever runs it the rights of somebody else.
package traits

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Foreign is what the entries that changed in a folder bear and files that are
// made there do not get by themselves, each with its path; sorted as the changes
// are. was is the workspace that the folder is a copy of: what stands at the
// same path there, and bears the same, is none.
func Foreign(dir, was string, changes []ledger.Change) ([]string, error) {
	var found []string
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		name := filepath.FromSlash(c.Path)
		now, err := look(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		var then entry
		if c.Before != nil {
			if then, err = look(filepath.Join(was, name)); err != nil {
				return nil, err
			}
		}
		above, err := look(filepath.Dir(filepath.Join(dir, name)))
		if err != nil {
			return nil, err
		}
		for _, what := range now.foreign(above, then, c) {
			found = append(found, ledger.Quote(c.Path)+" bears "+what)
		}
	}
	return found, nil
}

// An entry is what stands at a path; the zero entry is nothing.
type entry struct {
	info       fs.FileInfo
	uid, gid   uint32
	attributes []string // names, those that a system gives each file aside
}

func look(path string) (entry, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}, nil
	}
	if err != nil {
		return entry{}, err
	}
	e := entry{info: info}
	e.uid, e.gid = owner(info)
	if info.Mode()&fs.ModeSymlink == 0 {
		e.attributes, err = attributes(path)
	}
	return e, err
}

// foreign is what e bears that it has neither from the folder above it nor from
// what stood there then.
func (e *entry) foreign(above, then entry, c ledger.Change) []string {
	if e.info == nil {
		return nil
	}
	var found []string
	if bits := newBits(c, above); bits != 0 {
		found = append(found, "the mode "+bits.String())
	}
	same := then.info != nil && then.uid == e.uid && then.gid == e.gid
	if uid := uint32(os.Geteuid()); e.uid != uid && !same {
		found = append(found, fmt.Sprintf("the owner %d, and %d makes files here", e.uid, uid))
	}
	if gid := uint32(os.Getegid()); e.gid != gid && e.gid != above.gid && !same {
		found = append(found, fmt.Sprintf("the group %d, and files here get %d", e.gid, gid))
	}
	for _, name := range e.attributes {
		if !slices.Contains(then.attributes, name) {
			found = append(found, "the attribute "+name)
		}
	}
	return found
}

// newBits are the bits for setuid, setgid and sticky that came. A folder has
// setgid from the one above it.
func newBits(c ledger.Change, above entry) fs.FileMode {
	bits := fs.ModeSetuid | fs.ModeSetgid
	if c.After.Kind == ledger.Dir {
		bits |= fs.ModeSticky
		if above.info != nil && above.info.Mode()&fs.ModeSetgid != 0 {
			bits &^= fs.ModeSetgid
		}
	}
	bits &= c.After.Mode
	if c.Before != nil {
		bits &^= c.Before.Mode
	}
	return bits
}

// counts reports whether an attribute is none that a system gives each file:
// labels of security modules, and lists of access, which folders pass on.
func counts(name string) bool {
	for _, given := range []string{"security.selinux", "security.SMACK64", "security.apparmor", "security.ima",
		"security.evm"} {
		if strings.HasPrefix(name, given) {
			return false
		}
	}
	return strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "trusted.") || strings.HasPrefix(name, "user.")
}
