package delivery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Stage writes what changes put into the workspace into .planlock/stage/NAME,
// durably. Nothing of it can be seen at the paths before Finish. Changes that
// change nothing but a time are left out; those of .planlock and .git are
// refused.
//
// A name (letters, digits, "-", "_", ".") stands for one delivery, with its
// changes. Where that was begun and not finished, by another process or before
// a power cut, Stage first puts back what that one found foreign and was about
// to put back, and then stages all anew.
func (p *Place) Stage(ctx context.Context, name string, changes []ledger.Change, open ledger.Content) (*Delivery,
	error) {
	d, err := p.newDelivery(name, changes)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := d.stage(ctx, open); err != nil {
		return nil, fmt.Errorf("delivery: stage %q: %w", name, err)
	}
	return d, nil
}

// stage makes what is to be delivered beside the place, so that bringing it
// there is renaming. A delivery that was cut off goes on where it was: what
// lies in the trash says that it is over.
func (d *Delivery) stage(ctx context.Context, open ledger.Content) error {
	p := d.place
	if err := p.ready(); err != nil {
		return err
	}
	earlier, err := d.earlier(p.trash)
	if err != nil {
		return err
	}
	if earlier != nil {
		d.over = true
		return earlier.Close()
	}
	if earlier, err = d.earlier(p.stage); err != nil {
		return err
	}
	if earlier != nil {
		d.again = true
		if err := d.settle(ctx, earlier); err != nil {
			return err
		}
	}
	return d.write(ctx, open)
}

// earlier opens the folder of the delivery in the stage or in the trash; nil if
// there is none.
func (d *Delivery) earlier(in *disk.Root) (*disk.Root, error) {
	dir, err := walk.StepInto(in, d.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum, err := readFile(dir, sumName)
	if err == nil && string(sum) != string(d.sum) {
		err = errors.New("the name stands for a delivery of other changes already: use another one")
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// write stages all of a delivery in a folder that gets its name when it is
// complete and durable.
func (d *Delivery) write(ctx context.Context, open ledger.Content) error {
	stage, part := d.place.stage, d.name+partEnd
	if err := removeAny(stage, part); err != nil {
		return err
	}
	if err := stage.Mkdir(part, 0o700); err != nil {
		return err
	}
	dir, err := walk.StepInto(stage, part)
	if err != nil {
		return err
	}
	err = d.writeSlots(ctx, dir, open)
	_ = dir.Close() // what is in it is synced; some systems do not rename a folder that is open
	if err != nil {
		return errors.Join(err, removeAny(stage, part)) // what is left of it costs space only
	}
	if err := stage.Rename(part, d.name); err != nil {
		return err
	}
	return stage.SyncFolder(".")
}

// writeSlots makes all that is staged, durably.
func (d *Delivery) writeSlots(ctx context.Context, dir *disk.Root, open ledger.Content) error {
	var todo []int
	one := true // what is staged is synced one by one
	for i := range d.changes {
		if staged(&d.changes[i]) {
			todo = append(todo, i)
			one = one && d.changes[i].After.Kind != ledger.Special // which cannot be opened to be synced
		}
	}
	one = one && len(todo) <= fewSyncs
	if err := writeFile(dir, sumName, []byte(d.sum), one); err != nil {
		return err
	}
	err := inParts(dir.Plain(), todo, func(part []int) error {
		m := &maker{open: open, sync: one}
		for _, i := range part {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := m.make(ctx, dir, slotName(i), *d.changes[i].After); err != nil {
				return about(d.changes[i].Path, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if one {
		return dir.SyncFolder(".")
	}
	if err = disk.SyncFileSystem(dir); errors.Is(err, errors.ErrUnsupported) {
		return syncEach(dir)
	}
	return err
}

// syncEach syncs the files of a folder and its names.
func syncEach(dir *disk.Root) error {
	list, err := dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range list {
		switch {
		case e.IsDir():
			err = dir.SyncFolder(e.Name())
		case e.Type().IsRegular():
			var f *disk.File
			if f, err = openToSync(dir, e.Name()); err == nil {
				err = errors.Join(f.Sync(), f.Close())
			}
		}
		if err != nil {
			return err
		}
	}
	return dir.SyncFolder(".")
}

// inParts does things in order, in two parts at once where that is worth it.
// Before a test's disk there is one part, so that operations have an order.
func inParts(plain bool, things []int, do func(part []int) error) error {
	if !plain || len(things) < fewFiles {
		return do(things)
	}
	var wait sync.WaitGroup
	var errs [2]error
	half := len(things) / 2 // and not turns: neighbours lie in one folder
	wait.Go(func() { errs[1] = do(things[half:]) })
	errs[0] = do(things[:half])
	wait.Wait()
	return errors.Join(errs[:]...)
}
