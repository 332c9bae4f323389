package delivery

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// end makes durable what was delivered, and puts what came out into the trash.
func (f *finish) end() error {
	folders := f.touched()
	one := len(folders) <= fewSyncs
	if err := writeJSON(f.slots, recordName, f.record(), one); err != nil {
		return err
	}
	if err := f.courier(func(c *courier) error { return c.sync(folders, one) }); err != nil {
		return err
	}
	_ = f.slots.Close() // some systems do not rename a folder that is open
	return f.d.retire(f.d.name)
}

// touched are the folders in which names changed, or which are changed
// themselves, and of each whether it lies on another file system.
func (f *finish) touched() map[string]bool {
	folders := map[string]bool{}
	for i, o := range f.outcomes {
		c := &f.d.changes[i]
		if !o.touched {
			continue
		}
		folder, _ := cutPath(c.Path)
		folders[folder] = folders[folder] || o.beside
		if c.After != nil && c.After.Kind == ledger.Dir {
			folders[c.Path] = folders[c.Path] || o.beside
		}
	}
	for _, o := range f.opened {
		folders[string(o.Folder)] = folders[string(o.Folder)]
	}
	return folders
}

// sync makes names in folders durable.
func (c *courier) sync(folders map[string]bool, one bool) error {
	all := errors.ErrUnsupported
	if !one {
		all = disk.SyncFileSystem(c.slots)
	}
	if all != nil && !errors.Is(all, errors.ErrUnsupported) {
		return all
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if all == nil && !folders[folder] {
			continue
		}
		var way *wayError
		dir, _, err := c.at(join(folder, "."))
		if errors.As(err, &way) { // somebody took it away, and it is theirs to sync
			continue
		}
		if err == nil {
			err = dir.SyncFolder(".")
		}
		if err != nil {
			return about(folder, err)
		}
	}
	if all == nil {
		return nil
	}
	if !one { // the record was not synced
		f, err := openToSync(c.slots, recordName)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return c.slots.SyncFolder(".")
}

// record is what lies in the slots.
func (f *finish) record() record {
	r := record{Changes: f.d.sum, Slots: []recorded{}}
	for i, o := range f.outcomes {
		c := &f.d.changes[i]
		switch {
		case o.out == nil && (!staged(c) || !o.conflict && o.touched && !f.d.again), o.beside:
			continue
		case o.out == nil:
			r.Slots = append(r.Slots, recorded{Slot: slotName(i), Entry: *mine(c)})
		default:
			r.Slots = append(r.Slots, recorded{Slot: slotName(i), Entry: *expected(c, o.out)})
		}
	}
	r.Slots = append(r.Slots, f.left...)
	return r
}

// expected is what lies in the slot of a change, where all is as it should be:
// what stood at the path before, or what is staged.
func expected(c *ledger.Change, out *ledger.Entry) *ledger.Entry {
	if c.After != nil && (c.Before == nil || same(out, mine(c)) || same(out, c.After)) {
		return mine(c)
	}
	return c.Before
}

// retire puts the folder of the delivery into the trash, with a name.
func (d *Delivery) retire(as string) error {
	p := d.place
	err := disk.MoveNew(p.stage, d.name, p.trash, as)
	if errors.Is(err, errors.ErrUnsupported) {
		if _, err = p.trash.Lstat(as); errors.Is(err, fs.ErrNotExist) {
			err = p.root.Rename(own+"/"+stageName+"/"+d.name, own+"/"+trashName+"/"+as)
		} else if err == nil {
			err = fs.ErrExist
		}
	}
	return err
}

// retireUnder retires the folder of a delivery that was not carried out under a
// name that is free, durably.
func (d *Delivery) retireUnder() error {
	for n := 1; ; n++ {
		err := d.retire(fmt.Sprintf("%s~%d", d.name, n))
		if err == nil {
			return errors.Join(d.place.trash.SyncFolder("."), d.place.stage.SyncFolder("."))
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// openToSync opens a file so that it can be synced, which Windows allows those
// only who may write it.
func openToSync(dir *disk.Root, name string) (*disk.File, error) {
	flags := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flags = os.O_RDWR
	}
	return dir.OpenFile(name, flags, 0)
}
