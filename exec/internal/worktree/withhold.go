package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// withheldName is the folder beside the copy for what is withheld; it goes with the
// lanes, if the controller dies.
const withheldName = home.LanesName + "/withheld"

// Begin notes what the folder holds aside when an attempt begins.
func (a *Aside) Begin() (err error) {
	if !a.any() {
		return nil
	}
	if a.begun = a.last(); !a.quiet || a.begun == nil {
		a.begun, err = a.stamps(a.of.Dir)
	}
	if err == nil && a.known == nil { // a controller was killed before it noted it
		err = a.Know(a.begun)
	}
	return err
}

// Withheld is what an attempt wrote aside, while the folder holds there what it held
// before.
type Withheld struct {
	Paths []string // that were written, sorted, without what lies below one of them
	Why   string   // they could not be withheld, and the folder holds them

	of      *Aside
	root    *disk.Root // beside the copy
	copy    string     // in it
	swapped int        // of the paths
}

// Withhold has the folder hold aside what it held when the attempt began, as the
// workspace has it still, and nothing where it has not: at ignored paths alone, as
// the names of others are in the tree. [Withheld.Back] undoes that. Of more than
// most paths it does nothing.
func (a *Aside) Withhold(ctx context.Context, most int) (*Withheld, error) {
	w := &Withheld{of: a}
	if !a.any() || a.quiet || a.begun == nil {
		return w, nil
	}
	now, err := a.stamps(a.of.Dir)
	if err != nil {
		return nil, err
	}
	for _, path := range differing(a.begun, now) {
		if a.of.Scanner.Scope.Level(path) == ledger.Ignored && !within(path, w.Paths) {
			w.Paths = append(w.Paths, path)
		}
	}
	if len(w.Paths) > most {
		w.Why = fmt.Sprintf("the step wrote more than %d paths besides the tree", most)
	}
	if len(w.Paths) == 0 || w.Why != "" {
		return w, nil
	}
	if err = w.begin(ctx); err == nil {
		for _, path := range w.Paths {
			if err = w.swap(ctx, path); err != nil {
				break
			}
		}
	}
	if err != nil {
		w.Why = err.Error()
		return w, w.Back(ctx)
	}
	return w, nil
}

// begin makes room for what is withheld, beside the copy.
func (w *Withheld) begin(ctx context.Context) (err error) {
	beside := w.of.of.RunDir()
	if w.copy, err = filepath.Rel(beside, w.of.of.Dir); err != nil {
		return err
	}
	if w.root, err = disk.From(ctx).OpenRoot(beside); err != nil {
		return err
	}
	return errors.Join(w.root.RemoveAll(withheldName), w.root.MakeFolders(withheldName, 0o700))
}

// swap takes what was written at a path out of the copy, and has that hold there
// what it held before.
func (w *Withheld) swap(ctx context.Context, path string) error {
	a, at := w.of, filepath.FromSlash(path)
	err := w.root.Rename(filepath.Join(w.copy, at), w.place("new"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.swapped++
	if was, ok := a.begun[path]; ok && a.known[path].same(was) && a.Still(path) {
		return layer.Renew(ctx, a.of.Root, a.of.Dir, at)
	}
	return nil
}

// place is where something lies of the path that is swapped.
func (w *Withheld) place(what string) string {
	return filepath.Join(withheldName, strconv.Itoa(w.swapped)+what)
}

// Back has the folder hold again what was written.
func (w *Withheld) Back(ctx context.Context) error {
	if w.root == nil {
		return nil
	}
	var errs []error
	rename := func(from, to string) {
		if err := w.root.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("exec: what a step left besides the tree cannot be put back: %w", err))
		}
	}
	for w.swapped > 0 {
		w.swapped--
		at := filepath.Join(w.copy, filepath.FromSlash(w.Paths[w.swapped]))
		rename(at, w.place("old"))
		rename(w.place("new"), at)
	}
	return errors.Join(append(errs, layer.Discard(ctx, filepath.Join(w.of.of.RunDir(), withheldName)), w.root.Close())...)
}
