package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/ledger"
)

// A machine is a layer of a disk that cannot do everything, and on which
// somebody edits files in the moment in which they are delivered.
type machine struct {
	next   disk.Layer
	dir    string
	cannot func(m *machine, op *disk.Op) error
	edits  map[string]act    // by paths
	edited map[string][2]int // when each edit began, and when it was durable
	now    func() int
}

func (m *machine) Boot() string { return m.next.Boot() }

func (m *machine) Do(op *disk.Op, run func() error) error {
	if err := m.cannot(m, op); err != nil {
		return err
	}
	if op.Kind == disk.Exchange || op.Kind == disk.RenameNew {
		for path, edit := range m.edits {
			at := filepath.Join(m.dir, path)
			if _, again := m.edited[path]; again || op.Path != at && op.To != at {
				continue
			}
			began := m.now()
			if err := edit(m.dir); err != nil {
				return err
			}
			m.edited[path] = [2]int{began, m.now()}
		}
	}
	return m.next.Do(op, run)
}

func able(*machine, *disk.Op) error { return nil }

// apart is a machine whose stage lies on another file system.
func apart(m *machine, op *disk.Op) error {
	own := filepath.Join(m.dir, ".planlock") + "/"
	if (op.Kind == disk.Exchange || op.Kind == disk.RenameNew || op.Kind == disk.Rename || op.Kind == disk.Link) &&
		strings.HasPrefix(op.Path, own) != strings.HasPrefix(op.To, own) {
		return &os.LinkError{Op: string(op.Kind), Old: op.Path, New: op.To, Err: syscall.EXDEV}
	}
	return nil
}

// old is a machine that cannot exchange.
func old(_ *machine, op *disk.Op) error {
	if op.Kind == disk.Exchange || op.Kind == disk.RenameNew || op.Kind == disk.SyncAll {
		return &os.LinkError{Op: string(op.Kind), Old: op.Path, New: op.To, Err: errors.ErrUnsupported}
	}
	return nil
}

// durably has somebody save a file, so that it outlives a power cut.
func durably(d *disk.Disk, path string, flags int) act {
	return func(dir string) error {
		root, err := d.OpenRoot(filepath.Dir(filepath.Join(dir, path)))
		if err != nil {
			return err
		}
		f, err := root.OpenFile(filepath.Base(path), os.O_WRONLY|flags, 0o644)
		if err != nil {
			return errors.Join(err, root.Close())
		}
		_, err = f.Write([]byte(foreign))
		return errors.Join(err, f.Sync(), f.Close(), root.SyncFolder("."), root.Close())
	}
}

// A scene is work to be delivered on a machine.
type scene struct {
	before, after string
	cannot        func(*machine, *disk.Op) error
	edited        []string
	changes       []ledger.Change
	content       ledger.Content
}

var powerFew = [2]string{"m f644 one\n s f644 one\n g f644 one\n r/y f644 one\n k f644 kept\n l -> one",
	"m f755 another\n s f644 two\n n f644 new\n e/x f644 new\n k f644 kept\n l -> two"}

// powerMany is so much that all of a file system is synced at once.
var powerMany = [2]string{powerFew[0] + "\n" + many(9, "one"), powerFew[1] + "\n" + many(11, "two")}

func scenes(t *testing.T) map[string]*scene {
	all := map[string]*scene{
		"few":             {before: powerFew[0], after: powerFew[1], cannot: able},
		"many":            {before: powerMany[0], after: powerMany[1], cannot: able},
		"raced":           {before: powerFew[0], after: powerFew[1], cannot: able, edited: []string{"m", "g", "n"}},
		"apart":           {before: powerFew[0], after: powerFew[1], cannot: apart},
		"apart and raced": {before: powerFew[0], after: powerFew[1], cannot: apart, edited: []string{"m", "g", "n"}},
		"old":             {before: powerMany[0], after: powerMany[1], cannot: old},
	}
	for _, s := range all {
		before, after := lay(t, s.before), lay(t, s.after)
		s.changes, s.content = ledger.Diff(scanned(t, before), scanned(t, after)), from(after)
	}
	return all
}

// machine is a machine for the scene, in dir, whose disk is next.
func (s *scene) machine(dir string, next disk.Layer, now func() int) *machine {
	m := &machine{next: next, dir: dir, cannot: s.cannot, edits: map[string]act{},
		edited: map[string][2]int{}, now: now}
	for _, path := range s.edited {
		flags := os.O_TRUNC
		if path == "n" {
			flags = os.O_CREATE
		}
		m.edits[path] = durably(disk.New(next), path, flags)
	}
	return m
}

// TestPower cuts the power at every operation of a delivery, with what was not
// synced lost in all classes of ways. The next delivery of the same work goes
// forward. At no time is a path anything but old, new, or what somebody saved.
func TestPower(t *testing.T) {
	every, seeds := 11, 3
	switch {
	case whole:
		every, seeds = 1, 300
	case testing.Short():
		every, seeds = 31, 1
	}
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			home := fast(t)
			c := s.record(t, filepath.Join(home, "ws"))
			cuts := 0
			cut := func(k int, name string, choose powercut.Choice) {
				cuts++
				c.cut(t, k, name, choose)
			}
			for k := 0; k <= c.trace.Len(); k++ {
				if k%every == 0 || k == c.trace.Len() {
					cut(k, "nothing is lost", powercut.Nothing)
					cut(k, "everything is lost", powercut.Everything)
				}
				for _, p := range c.trace.At(k).Pending() {
					if (k+p)%(every*every) == 0 {
						cut(k, "lost is "+c.trace.Operation(p), powercut.Only(p))
					}
				}
			}
			for seed := range uint64(seeds) {
				rng := rand.New(rand.NewPCG(seed, 1))
				c.again(t, rng, 3)
			}
			t.Logf("%d operations, %d power cuts, %d times three", c.trace.Len(), cuts, seeds)
		})
	}
}

// A course is a delivery that was recorded.
type course struct {
	*scene
	home   string
	trace  *powercut.Trace
	before edits
	edited map[string][2]int // when edits began, and when they were durable
	ended  int               // after so many operations Finish had returned
}

// record lays the scene and delivers.
func (s *scene) record(t *testing.T, dir string) *course {
	t.Helper()
	must(t, os.Mkdir(dir, 0o755))
	add(t, dir, s.before)
	return s.carryOn(t, dir, edits{})
}

// Edits are what somebody did until some moment, by paths: whether it is
// durable, or half.
type edits map[string]bool

// carryOn delivers on a disk that records. What was edited before is not edited
// again.
func (s *scene) carryOn(t *testing.T, dir string, before edits) *course {
	t.Helper()
	rec, err := powercut.New(dir, "")
	must(t, err)
	m := s.machine(dir, rec, rec.Now)
	now := maps.Clone(before)
	for path := range before {
		delete(m.edits, path)
	}
	ctx := disk.With(context.Background(), disk.New(m))
	conflicts, err := deliver(ctx, dir, "d", s.changes, s.content)
	if err != nil {
		t.Fatal(err)
	}
	c := &course{scene: s, home: filepath.Dir(dir), trace: rec.Trace(), ended: rec.Now(), before: before, edited: m.edited}
	must(t, rec.Check())
	for path := range m.edited {
		now[path] = true
	}
	s.check(t, dir, conflicts, now)
	return c
}

// cut lets the power go after k operations, looks, recovers, and looks again.
func (c *course) cut(t *testing.T, k int, name string, choose powercut.Choice) {
	t.Helper()
	dir := filepath.Join(c.home, "cut")
	defer os.RemoveAll(dir)
	must(t, c.trace.At(k).Build(dir, choose))
	done := c.until(k)
	at := fmt.Sprintf("after %d operations, %s", k, name)
	c.between(t, at, dir, done, k >= c.ended)
	conflicts, err := deliver(t.Context(), dir, "d", c.changes, c.content)
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return
	}
	failed := t.Failed()
	if c.check(t, dir, conflicts, done); t.Failed() && !failed {
		t.Log(at)
	}
}

// until are the edits until operation k.
func (c *course) until(k int) edits {
	done := maps.Clone(c.before)
	for path, when := range c.edited {
		if when[0] < k {
			done[path] = when[1] <= k
		}
	}
	return done
}

// again cuts the power some times, each time while the delivery before is
// recovered.
func (c *course) again(t *testing.T, rng *rand.Rand, times int) {
	t.Helper()
	for n := range times {
		dir := filepath.Join(c.home, fmt.Sprint("again", n))
		defer os.RemoveAll(dir)
		k := rng.IntN(c.trace.Len() + 1)
		must(t, c.trace.At(k).Build(dir, powercut.Random(rng.Uint64())))
		c = c.carryOn(t, dir, c.until(k))
	}
}

// between looks at what a power cut left.
func (c *course) between(t *testing.T, at, dir string, done edits, ended bool) {
	t.Helper()
	is := scanned(t, dir)
	for _, change := range c.changes {
		now, there := is.Lookup(change.Path)
		_, edited := done[change.Path]
		isOld := there == (change.Before != nil) && (!there || now.Same(*change.Before))
		isNew := there == (change.After != nil) && (!there || now.Same(*change.After) ||
			now.Kind == ledger.Dir && change.After.Kind == ledger.Dir)
		mayGo := change.After == nil || change.Before == nil
		if isNew || isOld && !ended || edited && (there && now.Kind == ledger.File || mayGo) {
			continue
		}
		t.Errorf("%s: %s is %v, neither %v nor %v", at, change.Path, now, change.Before, change.After)
	}
	for path, durable := range done {
		if durable && !has(contents(dir), foreign, path) {
			t.Errorf("%s: what was saved in %s is nowhere", at, path)
		}
	}
}

// has reports whether a content is there, at a path or below .planlock.
func has(texts map[string]string, content, path string) bool {
	for at, text := range texts {
		if text == content && (at == path || strings.Contains(at, ".planlock")) {
			return true
		}
	}
	return false
}

// check looks at a workspace after a delivery that said that it is finished.
func (s *scene) check(t *testing.T, dir string, conflicts []delivery.Conflict, edited edits) {
	t.Helper()
	is := scanned(t, dir)
	for _, c := range s.changes {
		now, there := is.Lookup(c.Path)
		isNew := there == (c.After != nil) && (!there || now.Same(*c.After))
		isConflict := slices.ContainsFunc(conflicts, func(x delivery.Conflict) bool { return x.Change.Path == c.Path })
		_, isEdited := edited[c.Path]
		if !isEdited && (!isNew || isConflict) || isEdited && !isNew && !isConflict {
			t.Errorf("%s is %v, and conflicts are %v", c.Path, now, conflicts)
		}
	}
	found, texts := findings(t, dir), contents(dir)
	for path, durable := range edited {
		names := func(f delivery.Finding) bool { return f.Was.Path == path && texts[f.Kept] == foreign }
		if durable && texts[path] != foreign && !slices.ContainsFunc(found, names) {
			t.Errorf("what was saved in %s is lost", path)
		}
	}
	for _, f := range found {
		if _, ok := edited[f.Was.Path]; !ok {
			t.Errorf("somebody is said to have written: %v, %v", f, texts[f.Kept])
		}
	}
	for at := range texts {
		if strings.HasPrefix(at, ".planlock/stage/") || strings.Contains(at, ".planlock-") &&
			!slices.ContainsFunc(found, func(f delivery.Finding) bool { return f.Kept == at }) {
			t.Errorf("%s is left", at)
		}
	}
	again, err := deliver(t.Context(), dir, "d", s.changes, s.content)
	if err != nil || len(again) != len(conflicts) {
		t.Errorf("once more: %v, %v; the first time %v", again, err, conflicts)
	}
}
