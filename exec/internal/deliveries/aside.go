package deliveries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// Aside brings into the workspace what an accepted step wrote at paths that are
// in no tree. What somebody else changed there stays as it is, and is told.
func (d *Deliveries) Aside(ctx context.Context) error {
	written, now, err := d.Work.Aside().Written()
	if err != nil || len(written) == 0 {
		return err
	}
	var changes []ledger.Change
	var theirs, never []string
	for _, path := range written {
		c := ledger.Change{Path: path}
		if c.After, err = entryIn(d.Work.Dir, path); err != nil {
			return err
		}
		if c.Before, err = entryIn(d.Work.Root, path); err != nil {
			return err
		}
		switch {
		case c.Before == nil && c.After == nil, c.Before != nil && c.After != nil && c.Before.Same(*c.After):
			continue
		case delivery.Refuses(c) != nil:
			never = append(never, ledger.Quote(path))
			continue
		case !d.Work.Aside().Still(path):
			theirs = append(theirs, path)
			continue
		}
		c.Op = op(c)
		changes = append(changes, c)
	}
	if err := d.noteUnversioned(ctx, changes); err != nil {
		return err
	}
	if changes, err = d.withFolders(changes); err != nil {
		return err
	}
	if len(changes) > 0 {
		var text strings.Builder
		for _, c := range changes {
			fmt.Fprintln(&text, c.Path, now[c.Path])
		}
		name := fmt.Sprintf("%s-aside-%d-%s", d.Rec.Run.Started.Run, d.Rec.Run.Head.Seq,
			ledger.Sum([]byte(text.String())).Short())
		content := func(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
			return worktree.OpenIn(d.Work.Dir, e.Path)
		}
		staged, err := d.Place.Stage(ctx, name, changes, content)
		if err != nil {
			return fmt.Errorf("exec: %w", err)
		}
		conflicts, err := staged.Finish(ctx)
		if err != nil {
			return fmt.Errorf("exec: %w", err)
		}
		for _, c := range conflicts {
			theirs = append(theirs, c.Change.Path)
		}
	}
	if len(theirs) > 0 {
		d.Warn("somebody else changed what a step wrote besides the tree, and theirs stays: " +
			strings.Join(bound.First(theirs, 5), ", "))
	}
	if len(never) > 0 {
		d.Warn("what a step wrote besides the tree is left out where it is never delivered: " +
			strings.Join(bound.First(never, 5), ", "))
	}
	return d.Work.Aside().Know(now)
}

// withFolders are changes with the folders that they lie in, where a step made these:
// they are of the tree, which is delivered later.
func (d *Deliveries) withFolders(changes []ledger.Change) ([]ledger.Change, error) {
	all, known := slices.Clone(changes), map[string]bool{".": true}
	for _, c := range changes {
		known[c.Path] = true
	}
	for _, c := range changes {
		for folder := path.Dir(c.Path); c.After != nil && !known[folder]; folder = path.Dir(folder) {
			known[folder] = true
			is, err := entryIn(d.Work.Root, folder)
			if err != nil {
				return nil, err
			}
			if is != nil {
				break
			}
			made, err := entryIn(d.Work.Dir, folder)
			if err != nil {
				return nil, err
			}
			if made != nil {
				all = append(all, ledger.Change{Path: folder, Op: ledger.Created, After: made})
			}
		}
	}
	slices.SortFunc(all, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// op is what became of the file.
func op(c ledger.Change) ledger.Op {
	switch {
	case c.Before == nil:
		return ledger.Created
	case c.After == nil:
		return ledger.Deleted
	}
	return ledger.Modified
}

// entryIn is the entry of a file, link or folder; nil if nothing, or something
// else, stands there.
func entryIn(dir, path string) (*ledger.Entry, error) {
	info, err := worktree.LstatIn(dir, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	e := &ledger.Entry{Path: path, Mode: ledger.FileMode(ledger.UnixMode(info.Mode())), ModTime: info.ModTime()}
	switch {
	case info.Mode().IsRegular():
		e.Kind, e.Size = ledger.File, info.Size()
		f, err := worktree.OpenIn(dir, path)
		if err != nil {
			return nil, fmt.Errorf("exec: %w", err)
		}
		defer f.Close() // only read
		e.Digest, e.Size, err = ledger.SumReader(f)
		return e, err
	case info.IsDir():
		e.Kind = ledger.Dir
	case info.Mode()&fs.ModeSymlink != 0:
		e.Kind, e.Mode = ledger.Link, 0
		e.Target, err = os.Readlink(filepath.Join(dir, filepath.FromSlash(path)))
		return e, err
	default:
		return nil, nil
	}
	return e, nil
}

// Put has a file of the workspace hold text where it holds was, or nothing where
// was is nil; not ok where somebody else changed it meanwhile, or stands in the
// way. What was there is kept, as with each delivery.
func (d *Deliveries) Put(ctx context.Context, path string, was, text []byte) (ok bool, err error) {
	c := ledger.Change{Path: path, Op: ledger.Created, After: &ledger.Entry{Path: path, Kind: ledger.File, Mode: 0o644,
		Size: int64(len(text)), Digest: ledger.Sum(text), ModTime: time.Now()}}
	if was != nil {
		if c.Before, err = entryIn(d.Work.Root, path); err != nil {
			return false, err
		}
		if c.Before == nil || c.Before.Kind != ledger.File || c.Before.Digest != ledger.Sum(was) {
			return false, nil
		}
		c.Op, c.After.Mode = ledger.Modified, c.Before.Mode
	}
	sum := ledger.Sum(append([]byte(path+"\n"), text...))
	name := fmt.Sprintf("%s-put-%d-%s", d.Rec.Run.Started.Run, d.Rec.Run.Head.Seq, sum.Short())
	content := func(context.Context, ledger.Entry) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	staged, err := d.Place.Stage(ctx, name, []ledger.Change{c}, content)
	if err != nil {
		return false, fmt.Errorf("exec: %w", err)
	}
	conflicts, err := staged.Finish(ctx)
	if err != nil {
		return false, fmt.Errorf("exec: %w", err)
	}
	return len(conflicts) == 0, nil
}
