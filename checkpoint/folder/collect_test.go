package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

func openStore(t testing.TB, dir string) *Blobs {
	t.Helper()
	d, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// put keeps texts durably in a pack of its own.
func put(t testing.TB, dir string, texts ...string) {
	t.Helper()
	d := openStore(t, dir)
	for _, text := range texts {
		if err := d.Put(t.Context(), ledger.Sum([]byte(text)), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.Sync(t.Context()), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// holds says which of texts can be read.
func holds(t testing.TB, d *Blobs, texts ...string) (all []string) {
	t.Helper()
	for _, text := range texts {
		got, err := checkpoint.NewStore(d).Get(t.Context(), ledger.Sum([]byte(text)))
		if err == nil && string(got) == text {
			all = append(all, text)
		} else if !errors.Is(err, checkpoint.ErrNotFound) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	return all
}

func packsIn(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, packFolder, "*"+packExt))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func sumsOf(texts ...string) (all []ledger.Digest) {
	for _, text := range texts {
		all = append(all, ledger.Sum([]byte(text)))
	}
	return all
}

var long = strings.Repeat("long ", 300_000)

func TestCollect(t *testing.T) {
	for _, c := range []struct {
		name  string
		packs [][]string
		keep  []string
		want  Collected // Bytes is not compared
		left  int       // packs
	}{
		{"nothing is needed", [][]string{{"a", "b"}, {"c"}}, nil, Collected{Packs: 2, Removed: 2, Contents: 3}, 0},
		{"all is needed", [][]string{{"a", "b"}, {"c"}}, []string{"a", "b", "c"}, Collected{Packs: 2, Kept: 3}, 2},
		{"a part is needed", [][]string{{"a", long}, {"c"}}, []string{"a", "c"},
			Collected{Packs: 2, Rewritten: 1, Contents: 1, Kept: 2}, 2},
		{"a small part is not needed", [][]string{{"a", "b", long}}, []string{"b", long},
			Collected{Packs: 1, Kept: 2}, 1},
		{"large ones are copied too", [][]string{{"a", long, long + long}}, []string{"a", long + long},
			Collected{Packs: 1, Rewritten: 1, Contents: 1, Kept: 2}, 1},
		{"many small ones", slices.Repeat([][]string{{"x"}}, 0), nil, Collected{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var all []string
			for _, texts := range c.packs {
				put(t, dir, texts...)
				all = append(all, texts...)
			}
			for _, dryRun := range []bool{true, false} {
				d := openStore(t, dir)
				got, err := d.Collect(t.Context(), slices.Values(sumsOf(c.keep...)), dryRun)
				if err != nil {
					t.Fatal(err)
				}
				if got.Bytes = 0; got != c.want {
					t.Errorf("dry run %v: %+v, want %+v", dryRun, got, c.want)
				}
				if dryRun {
					if left := holds(t, d, all...); len(left) != len(all) {
						t.Errorf("a dry run left %d of %d contents", len(left), len(all))
					}
				} else if left := holds(t, d, c.keep...); len(left) != len(c.keep) {
					t.Errorf("%d of %d are left", len(left), len(c.keep))
				}
				d.Close()
			}
			if left := packsIn(t, dir); len(left) != c.left {
				t.Errorf("%d packs are left, want %d", len(left), c.left)
			}
			d := openStore(t, dir)
			if left := holds(t, d, c.keep...); len(left) != len(c.keep) {
				t.Errorf("opened again: %d of %d are left", len(left), len(c.keep))
			}
			if _, err := d.Check(t.Context(), func(f Fault) { t.Errorf("%v", f) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// Many small packs become one, though nothing is freed; from one more than so
// many on.
func TestCollectSmallPacks(t *testing.T) {
	for n, want := range map[int]int{manyPacks: manyPacks, manyPacks + 1: 1} {
		dir := t.TempDir()
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint("text ", i))
			put(t, dir, all[i])
		}
		d := openStore(t, dir)
		if _, err := d.Collect(t.Context(), slices.Values(sumsOf(all...)), false); err != nil {
			t.Fatal(err)
		}
		if left := holds(t, d, all...); len(left) != n {
			t.Errorf("%d packs: %d contents are left", n, len(left))
		}
		if got := packsIn(t, dir); len(got) != want {
			t.Errorf("%d packs: %d are left, want %d", n, len(got), want)
		}
	}
}

// A second reader that opened the store before finds what was moved.
func TestCollectBehindAReader(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", long)
	put(t, dir, "c")
	reader, d := openStore(t, dir), openStore(t, dir)
	if _, err := d.Collect(t.Context(), slices.Values(sumsOf("a")), false); err != nil {
		t.Fatal(err)
	}
	if got := holds(t, reader, "a", "c", long); len(got) != 1 || got[0] != "a" {
		t.Errorf("the reader finds %.100q", got)
	}
}

func TestCollectLeavesWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	writer := openStore(t, dir)
	if err := writer.Put(t.Context(), ledger.Sum([]byte("new")), strings.NewReader("new")); err != nil {
		t.Fatal(err)
	}
	got, err := openStore(t, dir).Collect(t.Context(), slices.Values(sumsOf()), false)
	if err != nil || got.Busy != 1 || got.Removed != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := writer.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

// Damage is never thrown away, and of two copies the one that is intact stays.
func TestCollectDamage(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "first", "second", "third")
	path := packsIn(t, dir)[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(text string) {
		b := bytes.Replace(good, []byte(text), bytes.Repeat([]byte("#"), len(text)), 1)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	damage("first") // and a good copy in another pack
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "first", "other")
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	d := openStore(t, dir)
	if _, err := d.Collect(t.Context(), slices.Values(sumsOf("first", "second")), false); err != nil {
		t.Fatal(err)
	}
	checked, err := d.Check(t.Context(), func(Fault) {})
	if err != nil || !checked.Holds(ledger.Sum([]byte("first"))) || !checked.Holds(ledger.Sum([]byte("second"))) {
		t.Errorf("%+v, %v", checked, err)
	}
	d.Close()

	damage("plit") // the first header: a hole in the middle
	d = openStore(t, dir)
	if got, err := d.Collect(t.Context(), slices.Values(sumsOf()), false); err != nil || got.Damaged != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// A layer fails the operation number fail, and all that follow if dead.
type failingLayer struct {
	n, fail int
	dead    bool
}

func (l *failingLayer) Boot() string { return "test" }

func (l *failingLayer) Do(op *disk.Op, run func() error) error {
	if op.Changes() {
		if l.n++; l.n == l.fail || l.dead && l.n > l.fail {
			return syscall.EIO
		}
	}
	return run()
}

// Whatever operation fails, or is the last before a crash, all that is needed
// is there.
func TestCollectFails(t *testing.T) {
	for _, dead := range []bool{false, true} {
		done := false
		for fail := 1; !done; fail++ {
			dir := t.TempDir()
			put(t, dir, "a", long)
			put(t, dir, "c", "d")
			put(t, dir, "e")
			layer := &failingLayer{fail: fail, dead: dead}
			ctx := disk.With(context.Background(), disk.New(layer))
			d, err := Open(ctx, dir)
			if err != nil {
				continue // nothing was done
			}
			_, err = d.Collect(ctx, slices.Values(sumsOf("a", "c")), false)
			if done = layer.n < fail; done && err != nil {
				t.Fatal(err)
			}
			d.Close()
			d = openStore(t, dir)
			if got := holds(t, d, "a", "c"); len(got) != 2 {
				t.Fatalf("operation %d failed (%v): %q are left", fail, err, got)
			}
			if _, err := d.Collect(t.Context(), slices.Values(sumsOf("a", "c")), false); err != nil {
				t.Fatal(err)
			}
			if got := holds(t, d, "a", "c", "d", "e"); len(got) != 2 {
				t.Fatalf("operation %d failed, and then: %.100q are left", fail, got)
			}
		}
	}
}

func TestCheckNamesEverything(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "aaaa", "bbbb", "cccc", "dddd")
	path := packsIn(t, dir)[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		old  string
		new  string
		lost string // digest that is named
		why  string
	}{
		// With the beginning of the next header: the checksum before a content
		// can end with its first letter.
		{"damaged", "bbbb" + itemMagic, "bxbb" + itemMagic, "bbbb", "is damaged"},
		{"swapped", "bbbb" + itemMagic, "aaaa" + itemMagic, "bbbb", "what lies there is " +
			short(sumOf([]byte("aaaa")))},
		{"header", "plit\x00\x00\x00\x01", "plat\x00\x00\x00\x01", "", "are damaged"},
	} {
		if err := os.WriteFile(path, bytes.Replace(good, []byte(c.old), []byte(c.new), 1), 0o644); err != nil {
			t.Fatal(err)
		}
		var faults []Fault
		checked, err := openStore(t, dir).Check(t.Context(), func(f Fault) { faults = append(faults, f) })
		if err != nil || len(faults) != 1 || !strings.Contains(faults[0].Why, c.why) || faults[0].Pack != path {
			t.Fatalf("%s: %v, %v", c.name, faults, err)
		}
		if c.lost != "" && (faults[0].Digest != ledger.Sum([]byte(c.lost)) || checked.Holds(faults[0].Digest)) {
			t.Errorf("%s: it names %s", c.name, faults[0].Digest)
		}
	}
	if err := os.WriteFile(path, good[:len(good)-itemHeader-1], 0o644); err != nil {
		t.Fatal(err)
	}
	checked, err := openStore(t, dir).Check(t.Context(), func(f Fault) { t.Errorf("a torn end: %v", f) })
	if err != nil || checked.Contents != 3 {
		t.Errorf("a torn end: %+v, %v", checked, err)
	}
}

// Of two copies the one that is durable is kept: what a process wrote and did
// not sync may be gone after a power cut.
func TestCollectKeepsWhatIsDurable(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a")
	first := packsIn(t, dir)
	info, err := os.Stat(first[0])
	if err != nil {
		t.Fatal(err)
	}
	// As its writer leaves it that dies before the sync: without a mark, and
	// without an index.
	err = errors.Join(os.Truncate(first[0], info.Size()-itemHeader), os.RemoveAll(filepath.Join(dir, "index")))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a")
	both := packsIn(t, dir)
	if len(both) != 2 {
		t.Fatalf("it lies in %d packs", len(both))
	}
	d := openStore(t, dir)
	if _, err := d.Collect(t.Context(), slices.Values(sumsOf("a")), false); err != nil {
		t.Fatal(err)
	}
	if left := packsIn(t, dir); len(left) != 1 || left[0] == first[0] {
		t.Errorf("%q are left of %q", left, both)
	}
	if got := holds(t, d, "a"); len(got) != 1 {
		t.Error("it is gone")
	}
}
