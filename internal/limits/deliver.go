package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

const (
	goalDeliverTen  = "delivery of 10 files, durable / git checkout"
	goalDeliverMany = "delivery of 1000 files, durable / git checkout"
)

// A shipment is work that is delivered into a tree, there and back, and the
// same two commits of a repository.
type shipment struct {
	wood
	root   string // of the workspace
	sides  [2]string
	there  []ledger.Change
	back   []ledger.Change
	git    func(args ...string) error
	rounds int
}

// deliveries measures deliveries. The workspace and the tree of git are two
// copies of one tree.
func (s settings) deliveries(ctx context.Context, name string, w wood, all *table) error {
	for goal, n := range map[string]int{goalDeliverTen: 10, goalDeliverMany: 1000} {
		if !s.wants(goal) {
			continue
		}
		x, err := s.shipment(ctx, fmt.Sprint(name, "/delivery", n), w, min(n, w.files))
		if err != nil {
			return err
		}
		var p pair
		for range s.rounds {
			if err := x.ship(ctx, &p); err != nil {
				return err
			}
		}
		all.ratio(goal, name, p.ours, p.theirs, 1)
	}
	return nil
}

// shipment plants both trees, and changes n files.
func (s settings) shipment(ctx context.Context, name string, w wood, n int) (*shipment, error) {
	x := &shipment{wood: w}
	var dirs [5]string
	for i, part := range []string{"tree", "old", "new", "git-tree", "git"} {
		var err error
		if dirs[i], err = s.folder(name + "/" + part); err != nil {
			return nil, err
		}
	}
	x.root, x.sides = dirs[0], [2]string{dirs[1], dirs[2]}
	theirs := dirs[3]
	if err := errors.Join(w.plant(x.root), w.plant(theirs)); err != nil {
		return nil, err
	}
	var err error
	if x.git, err = repository(theirs, filepath.Join(dirs[4], "git")); err != nil {
		return nil, err
	}
	if err := w.touch(theirs, n, 1); err != nil {
		return nil, err
	}
	if x.git != nil {
		for _, args := range [][]string{{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "change"},
			{"branch", "new"}, {"branch", "old", "HEAD~"}} {
			if err := x.git(args...); err != nil {
				return nil, err
			}
		}
	}
	before, err := new(scan.Scanner).Scan(ctx, x.root, nil)
	if err != nil {
		return nil, err
	}
	after, err := (&scan.Scanner{Scope: ledger.Scope{Ignore: []string{".git"}}}).Scan(ctx, theirs, nil)
	if err != nil {
		return nil, err
	}
	x.there, x.back = ledger.Diff(before, after), ledger.Diff(after, before)
	if len(x.there) != n {
		return nil, fmt.Errorf("%d files differ, not %d", len(x.there), n)
	}
	for _, c := range x.there { // as they lie in the layer in which they were made
		if err := errors.Join(copyFile(x.root, dirs[1], c.Path), copyFile(theirs, dirs[2], c.Path)); err != nil {
			return nil, err
		}
	}
	if x.git == nil {
		return x, nil
	}
	return x, x.git("checkout", "-q", "old")
}

func copyFile(from, to, path string) error {
	data, err := os.ReadFile(filepath.Join(from, path))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(to, path)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, path), data, 0o644)
}

// ship delivers there or back, and has git do the same.
func (x *shipment) ship(ctx context.Context, p *pair) error {
	x.rounds++
	changes, side, branch := x.there, x.sides[1], "new"
	if x.rounds%2 == 0 {
		changes, side, branch = x.back, x.sides[0], "old"
	}
	x.settle()
	place, err := delivery.Open(ctx, x.root)
	if err != nil {
		return err
	}
	defer place.Close()
	content := func(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
		return os.Open(filepath.Join(side, filepath.FromSlash(e.Path)))
	}
	if err := timed(&p.ours, func() error {
		d, err := place.Stage(ctx, fmt.Sprint("delivery-", x.rounds), slices.Clone(changes), content)
		if err != nil {
			return err
		}
		conflicts, err := d.Finish(ctx)
		if len(conflicts) > 0 {
			err = errors.Join(err, fmt.Errorf("%d conflicts, first %v", len(conflicts), conflicts[0]))
		}
		return err
	}); err != nil {
		return err
	}
	if x.git == nil {
		return nil
	}
	x.settle()
	return timed(&p.theirs, func() error { return x.git("checkout", "-q", branch) })
}

// settle lets the disk finish, and the clock of the file system tick.
func (x *shipment) settle() {
	syncAll()
	time.Sleep(60 * time.Millisecond)
	runtime.GC()
}
