package restore

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger/scan"
)

// readRest lets the owner read what the scan of have could not, as far as he
// may, and scans once more. What cannot be read even then is replaced or
// removed as it is.
func (r *restorer) readRest(ctx context.Context, dir string) error {
	unread := r.have.Unread()
	if len(unread) == 0 {
		return nil
	}
	for _, path := range unread {
		if ctx.Err() != nil {
			break
		}
		r.letRead(path)
	}
	// The scan is the same one, so that it leaves out and believes what the
	// first one did.
	have, err := scan.Again(ctx, dir, r.have)
	if err != nil {
		r.finish() // gives the folders that were opened their modes back
		return errors.Join(append(r.errs, err)...)
	}
	r.plan = planned(r.want, have)
	return nil
}

// letRead opens a file or folder, and all below it, to its owner. It is only an
// attempt: what stays closed is found by the next scan.
func (r *restorer) letRead(path string) {
	if r.leaveAlone(path) || r.have.LeavesOut(path) {
		return
	}
	var names []string
	err := r.try(path, func(dir *disk.Root, name string) error {
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		switch {
		case info.IsDir():
			if err := allow(dir, name, info, 0o700); err != nil {
				return err
			}
			names, err = namesIn(dir, name)
			return err
		case info.Mode().IsRegular() && file.Links(info) == 1: // else the mode is that of a file elsewhere too
			return allow(dir, name, info, 0o600)
		}
		return nil
	})
	if err != nil {
		return
	}
	for _, name := range names {
		r.letRead(path + "/" + name)
	}
}

// allow adds bits to the mode of name, if they are not set.
func allow(dir *disk.Root, name string, info fs.FileInfo, bits fs.FileMode) error {
	if info.Mode().Perm()&bits == bits {
		return nil
	}
	return dir.Chmod(name, info.Mode()|bits)
}

// namesIn lists a folder, sorted, so that every restore does the same in the
// same order.
func namesIn(dir *disk.Root, name string) ([]string, error) {
	sub, err := walk.StepInto(dir, name)
	if err != nil {
		return nil, err
	}
	defer sub.Close() // only read
	f, err := sub.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	names, err := f.OS().Readdirnames(-1)
	slices.Sort(names)
	return names, err
}
