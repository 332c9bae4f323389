package worktree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// lanesName is the folder of the lanes of a run, beside its clone.
const lanesName = "lanes"

// A Lane is a worktree of a run beside its own, for one of several steps that
// are carried out at once.
type Lane struct{ *Worktree }

// Lanes are those of one run. A lane that was made is kept for the next group.
type Lanes struct {
	made []Lane
}

// Open has lane n, from 0, hold the tree that w holds, and returns it. Several
// lanes may be opened and used at once, as long as w and the state of the run
// stand still; see [Lanes.Grow].
func (l *Lanes) Open(ctx context.Context, w *Worktree, n int) (Lane, error) {
	lane := l.made[n]
	if lane.Tree != nil && !w.setsAside() {
		if _, err := lane.TakeBack(ctx, w.Tree); err != nil {
			return lane, err
		}
		_, err := lane.RenewRepository(ctx)
		return lane, err
	}
	lane.Tree = nil
	if err := layer.Discard(ctx, lane.Dir); err != nil {
		return lane, fmt.Errorf("exec: %w", err)
	}
	if err := layer.Clone(ctx, w.Dir, lane.Dir); err != nil {
		return lane, fmt.Errorf("exec: %w", err)
	}
	have, err := lane.Scanner.Scan(ctx, lane.Dir, nil)
	if err != nil {
		return lane, err
	}
	lane.Tree = have
	if _, err := lane.TakeBack(ctx, w.Tree); err != nil {
		return lane, err
	}
	return lane, lane.EnterAside()
}

// Grow makes room for so many lanes of the run that works in w.
func (l *Lanes) Grow(ctx context.Context, w *Worktree, lanes int) error {
	for n := len(l.made); n < lanes; n++ {
		folder := filepath.Join(w.RunDir(), lanesName, strconv.Itoa(n+1))
		if err := disk.From(ctx).Anywhere().MakeFolders(folder, 0o755); err != nil {
			return fmt.Errorf("exec: lanes: %w", err)
		}
		l.made = append(l.made, Lane{&Worktree{
			Rec:  &recorder.Recorder{Store: w.Rec.Store, Run: w.Rec.Run, Seen: &guard.Seen{}, Log: w.Rec.Log},
			Root: w.Dir, Dir: filepath.Join(folder, "work"), Scanner: w.Scanner, Base: w.Base, OwnBlobs: w.OwnBlobs,
			RunDir: func() string { return folder }, Warn: w.Warn,
		}})
	}
	return nil
}

// DiscardLanes removes the lanes of the run that works in w, those of an earlier controller too.
func DiscardLanes(ctx context.Context, w *Worktree) error {
	return layer.Discard(ctx, filepath.Join(w.RunDir(), lanesName))
}

// A Made is what was done in a lane.
type Made struct {
	Tree    *ledger.Tree    // that the lane holds
	Changes []ledger.Change // of the tree that it held before
	Aside   []string        // paths in no tree that were written, sorted
	Git     []string        // what moved in the copy of the repository
}

// Look finds out what was done in a lane since it was opened.
func (l Lane) Look(ctx context.Context) (*Made, error) {
	before := l.Tree
	now, err := l.Scanner.Scan(ctx, l.Dir, before)
	if err != nil {
		return nil, fmt.Errorf("exec: the tree cannot be read: %w", err)
	}
	made := &Made{Tree: now, Changes: ledger.Diff(before, now)}
	if made.Aside, _, err = l.WrittenAside(); err != nil {
		return nil, err
	}
	state, err := git.Read(l.Dir)
	if err != nil {
		return nil, fmt.Errorf("exec: the repository cannot be read: %w", err)
	}
	made.Git = l.Rec.Run.Git.Moved(state)
	l.Tree = now
	return made, nil
}

// Keep keeps what was done in a lane.
func (l Lane) Keep(ctx context.Context, made *Made) (record.Snapshot, error) {
	return l.Rec.Store.Snapshot(ctx, l.Dir, made.Tree, l.Rec.Run.Tree)
}

// Join does in w, which holds the tree before, what was done in the lane.
func (l Lane) Join(ctx context.Context, w *Worktree, made *Made, before *ledger.Tree) error {
	want, err := With(before, made.Changes, made.Tree)
	if err != nil {
		return err
	}
	if _, err := l.Keep(ctx, made); err != nil {
		return err
	}
	if err := w.Rec.Store.Restore(ctx, w.Dir, want, before); err != nil {
		return err
	}
	var errs []error
	for i, name := range made.Aside {
		if !within(name, made.Aside[:i]) {
			errs = append(errs, layer.Renew(ctx, l.Dir, w.Dir, filepath.FromSlash(name)))
		}
	}
	return errors.Join(errs...)
}

// Meets names the paths at which two lanes did not leave each other alone,
// sorted: both wrote them, or one wrote in what is no folder any more in the
// other. That both made the same folder is none.
func (m *Made) Meets(o *Made) []string {
	at := map[string]ledger.Change{}
	for _, c := range m.Changes {
		at[c.Path] = c
	}
	var paths []string
	for _, c := range o.Changes {
		if was, both := at[c.Path]; both && !(isFolder(was) && isFolder(c) && was.After.Same(*c.After)) {
			paths = append(paths, c.Path)
		}
	}
	for _, name := range o.Aside {
		if slices.Contains(m.Aside, name) {
			paths = append(paths, name)
		}
	}
	paths = append(append(paths, m.inGone(o)...), o.inGone(m)...)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// inGone are the paths that o wrote in what m removed, or made no folder.
func (m *Made) inGone(o *Made) (paths []string) {
	gone := map[string]bool{}
	for _, c := range m.Changes {
		gone[c.Path] = !isFolder(c)
	}
	for _, c := range o.Changes {
		for folder := path.Dir(c.Path); folder != "." && c.After != nil; folder = path.Dir(folder) {
			if gone[folder] {
				paths = append(paths, c.Path)
				break
			}
		}
	}
	return paths
}

func isFolder(c ledger.Change) bool { return c.After != nil && c.After.Kind == ledger.Dir }

// Wrote names the paths that were written and that a pattern stands for.
func (m *Made) Wrote(patterns []string) (paths []string) {
	for _, c := range m.Changes {
		if slices.ContainsFunc(patterns, func(p string) bool { return ledger.Match(p, c.Path) }) && !isFolder(c) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// Moved names the paths of what was done that are not in a tree as the lane
// found them, so that it cannot be done there.
func (m *Made) Moved(tree *ledger.Tree) (paths []string) {
	for _, c := range m.Changes {
		have, ok := tree.Lookup(c.Path)
		switch {
		case isFolder(c) && ok && have.Kind == ledger.Dir:
		case ok != (c.Before != nil), ok && !have.Same(*c.Before):
			paths = append(paths, c.Path)
		}
	}
	return paths
}
