package deliveries

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// What .gitignore names is in no tree. Of a folder that it names that is all: it
// holds packages, builds and caches. A file that it names by itself may be the
// user's only copy of something, such as a local database: what accepted work
// does to one is told, and what was there is kept, so that a rollback brings it
// back.

// noteUnversioned says which such files are about to be delivered, and keeps what
// stands there now.
func (d *Deliveries) noteUnversioned(ctx context.Context, changes []ledger.Change) error {
	var there []ledger.Change
	fact, alone := &history.Unversioned{}, d.namedAlone()
	for _, c := range changes {
		switch {
		case !alone(c.Path), d.madeBefore(c.Path):
		case c.Before == nil && c.After.Kind != ledger.Dir:
			fact.New = append(fact.New, ledger.Quote(c.Path))
		case c.Before != nil && c.Before.Kind != ledger.Dir:
			there = append(there, c)
		}
	}
	if len(there)+len(fact.New) == 0 {
		return nil
	}
	back := d.Rec.Run.Steps[0].Address
	if made := d.made(); len(made) > 0 && !d.Rec.Run.Started.Isolated {
		back = made[len(made)-1].Address
		fact.Step = back
	}
	fact.New = bound.First(fact.New, bound.Lines)
	var err error
	if len(there) > 0 {
		fact.Changes = bound.First(worktree.Described(there), bound.Lines)
		fact.Before, err = d.keepFiles(ctx, d.Work.Root, there, func(c ledger.Change) *ledger.Entry { return c.Before })
		if err == nil {
			fact.After, err = d.keepFiles(ctx, d.Work.Dir, there, func(c ledger.Change) *ledger.Entry { return c.After })
		}
	}
	if err == nil {
		err = d.Rec.Record(ctx, history.Where{}, fact)
	}
	if err == nil && len(there) > 0 {
		d.Warn(fact.Told(), action.Action{Kind: action.Rollback, Run: d.Rec.Run.Started.Run, Step: back})
	}
	return err
}

// madeBefore reports whether an earlier step made a file, which is the run's own.
func (d *Deliveries) madeBefore(name string) bool {
	return slices.ContainsFunc(d.Rec.Run.Unversioned, func(u *history.Unversioned) bool {
		return slices.Contains(u.New, ledger.Quote(name))
	})
}

// namedAlone reports of paths whether .gitignore names one, and no folder that it
// lies in. Most that are asked about lie in few folders.
func (d *Deliveries) namedAlone() func(name string) bool {
	scope := ledger.Scope{Ignore: d.Rec.Run.Started.Unversioned}
	out := map[string]bool{".": false} // folders that it names, or that lie in one
	return func(name string) bool {
		folder := path.Dir(name)
		if _, known := out[folder]; !known {
			out[folder] = scope.Level(folder) == ledger.Ignored
		}
		return !out[folder] && scope.Level(name) == ledger.Ignored
	}
}

// keepFiles keeps one side of changes, which stands in a folder, with the folders
// on the way there.
func (d *Deliveries) keepFiles(ctx context.Context, dir string, changes []ledger.Change,
	side func(ledger.Change) *ledger.Entry) (record.Snapshot, error) {
	var entries []ledger.Entry
	known := map[string]bool{".": true}
	for _, c := range changes {
		e := side(c)
		if e == nil || e.Kind == ledger.Dir {
			continue
		}
		entries = append(entries, *e)
		for folder := path.Dir(c.Path); !known[folder]; folder = path.Dir(folder) {
			in, err := entryIn(dir, folder)
			if err != nil || in == nil {
				return record.Snapshot{}, fmt.Errorf("exec: the folder of %q is gone: %w", c.Path, err)
			}
			entries, known[folder] = append(entries, *in), true
		}
	}
	tree, err := ledger.NewTree(entries)
	if err != nil {
		return record.Snapshot{}, err
	}
	return d.Rec.Store.Snapshot(ctx, dir, tree, record.Snapshot{})
}

// PutBack brings back what steps changed or removed of such files. What is neither
// as they left it nor as it was before stays, and is returned.
func (d *Deliveries) PutBack(ctx context.Context, steps []*history.Step) (theirs []ledger.Change, err error) {
	type file struct {
		was  *ledger.Entry   // before the first of them
		ours []*ledger.Entry // that they left
	}
	files := map[string]*file{}
	for _, u := range d.Rec.Run.Unversioned {
		if len(u.Changes) == 0 || u.Step != "" && !slices.Contains(steps, d.Rec.Run.Step(u.Step)) {
			continue
		}
		before, after, err := d.trees(ctx, u.Before, u.After)
		if err != nil {
			return nil, err
		}
		for e := range before.All() {
			if e.Kind == ledger.Dir {
				continue
			}
			f := files[e.Path]
			if f == nil {
				f = &file{was: &e}
				files[e.Path] = f
			}
			var left *ledger.Entry
			if is, ok := after.Lookup(e.Path); ok {
				left = &is
			}
			f.ours = append(f.ours, left)
		}
	}
	var changes []ledger.Change
	for name, f := range files {
		now, err := entryIn(d.Work.Root, name)
		if err != nil {
			return nil, err
		}
		c := ledger.Change{Path: name, Before: now, After: f.was}
		switch {
		case alike(now, f.was):
		case slices.ContainsFunc(f.ours, func(e *ledger.Entry) bool { return alike(now, e) }):
			c.Op = op(c)
			changes = append(changes, c)
		default:
			c.Before, c.After = f.was, now
			c.Op = op(c)
			theirs = append(theirs, c)
		}
	}
	slices.SortFunc(theirs, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	if len(changes) == 0 {
		return theirs, nil
	}
	slices.SortFunc(changes, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	at := d.Rec.Run.Head.Seq
	if after := d.Rec.Run.After; after != nil {
		at += after.Head.Seq
	}
	name := fmt.Sprintf("%s-unversioned-%d-%s", d.Rec.Run.Started.Run, at,
		ledger.Sum([]byte(strings.Join(worktree.Described(changes), "\n"))).Short())
	conflicts, err := d.finish(ctx, name, changes, nil)
	if err == nil && len(conflicts) > 0 {
		err = &conflictError{conflicts}
	}
	if err != nil || d.Rec.Run.Ended != nil {
		return theirs, err
	}
	for _, c := range changes { // the run goes on in its copy
		if err := layer.Renew(ctx, d.Work.Root, d.Work.Dir, c.Path); err != nil {
			return theirs, fmt.Errorf("exec: %w", err)
		}
	}
	return theirs, d.Work.Aside().Enter()
}

// alike reports whether two entries of one path are the same, or both nothing.
func alike(a, b *ledger.Entry) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Same(*b)
}
