package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// A Lane is where one of several steps works that are carried out at once: a
// layer on what the run works in, a worktree of its own beside that of the run,
// or another machine, of which the trees are known here, and nothing else.
type Lane struct {
	*Worktree // that of the run, if the lane is no worktree of its own
	layered   bool
	in        *layer.Layer
	found     []ledger.Change

	away         bool
	from, became *ledger.Tree // what was made elsewhere, of what; nil: nothing
}

// InLayer is a lane that is a layer on what the run works in.
func InLayer(w *Worktree) *Lane { return &Lane{Worktree: w, layered: true} }

// Away is a lane of a step that is carried out elsewhere.
func Away(w *Worktree) *Lane { return &Lane{Worktree: w, away: true} }

// Became notes what was made elsewhere of what the run works in. Both trees are of
// all of the folder, whatever the plan ignores, and the store has their contents.
func (l *Lane) Became(from, now *ledger.Tree) { l.from, l.became = from.Bare(), now.Bare() }

// Lanes are the worktrees of one run. One that was made is kept for the next
// group.
type Lanes struct {
	made []*Lane
}

// Open has lane n, from 0, hold the tree that w holds, and returns it. Several
// lanes may be opened and used at once, as long as w and the state of the run
// stand still; see [Lanes.Grow].
func (l *Lanes) Open(ctx context.Context, w *Worktree, n int) (*Lane, error) {
	lane := l.made[n]
	if lane.Tree != nil && !w.Aside().any() {
		if _, err := lane.TakeBack(ctx, w.Tree); err != nil {
			return lane, err
		}
		_, err := RenewRepository(ctx, lane.Worktree)
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
	return lane, lane.Aside().Enter()
}

// Grow makes room for so many lanes of the run that works in w.
func (l *Lanes) Grow(ctx context.Context, w *Worktree, lanes int) error {
	w.Aside() // before several lanes ask for it at once
	for n := len(l.made); n < lanes; n++ {
		folder := filepath.Join(w.RunDir(), home.LanesName, strconv.Itoa(n+1))
		if err := disk.From(ctx).Anywhere().MakeFolders(folder, 0o755); err != nil {
			return fmt.Errorf("exec: lanes: %w", err)
		}
		l.made = append(l.made, &Lane{Worktree: &Worktree{
			Rec:  &recorder.Recorder{Store: w.Rec.Store, Run: w.Rec.Run, Seen: &guard.Seen{}, Log: w.Rec.Log},
			Root: w.Dir, Dir: filepath.Join(folder, "work"), Scanner: w.Scanner, Base: w.Base, OwnBlobs: w.OwnBlobs,
			RunDir: func() string { return folder }, Warn: w.Warn, There: w.There,
		}})
	}
	return nil
}

// DiscardLayers removes all that lies beside the clone: layers and lanes, those
// of an earlier controller too.
func (w *Worktree) DiscardLayers(ctx context.Context) error {
	var errs []error
	if w.Layers != nil {
		errs = append(errs, w.Layers.Close())
	}
	for _, name := range []string{home.LayersName, home.LanesName} {
		errs = append(errs, layer.Discard(ctx, filepath.Join(w.RunDir(), name)))
	}
	return errors.Join(errs...)
}

// A Made is what was done in a lane.
type Made struct {
	Tree    *ledger.Tree    // that the lane holds
	Changes []ledger.Change // of the tree that it held before
	Aside   []string        // paths in no tree that were written, sorted
	Git     []string        // what moved in the copy of the repository
	flat    map[string]bool // paths of Aside at which no folder is any more
}

// aside notes a path in no tree that was written, and whether a folder is there.
func (m *Made) aside(name string, folder bool) {
	if m.flat == nil {
		m.flat = map[string]bool{}
	}
	m.Aside, m.flat[name] = append(m.Aside, name), !folder
}

// Look finds out what was done in a lane since it was opened; in is the layer,
// if it is one.
func (l *Lane) Look(ctx context.Context, in *layer.Layer) (*Made, error) {
	switch {
	case l.layered:
		return l.lookIn(ctx, in)
	case l.away:
		return l.lookAway()
	}
	before := l.Tree
	now, err := l.Scanner.Scan(ctx, l.Dir, before)
	if err != nil {
		return nil, fmt.Errorf("exec: the tree cannot be read: %w", err)
	}
	made := &Made{Tree: now, Changes: ledger.Diff(before, now)}
	written, stamps, err := l.Aside().Written()
	if err != nil {
		return nil, err
	}
	for _, name := range written {
		made.aside(name, stamps[name].Mode.IsDir())
	}
	state, err := git.Read(l.Dir)
	if err != nil {
		return nil, fmt.Errorf("exec: the repository cannot be read: %w", err)
	}
	made.Git = l.Rec.Run.Git.Moved(state)
	l.Tree = now
	return made, nil
}

// lookIn finds out what was done in a layer.
func (l *Lane) lookIn(ctx context.Context, in *layer.Layer) (made *Made, err error) {
	if l.in = in; in == nil {
		return new(Made), nil
	}
	if l.found, err = in.Changes(ctx, l.Tree); err != nil {
		return nil, fmt.Errorf("exec: what was changed cannot be read: %w", err)
	}
	return l.sorted(), nil
}

// lookAway finds out what was done elsewhere.
func (l *Lane) lookAway() (made *Made, err error) {
	if l.became == nil {
		return &Made{Tree: l.Tree}, nil
	}
	l.found = ledger.Diff(l.from, l.became)
	made = l.sorted()
	if made.Tree, err = With(l.Tree, made.Changes, l.became); err != nil {
		return nil, fmt.Errorf("exec: what was made elsewhere is no tree: %w", err)
	}
	return made, nil
}

// sorted are the changes that were found, those in no tree apart.
func (l *Lane) sorted() *Made {
	made := new(Made)
	for _, c := range l.found {
		switch {
		case c.Op == ledger.Modified && c.Before.Same(*c.After): // at another time
		case !outside(&l.Scanner.Scope, c.Path):
			made.Changes = append(made.Changes, c)
		case c.Path != ".git" && !strings.HasPrefix(c.Path, ".git/"):
			made.aside(c.Path, isFolder(c))
		}
	}
	return made
}

// Open opens a file that was written in a lane, and never leads outside of it.
func (l *Lane) Open(path string) (io.ReadCloser, error) {
	if !l.layered {
		return OpenIn(l.Dir, path)
	}
	if l.in == nil {
		return nil, fs.ErrNotExist
	}
	return l.in.Open(path)
}

// Contents opens what changes of a lane say: from the store, or, where it does
// not hold it yet, from the lane.
func (l *Lane) Contents(ctx context.Context, entry ledger.Entry) (io.ReadCloser, error) {
	r, err := l.Rec.Store.Open(ctx, entry)
	if errors.Is(err, checkpoint.ErrNotFound) && !l.away {
		return l.Open(entry.Path)
	}
	return r, err
}

// Inside are the changes at paths that trees have with their content.
func (w *Worktree) Inside(changes []ledger.Change) []ledger.Change {
	return slices.DeleteFunc(slices.Clone(changes),
		func(c ledger.Change) bool { return outside(&w.Scanner.Scope, c.Path) })
}

// Drop keeps what was done in a lane, and drops it.
func (l *Lane) Drop(ctx context.Context, made *Made) (record.Snapshot, error) {
	if !l.layered {
		return l.keep(ctx, made)
	}
	if l.in == nil || made == nil {
		return record.Snapshot{}, nil
	}
	before := l.Tree
	tree, err := l.merge(ctx, l.in, l.found, before)
	if err != nil {
		return record.Snapshot{}, err
	}
	snap, err := l.Rec.Store.Snapshot(ctx, l.Dir, tree, l.Rec.Run.Tree)
	_, back := l.TakeBack(ctx, before)
	return snap, errors.Join(err, back, l.Aside().Drop(ctx))
}

// Forget drops what was done in a layer, which nobody wants to see.
func (l *Lane) Forget() {
	if l.in != nil {
		_ = l.in.Drop() // it goes with the run
	}
}

// keep keeps what was done in a worktree of a lane's own.
func (l *Lane) keep(ctx context.Context, made *Made) (record.Snapshot, error) {
	return l.Rec.Store.Snapshot(ctx, l.Dir, made.Tree, l.Rec.Run.Tree)
}

// Join does in w, which holds the tree before, what was done in the lane.
func (l *Lane) Join(ctx context.Context, w *Worktree, made *Made, before *ledger.Tree) error {
	w.aside.quiet = w.aside.quiet && len(made.Aside) == 0
	switch {
	case l.layered && l.in == nil, l.away && l.became == nil:
		return nil
	case l.layered:
		_, err := w.merge(ctx, l.in, l.found, before)
		return err
	case l.away:
		return w.put(ctx, before, l.from, l.found, l.became)
	}
	if _, err := l.keep(ctx, made); err != nil {
		return err
	}
	if err := w.put(ctx, before, before, made.Changes, made.Tree); err != nil {
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

// put makes changes to a tree, which made another one, in the folder, which holds
// the tree before: their contents come from the store.
func (w *Worktree) put(ctx context.Context, before, tree *ledger.Tree, changes []ledger.Change,
	made *ledger.Tree) error {
	want, err := With(tree, changes, made)
	if err != nil || len(changes) == 0 {
		return err
	}
	w.folder().write()
	if err := w.Rec.Store.Restore(ctx, w.Dir, want, tree); err != nil {
		w.Disturb()
		return err
	}
	_, err = w.folder().again(ctx, before, paths(changes))
	return err
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
	gone, wrote := map[string]bool{}, slices.Clone(o.Aside)
	for _, c := range m.Changes {
		gone[c.Path] = !isFolder(c)
	}
	for _, c := range o.Changes {
		if c.After != nil {
			wrote = append(wrote, c.Path)
		}
	}
	for _, name := range wrote {
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if gone[folder] || m.flat[folder] {
				paths = append(paths, name)
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
