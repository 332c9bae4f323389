package deliveries

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
)

// MayGoBack refuses to bring the workspace back to an earlier tree of the run
// where that would touch what its steps did not make.
func (d *Deliveries) MayGoBack(ctx context.Context, to record.Snapshot) error {
	changes, err := d.back(ctx, to)
	if err != nil {
		return err
	}
	conflicts, err := d.Place.Conflicts(ctx, changes)
	if err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	var theirs []string
	for _, c := range conflicts {
		theirs = append(theirs, c.String())
	}
	if len(theirs) == 0 {
		return nil
	}
	return &session.Refusal{Run: d.Rec.Run.Started.Run, Reasons: bound.First(theirs, bound.Lines),
		Hint: "no step made what stands there: put it elsewhere, or put back what the run left, and roll back then"}
}

// GoBack brings the workspace of a run that has ended back to an earlier tree.
func (d *Deliveries) GoBack(ctx context.Context, to record.Snapshot) error {
	changes, err := d.back(ctx, to)
	if err != nil || len(changes) == 0 {
		return err
	}
	var text []byte
	for _, c := range changes {
		text = append(append(text, c.String()...), 0)
	}
	name := fmt.Sprintf("%s-back-%s", d.Rec.Run.Started.Run, ledger.Sum(text).Short())
	conflicts, err := d.finish(ctx, name, changes, nil)
	if err == nil && len(conflicts) > 0 {
		err = &conflictError{conflicts}
	}
	return err
}

// back are the changes that make of what steps of the run left what stood there
// before; those are left out that were made already.
func (d *Deliveries) back(ctx context.Context, to record.Snapshot) ([]ledger.Change, error) {
	want, err := d.tree(ctx, to)
	if err != nil {
		return nil, err
	}
	differ := map[string]ledger.Change{}
	for _, left := range d.left() {
		from, err := d.tree(ctx, left)
		if err != nil {
			return nil, err
		}
		for _, c := range deliverable(want, ledger.Diff(from, want)) {
			differ[c.Path] = c
		}
	}
	now, err := d.scan(ctx)
	if err != nil {
		return nil, err
	}
	var changes []ledger.Change
	for _, name := range slices.Sorted(maps.Keys(differ)) {
		c := differ[name]
		have, ok := now.Lookup(name)
		if c.After == nil && !ok || c.After != nil && ok && have.Same(*c.After) {
			continue
		}
		if ok && (c.Before == nil || !have.Same(*c.Before)) && d.wasOurs(ctx, have) {
			c.Before = &have // it was rolled back before
		}
		changes = append(changes, c)
	}
	return d.keepingAside(changes), nil
}

// left are the trees that the run left in the workspace, the latest at the end:
// what it delivered, or what it was set back to since. Where that was cut off,
// it holds some of each.
func (d *Deliveries) left() []record.Snapshot {
	run := d.Rec.Run
	all := []record.Snapshot{run.Placed}
	if run.After == nil {
		return all
	}
	for _, b := range run.After.Setbacks {
		if b.Done {
			all = nil
		}
		all = append(all, b.Snapshot)
	}
	return all
}

// keepingAside are changes without the folders that would go and hold what is in no
// tree: that is left alone.
func (d *Deliveries) keepingAside(changes []ledger.Change) []ledger.Change {
	holds := map[string]bool{}
	for _, c := range slices.Backward(changes) { // what a folder holds before the folder
		if c.After != nil || c.Before.Kind != ledger.Dir {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(d.Work.Root, filepath.FromSlash(c.Path))) // of none, it goes
		holds[c.Path] = slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			name := path.Join(c.Path, e.Name())
			return holds[name] || d.Work.Scanner.Scope.Level(name) == ledger.Ignored
		})
	}
	return slices.DeleteFunc(changes, func(c ledger.Change) bool { return holds[c.Path] })
}

// wasOurs reports whether an entry stood in a tree that the run had.
func (d *Deliveries) wasOurs(ctx context.Context, e ledger.Entry) bool {
	for _, s := range d.Rec.Run.Steps {
		if s.Checkpoint == nil {
			continue
		}
		tree, err := d.tree(ctx, s.Checkpoint.Checkpoint)
		if err != nil {
			return false
		}
		if was, ok := tree.Lookup(e.Path); ok && was.Same(e) {
			return true
		}
	}
	return false
}

// A conflictError says that somebody was quicker.
type conflictError struct{ conflicts []delivery.Conflict }

func (e *conflictError) Error() string {
	return fmt.Sprintf("exec: somebody else works in the workspace: %v (and %d more): it was left alone, all else was rolled back",
		e.conflicts[0], len(e.conflicts)-1)
}
