package delivery

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// wear gives what is staged in place of a file the owner, the group and the
// attributes that the file has, as if somebody had written into it. What this
// user may not give is left as it is.
//
// It is done before the exchange, so that nobody ever sees one without the
// other, and a crash leaves either.
func wear(s spot) error {
	c := s.change
	if c.Before == nil || c.After == nil || c.Before.Kind != ledger.File || c.After.Kind != ledger.File {
		return nil
	}
	there, err := s.dir.Lstat(s.name)
	if err != nil || !there.Mode().IsRegular() {
		return nil // the exchange says so
	}
	staged, err := s.slots.Lstat(s.slot)
	if err != nil {
		return err
	}
	was, err := borne(s.dir, s.name, there)
	if err != nil {
		return err
	}
	if c.Before.Digest != c.After.Digest {
		delete(was.attributes, capability) // as the system does where a file is written
	}
	if len(was.attributes) > 0 {
		has, err := borne(s.slots, s.slot, staged)
		if err != nil {
			return err
		}
		maps.DeleteFunc(was.attributes, func(name string, value []byte) bool {
			given, ok := has.attributes[name]
			return ok && bytes.Equal(given, value)
		})
	}
	if was.sameOwner(staged) && len(was.attributes) == 0 {
		return nil
	}
	return put(s.slots, s.slot, was, c.After.Mode)
}

// capability is the attribute that gives a program rights.
const capability = "security.capability"

// A bearing is what a file has besides what is part of a tree.
type bearing struct {
	uid, gid   int
	known      bool // who owns it
	attributes map[string][]byte
}

// borne is what a file of a folder bears. Of one that cannot be opened it is the
// owner alone.
func borne(dir *disk.Root, name string, info fs.FileInfo) (bearing, error) {
	b := bearing{attributes: map[string][]byte{}}
	b.uid, b.gid, b.known = owner(info)
	f, err := dir.OpenFile(name, os.O_RDONLY|unawaited, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return b, err
	}
	err = readAttributes(f.OS(), b.attributes)
	return b, errors.Join(err, f.Close())
}

// sameOwner reports whether an entry has the owner and group of b.
func (b bearing) sameOwner(info fs.FileInfo) bool {
	uid, gid, _ := owner(info)
	return !b.known || uid == b.uid && gid == b.gid
}

// put gives a file that is staged what another one bears, durably.
func put(dir *disk.Root, name string, b bearing, mode fs.FileMode) error {
	if err := dir.Chmod(name, mode.Perm()|0o600); err != nil { // to open it, and to give it attributes
		return err
	}
	f, err := dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if b.known {
		if err = f.OS().Chown(b.uid, b.gid); errors.Is(err, fs.ErrPermission) {
			err = f.OS().Chown(-1, b.gid)
		}
		if errors.Is(err, fs.ErrPermission) {
			err = nil
		}
	}
	if err == nil {
		err = writeAttributes(f.OS(), b.attributes)
	}
	if err == nil {
		err = f.Chmod(mode) // whoever gives a file away takes bits from it
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
