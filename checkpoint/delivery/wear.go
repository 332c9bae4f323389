package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// wear gives what is staged in place of a file the owner, the group and the
// attributes that the file has, as if somebody had written into it, and what it
// is to bear. What this user may not give of the first is left as it is.
//
// It is done before the exchange, so that nobody ever sees one without the
// other, and a crash leaves either.
func wear(s spot) error {
	c := s.change
	if c.After == nil || c.After.Kind != ledger.File {
		return nil
	}
	was := bearing{uid: -1, gid: -1, attributes: map[string][]byte{}}
	if c.Before != nil && c.Before.Kind == ledger.File {
		there, err := s.dir.Lstat(s.name)
		if err != nil || !there.Mode().IsRegular() {
			return nil // the exchange says so
		}
		if was, err = borne(s.dir, s.name, there); err != nil {
			return err
		}
		if c.Before.Digest != c.After.Digest {
			delete(was.attributes, capability) // as the system does where a file is written
		}
	}
	if s.bear != nil {
		was.declared(s.bear)
	}
	return was.give(s)
}

// capability is the attribute that gives a program rights.
const capability = "security.capability"

// A bearing is what a file has besides what is part of a tree.
type bearing struct {
	uid, gid   int // -1: as it is
	attributes map[string][]byte
	must       bool // all of it is given, or the delivery fails
}

// declared adds what somebody declared.
func (b *bearing) declared(said *Bearing) {
	if said.Owner != nil {
		b.uid = *said.Owner
	}
	if said.Group != nil {
		b.gid = *said.Group
	}
	maps.Copy(b.attributes, said.Attributes)
	b.must = true
}

// give gives what is staged what it has not.
func (b *bearing) give(s spot) error {
	staged, err := s.slots.Lstat(s.slot)
	if err != nil {
		return err
	}
	if uid, gid, _ := owner(staged); b.uid == uid && b.gid == gid {
		b.uid, b.gid = -1, -1
	}
	if len(b.attributes) > 0 {
		has, err := borne(s.slots, s.slot, staged)
		if err != nil {
			return err
		}
		maps.DeleteFunc(b.attributes, func(name string, value []byte) bool {
			given, ok := has.attributes[name]
			return ok && bytes.Equal(given, value)
		})
	}
	if b.uid < 0 && b.gid < 0 && len(b.attributes) == 0 {
		return nil
	}
	if err := b.put(s.slots, s.slot, s.change.After.Mode); err != nil {
		return fmt.Errorf("its owner and attributes: %w", err)
	}
	return nil
}

// borne is what a file of a folder bears. Of one that cannot be opened it is the
// owner alone.
func borne(dir *disk.Root, name string, info fs.FileInfo) (bearing, error) {
	b := bearing{uid: -1, gid: -1, attributes: map[string][]byte{}}
	if uid, gid, known := owner(info); known {
		b.uid, b.gid = uid, gid
	}
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

// put gives it to a file that is staged, durably.
func (b *bearing) put(dir *disk.Root, name string, mode fs.FileMode) error {
	if err := dir.Chmod(name, mode.Perm()|0o600); err != nil { // to open it, and to give it attributes
		return err
	}
	f, err := dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = b.giveOwner(f)
	if err == nil {
		err = writeAttributes(f.OS(), b.attributes, b.must)
	}
	if err == nil {
		err = f.Chmod(mode) // whoever gives a file away takes bits from it
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// giveOwner gives a file its owner and group. Whoever may not do that gives the
// group alone, or nothing, unless the plan declares it.
func (b *bearing) giveOwner(f *disk.File) error {
	if b.uid < 0 && b.gid < 0 {
		return nil
	}
	err := f.OS().Chown(b.uid, b.gid)
	if !errors.Is(err, fs.ErrPermission) || b.must {
		return err
	}
	if err = f.OS().Chown(-1, b.gid); errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
