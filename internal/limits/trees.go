package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

const (
	goalScan     = "scan of an unchanged tree / bare walk"
	goalTen      = "10 changed files, durable checkpoint / bare walk"
	goalTenGit   = "10 changed files / git add -A && git write-tree"
	goalMany     = "1000 changed files / git add -A && git write-tree"
	goalRestore  = "restore of 1000 files / git restore"
	goalRestored = "the same with the scan before it"
	goalFirst    = "first snapshot / read and sha256, 2 threads"
)

// A forest is a tree with all that looks at it.
type forest struct {
	wood
	root   string
	walk   func()
	git    func(args ...string) error
	store  *checkpoint.Store
	log    *checkpoint.Journal
	tree   *ledger.Tree
	snap   record.Snapshot
	change int // changes so far
}

// onTree measures the rows of one tree.
func (s settings) onTree(ctx context.Context, name string, m *meter) error {
	w, ok := woods[name]
	if !ok {
		return fmt.Errorf("there is no tree %q", name)
	}
	if s.wants(goalScan, goalTen, goalTenGit, goalMany, goalRestore, goalRestored, goalFirst, goalLaunch, goalPlain,
		goalWalkTen, goalWalkMany, goalDropTen, goalDropMany, goalGone) {
		f, err := s.forest(ctx, name, w)
		if err != nil {
			return err
		}
		for _, group := range []func(settings, context.Context, string, *forest, *table) error{settings.checkpoints,
			settings.thousands, settings.overlays, settings.first} {
			if err := m.measure(func(all *table) error { return group(s, ctx, name, f, all) }); err != nil {
				return err
			}
		}
	}
	if err := m.measure(func(all *table) error { return s.deliveries(ctx, name, w, all) }); err != nil {
		return err
	}
	return m.measure(func(all *table) error { return s.wholeSteps(ctx, name, w, all) })
}

// forest plants a tree, keeps its first snapshot, and makes a repository of it.
func (s settings) forest(ctx context.Context, name string, w wood) (*forest, error) {
	f := &forest{wood: w}
	var err error
	if f.root, err = s.folder(name + "/tree"); err != nil {
		return nil, err
	}
	if err := w.plant(f.root); err != nil {
		return nil, err
	}
	keep, err := s.folder(name + "/keep")
	if err != nil {
		return nil, err
	}
	if s.wants(goalTenGit, goalMany, goalRestore, goalRestored, goalWalkTen, goalWalkMany, goalDropTen, goalDropMany) {
		if f.git, err = repository(f.root, filepath.Join(keep, "git")); err != nil {
			return nil, err
		}
	}
	blobs, err := folder.Open(ctx, filepath.Join(keep, "objects"))
	if err != nil {
		return nil, err
	}
	f.store = checkpoint.NewStore(blobs)
	log, err := filelog.Witness{Dir: filepath.Join(keep, "state")}.Open(ctx, filepath.Join(keep, "journal"))
	if err != nil {
		return nil, err
	}
	if f.log, err = checkpoint.OpenJournal(ctx, log, "limits", nil, nil); err != nil {
		return nil, err
	}
	f.walk = bareWalk(f.root)
	if err := f.scan(ctx); err != nil {
		return nil, err
	}
	f.snap, err = f.store.Snapshot(ctx, f.root, f.tree, record.Snapshot{})
	return f, err
}

func (f *forest) scan(ctx context.Context) (err error) {
	f.tree, err = new(scan.Scanner).Scan(ctx, f.root, f.tree)
	return err
}

// touch changes n files, and lets a tick of the file system's clock pass, as
// between a step and the next.
func (f *forest) touch(n int) error {
	f.change++
	err := f.wood.touch(f.root, n, f.change)
	time.Sleep(12 * time.Millisecond)
	runtime.GC()
	return err
}

// settle keeps the tree as it is now, with stamps that can be believed, and
// lets the disk finish: what is measured next is about what changes then, and
// not about what git wrote before.
func (f *forest) settle(ctx context.Context) error {
	syncAll()
	time.Sleep(60 * time.Millisecond)
	if err := f.keep(ctx); err != nil {
		return err
	}
	runtime.GC()
	return nil
}

// keep makes a checkpoint of what changed durable, as a step does: scan,
// contents, manifest, journal.
func (f *forest) keep(ctx context.Context) error {
	if err := f.scan(ctx); err != nil {
		return err
	}
	snap, inline, err := f.store.SnapshotInline(ctx, f.root, f.tree, f.snap)
	if err != nil {
		return err
	}
	data, err := json.Marshal(struct {
		Snapshot record.Snapshot `json:"snapshot"`
		Inline   record.Inline   `json:"inline,omitempty"`
	}{snap, inline})
	if err != nil {
		return err
	}
	if _, err := f.log.Append(ctx, record.Fact{Type: "ledger", Step: "1.1", Attempt: 1, Data: data}); err != nil {
		return err
	}
	f.store.Settle()
	f.snap = snap
	return nil
}

func (f *forest) gitAdd() error {
	if f.git == nil {
		return nil
	}
	if err := f.git("add", "-A"); err != nil {
		return err
	}
	return f.git("write-tree")
}

// checkpoints measures the scan and the small checkpoints, in turns.
func (s settings) checkpoints(ctx context.Context, name string, f *forest, all *table) error {
	if !s.wants(goalScan, goalTen, goalTenGit) {
		return nil
	}
	var same, ten, tenGit pair
	for range s.rounds {
		if err := f.settle(ctx); err != nil {
			return err
		}
		f.timeWalk(&same.theirs)
		if err := timed(&same.ours, func() error { return f.scan(ctx) }); err != nil {
			return err
		}
		if err := f.touch(10); err != nil {
			return err
		}
		f.timeWalk(&ten.theirs)
		if err := timed(&ten.ours, func() error { return f.keep(ctx) }); err != nil {
			return err
		}
		if err := timed(&tenGit.theirs, f.gitAdd); err != nil {
			return err
		}
	}
	tenGit.ours = ten.ours
	all.ratio(goalScan, name, same.ours, same.theirs, 0.85)
	all.ratio(goalTen, name, ten.ours, ten.theirs, 1.0)
	if f.git != nil {
		all.ratio(goalTenGit, name, tenGit.ours, tenGit.theirs, 0.4)
	}
	return nil
}

// thousands measures the large checkpoints and the restore. What they write is
// much, and the disk would still be at it when small ones are measured in turn
// with them.
func (s settings) thousands(ctx context.Context, name string, f *forest, all *table) error {
	if f.git == nil || !s.wants(goalMany, goalRestore, goalRestored) {
		return nil
	}
	var many, restore, whole pair
	for range s.rounds {
		if err := f.settle(ctx); err != nil {
			return err
		}
		if err := f.thousand(ctx, &many, &restore, &whole); err != nil {
			return err
		}
	}
	all.ratio(goalMany, name, many.ours, many.theirs, 0.15)
	all.ratio(goalRestore, name, restore.ours, restore.theirs, 0.1)
	all.ratio(goalRestored, name, whole.ours, restore.theirs, 0)
	return nil
}

func (f *forest) timeWalk(into *[]time.Duration) {
	_ = timed(into, func() error { f.walk(); return nil })
}

// thousand changes 1000 files and keeps them, and then changes them once more
// and takes that back; each by us and by git.
func (f *forest) thousand(ctx context.Context, many, restore, whole *pair) error {
	n := min(1000, f.files)
	if err := f.touch(n); err != nil {
		return err
	}
	if err := timed(&many.ours, func() error { return f.keep(ctx) }); err != nil {
		return err
	}
	if err := timed(&many.theirs, f.gitAdd); err != nil {
		return err
	}
	want := f.tree
	if err := f.touch(n); err != nil {
		return err
	}
	start := time.Now()
	if err := f.scan(ctx); err != nil {
		return err
	}
	if err := timed(&restore.ours, func() error { return f.store.Restore(ctx, f.root, want, f.tree) }); err != nil {
		return err
	}
	whole.ours = append(whole.ours, time.Since(start))
	if err := f.touch(n); err != nil {
		return err
	}
	return timed(&restore.theirs, func() error { return f.git("restore", ".") })
}

// first measures the first snapshot, scan included.
func (s settings) first(ctx context.Context, name string, f *forest, all *table) error {
	if !s.wants(goalFirst) {
		return nil
	}
	var p pair
	for i := range max(3, s.rounds/3) {
		runtime.GC()
		if err := timed(&p.theirs, func() error { return readAll(f.root) }); err != nil {
			return err
		}
		objects := filepath.Join(s.work, fmt.Sprintf("first%d", i))
		blobs, err := folder.Open(ctx, objects)
		if err != nil {
			return err
		}
		if err := timed(&p.ours, func() error {
			tree, err := new(scan.Scanner).Scan(ctx, f.root, nil)
			if err != nil {
				return err
			}
			_, err = checkpoint.NewStore(blobs).Snapshot(ctx, f.root, tree, record.Snapshot{})
			return err
		}); err != nil {
			return err
		}
		if err := blobs.Close(); err != nil {
			return err
		}
		if err := os.RemoveAll(objects); err != nil {
			return err
		}
	}
	all.ratio(goalFirst, name, p.ours, p.theirs, 4)
	return nil
}
