// Package traits looks at what a file bears besides what is part of a tree, and
// whether its step declares that: another owner or group, attributes, and bits
// that give whoever runs it the rights of somebody else.
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
	"github.com/planlock/planlock/plan"
)

// Foreign is what the entries that changed in a folder bear and files that are
// made there do not get by themselves, each with its path; sorted as the changes
// are. was is the workspace that the folder is a copy of: what stands at the
// same path there, and bears the same, is none, nor is what is declared.
func Foreign(dir, was string, changes []ledger.Change, declared *plan.Artifacts) ([]string, error) {
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
		for _, what := range now.foreign(above, then, c, declared.Bearing(c.Path)) {
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

// look reads what a file bears. What is not there bears nothing.
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
func (e *entry) foreign(above, then entry, c ledger.Change, b *plan.Bearing) []string {
	if e.info == nil {
		return nil
	}
	if b == nil {
		b = &plan.Bearing{}
	}
	var found []string
	if bits := newBits(c, above) &^ b.Bits(); bits != 0 {
		found = append(found, "the mode "+bits.String())
	}
	same := then.info != nil && then.uid == e.uid && then.gid == e.gid
	if uid := uint32(os.Geteuid()); e.uid != uid && !same && !is(b.Owner, e.uid) {
		found = append(found, fmt.Sprintf("the owner %d, and %d makes files here", e.uid, uid))
	}
	if gid := uint32(os.Getegid()); e.gid != gid && e.gid != above.gid && !same && !is(b.Group, e.gid) {
		found = append(found, fmt.Sprintf("the group %d, and files here get %d", e.gid, gid))
	}
	for _, name := range e.attributes {
		if !slices.Contains(then.attributes, name) && !slices.Contains(b.Attributes, name) {
			found = append(found, "the attribute "+name)
		}
	}
	return found
}

// is reports whether a number is the one that is declared.
func is(declared *int, id uint32) bool { return declared != nil && int64(*declared) == int64(id) }

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
