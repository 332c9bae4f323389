package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A Finding is something in the trash that is not what it was when it came out
// of the workspace: somebody had it open, and wrote, or put it there in the
// moment of a delivery and was followed by somebody else. It is kept until
// somebody removes it.
type Finding struct {
	Delivery string       // its name
	Was      ledger.Entry // what was expected to come out, with its path in the workspace
	Found    ledger.Entry // what it is now
	Kept     string       // where it lies, relative to the workspace
}

// String says it to a person.
func (f Finding) String() string {
	return fmt.Sprintf("%s: somebody wrote to it while it was replaced; what they wrote is kept in %s",
		ledger.Quote(f.Was.Path), ledger.Quote(f.Kept))
}

// Findings looks again at all that lies in the trash. Files that have another
// name elsewhere are left out: what is written there is not lost with the
// trash.
func (p *Place) Findings(ctx context.Context) ([]Finding, error) {
	return p.searched(ctx, func(dir *disk.Root, name string, r *record, kept []Finding) error { return nil })
}

// Empty removes what came out of the workspace before a time, and is still what
// it was then. It returns what is not, of all times, and keeps that.
func (p *Place) Empty(ctx context.Context, before time.Time) ([]Finding, error) {
	return p.searched(ctx, func(dir *disk.Root, name string, r *record, kept []Finding) error {
		info, err := dir.Lstat(recordName)
		if err != nil || !info.ModTime().Before(before) {
			return err
		}
		if len(kept) == 0 {
			return removeAny(p.trash, name)
		}
		keep := map[string]bool{}
		for _, f := range kept {
			_, slot := cutPath(f.Kept)
			keep[slot] = true
		}
		for _, s := range r.Slots {
			if !keep[s.Slot] && !s.Beside {
				if err := removeAny(dir, s.Slot); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// searched looks at every delivery in the trash, and has something done with it
// then.
func (p *Place) searched(ctx context.Context, then func(dir *disk.Root, name string, r *record,
	kept []Finding) error) ([]Finding, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if _, err := p.root.Lstat(own + "/" + trashName); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing ever came out
	}
	if err := p.ready(); err != nil {
		return nil, fmt.Errorf("delivery: trash: %w", err)
	}
	h, err := p.hand()
	if err != nil {
		return nil, fmt.Errorf("delivery: trash: %w", err)
	}
	defer h.close()
	list, err := p.trash.ReadDir(".")
	var all []Finding
	errs := []error{err}
	for _, e := range list {
		if ctx.Err() != nil {
			errs = append(errs, context.Cause(ctx))
			break
		}
		found, err := h.search(p, e.Name(), then)
		all = append(all, found...)
		if err != nil {
			errs = append(errs, about(own+"/"+trashName+"/"+e.Name(), err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return all, fmt.Errorf("delivery: trash: %w", err)
	}
	return all, nil
}

// search looks at what one delivery left in the trash.
func (h *hand) search(p *Place, name string, then func(dir *disk.Root, name string, r *record,
	kept []Finding) error) ([]Finding, error) {
	dir, err := walk.StepInto(p.trash, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close() // only a handle
	text, err := readFile(dir, recordName)
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("what lies there is not known, so it is kept: look at it and remove it: %w", err)
	}
	var found []Finding
	for _, s := range r.Slots {
		f, err := h.finding(dir, name, s)
		if err != nil {
			return found, err
		}
		if f != nil {
			found = append(found, *f)
		}
	}
	return found, then(dir, name, &r, found)
}

// finding is what is wrong with what lies in a slot; nil if nothing is.
func (h *hand) finding(dir *disk.Root, name string, s recorded) (*Finding, error) {
	f := &Finding{Delivery: name, Was: s.Entry, Kept: own + "/" + trashName + "/" + name + "/" + s.Slot}
	if s.Beside {
		folder, _ := cutPath(s.Entry.Path)
		f.Kept = join(folder, s.Slot)
		var way *wayError
		var err error
		if dir, _, err = h.at(f.Kept); errors.As(err, &way) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	there, err := h.lookWhole(dir, s.Slot, s.Entry.Path)
	if err != nil || there == nil || same(there, &s.Entry) {
		return nil, err
	}
	if info, err := dir.Lstat(s.Slot); err == nil && info.Mode().IsRegular() && file.Links(info) > 1 {
		return nil, nil
	}
	there.Size = max(there.Size, 0)
	f.Found = *there
	return f, nil
}
