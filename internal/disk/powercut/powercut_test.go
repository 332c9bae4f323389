//go:build unix

package powercut_test

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
	"github.com/planlock/planlock/internal/disk/powercut"
)

// record does something to a folder that holds "old", and returns the trace.
func record(t *testing.T, do func(root *disk.Root) error) *powercut.Trace {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := powercut.New(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	root, err := disk.New(rec).OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := do(root); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := rec.Check(); err != nil {
		t.Fatal(err)
	}
	return rec.Trace()
}

// write makes or overwrites a file, and syncs as told.
func write(root *disk.Root, name, content string, syncs bool) error {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), 0)
	if syncs {
		err = errors.Join(err, f.SyncData())
	}
	return errors.Join(err, f.Close())
}

// writeAt overwrites a part of a file.
func writeAt(root *disk.Root, name, content string, at int64) error {
	f, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), at)
	return errors.Join(err, f.Close())
}

// after is what a power cut at moment k leaves: content by name, folders with a
// slash.
func after(t *testing.T, trace *powercut.Trace, k int, choose powercut.Choice) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fresh")
	if err := trace.At(k).Build(dir, choose); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path[len(dir):]), "/")
		if e.IsDir() {
			found[name+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		found[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

type files = map[string]string

// TestModel holds the rules of the model, one by one. The power goes when all
// is done.
func TestModel(t *testing.T) {
	zeros := strings.Repeat("\x00", 6)
	tests := []struct {
		name   string
		do     func(root *disk.Root) error
		choose powercut.Choice
		want   files
	}{
		{"everything is kept", func(r *disk.Root) error { return write(r, "new", "x", false) },
			powercut.Nothing, files{"old": "before", "new": "x"}},
		{"a file whose folder was not synced vanishes", func(r *disk.Root) error { return write(r, "new", "x", true) },
			powercut.Everything, files{"old": "before"}},
		{"a file that was not synced is empty", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", false), r.SyncFolder("."))
		},
			powercut.Everything, files{"old": "before", "new": ""}},
		{"both synced", func(r *disk.Root) error { return errors.Join(write(r, "new", "x", true), r.SyncFolder(".")) },
			powercut.Everything, files{"old": "before", "new": "x"}},
		{"what was written over is back", func(r *disk.Root) error { return write(r, "old", "after!", false) },
			powercut.Everything, files{"old": "before"}},
		{"what was written over and synced is not", func(r *disk.Root) error { return write(r, "old", "after!", true) },
			powercut.Everything, files{"old": "after!"}},
		{"a rename is lost", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", true), r.SyncFolder("."), r.Rename("new", "old"))
		},
			powercut.Everything, files{"old": "before", "new": "x"}},
		{"a rename is kept, and what it renamed is empty", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", false), r.Rename("new", "old"), r.SyncFolder("."))
		}, powercut.Everything, files{"old": ""}},
		{"a removal is lost", func(r *disk.Root) error { return r.Remove("old") },
			powercut.Everything, files{"old": "before"}},
		{"a removal is synced", func(r *disk.Root) error { return errors.Join(r.Remove("old"), r.SyncFolder(".")) },
			powercut.Everything, files{}},
		{"a folder goes with what is in it", func(r *disk.Root) error {
			return errors.Join(r.Mkdir("d", 0o755), write(r, "d/f", "x", true), r.SyncFolder("d"))
		}, powercut.Everything, files{"old": "before"}},
		{"a rename between folders needs both", func(r *disk.Root) error {
			return errors.Join(r.MakeFolders("d", 0o755), r.Rename("old", "d/old"), r.SyncFolder("d"))
		}, powercut.Everything, files{"old": "before", "d/": ""}},
		{"an exchange is lost", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", true), r.SyncFolder("."), disk.Swap(r, "new", r, "old"))
		}, powercut.Everything, files{"old": "before", "new": "x"}},
		{"an exchange is synced", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", true), disk.Swap(r, "new", r, "old"), r.SyncFolder("."))
		}, powercut.Everything, files{"old": "x", "new": "before"}},
		{"an exchange is kept, and what came by it is empty", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", false), disk.Swap(r, "new", r, "old"), r.SyncFolder("."))
		}, powercut.Everything, files{"old": "", "new": "before"}},
		{"an exchange between folders needs both", func(r *disk.Root) error {
			err := errors.Join(r.MakeFolders("d", 0o755), write(r, "d/f", "x", true), r.SyncFolder("d"))
			d, derr := r.OpenRoot("d")
			if derr != nil {
				return derr
			}
			defer d.Close()
			return errors.Join(err, disk.Swap(r, "old", d, "f"), d.SyncFolder("."))
		}, powercut.Everything, files{"old": "before", "d/": "", "d/f": "x"}},
		{"a new name in another folder", func(r *disk.Root) error {
			err := r.MakeFolders("d", 0o755)
			d, derr := r.OpenRoot("d")
			if derr != nil {
				return derr
			}
			defer d.Close()
			return errors.Join(err, disk.MoveNew(r, "old", d, "f"), d.SyncFolder("."), r.SyncFolder("."))
		}, powercut.Everything, files{"d/": "", "d/f": "before"}},
		{"all is synced at once", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "x", false), r.Rename("old", "older"), disk.SyncFileSystem(r))
		}, powercut.Everything, files{"new": "x", "older": "before"}},
		{"one write of two is lost", func(r *disk.Root) error {
			return errors.Join(write(r, "old", "1", false), write(r, "old", "after!", false))
		},
			powercut.Only(1), files{"old": "1efore"}},
		{"the one before it is lost, and lives on in the sector that they share", func(r *disk.Root) error {
			return errors.Join(write(r, "old", strings.Repeat("a", 600), false), writeAt(r, "old", "b", 600))
		}, powercut.Only(0), files{"old": "before" + strings.Repeat("\x00", 506) + strings.Repeat("a", 88) + "b"}},
		{"a file is cut, and that is lost", func(r *disk.Root) error {
			f, err := r.OpenFile("old", os.O_RDWR|os.O_TRUNC, 0)
			return errors.Join(err, f.Close())
		}, powercut.Everything, files{"old": "before"}},
		{"a length without its content", func(r *disk.Root) error {
			return errors.Join(write(r, "new", "xxxxxx", false), r.SyncFolder("."))
		}, func(int) powercut.Fate { return powercut.Fate{Lost: true, Length: true} },
			files{"old": "before", "new": zeros}},
		{"a part of a write", func(r *disk.Root) error {
			return errors.Join(write(r, "new", strings.Repeat("x", 600), false), r.SyncFolder("."))
		}, func(int) powercut.Fate {
			return powercut.Fate{Lost: true, Sectors: func(n int) bool { return n == 0 }}
		}, files{"old": "before", "new": strings.Repeat("x", 512)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			trace := record(t, test.do)
			if diff := cmp.Diff(test.want, after(t, trace, trace.Len(), test.choose)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(files{"old": "before"}, after(t, trace, 0, test.choose)); diff != "" {
				t.Errorf("at the beginning: %s", diff)
			}
		})
	}
}

// TestFailedSyncSavesNothing syncs twice: the first fails, the second does not.
func TestFailedSyncSavesNothing(t *testing.T) {
	dir := t.TempDir()
	rec, err := powercut.New(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	d := disk.New(&faulty.Layer{Next: rec, Err: syscall.EIO, At: 4}) // open, create, write, sync
	root, err := d.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := root.OpenFile("f", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("the first sync: %v", err)
	}
	if err := errors.Join(f.Sync(), f.Close(), root.SyncFolder(".")); err != nil {
		t.Fatal(err)
	}
	trace := rec.Trace()
	if diff := cmp.Diff(files{"f": ""}, after(t, trace, trace.Len(), powercut.Everything)); diff != "" {
		t.Error(diff)
	}
}

func TestCheckFindsWhatGoesAround(t *testing.T) {
	for name, do := range map[string]func(dir string) error{
		"a file":    func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
		"a content": func(dir string) error { return os.WriteFile(filepath.Join(dir, "old"), []byte("x"), 0o600) },
		"a removal": func(dir string) error { return os.Remove(filepath.Join(dir, "old")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			rec, err := powercut.New(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := rec.Check(); err != nil {
				t.Fatal(err)
			}
			if err := do(dir); err != nil {
				t.Fatal(err)
			}
			if rec.Check() == nil {
				t.Error("nobody noticed")
			}
		})
	}
}

func TestSeedsRepeat(t *testing.T) {
	trace := record(t, func(r *disk.Root) error {
		return errors.Join(write(r, "a", strings.Repeat("a", 3000), false), write(r, "b", "b", false),
			r.Rename("a", "c"), r.SyncFolder("."))
	})
	seen := map[string]bool{}
	for seed := range uint64(50) {
		first := after(t, trace, trace.Len(), powercut.Random(seed))
		if diff := cmp.Diff(first, after(t, trace, trace.Len(), powercut.Random(seed))); diff != "" {
			t.Fatal(diff)
		}
		seen[first["c"]+first["b"]] = true
	}
	if len(seen) < 5 {
		t.Errorf("50 seeds gave %d states", len(seen))
	}
}

// TestLosses holds that each single loss at each moment comes once, with the
// sum that its cut has.
func TestLosses(t *testing.T) {
	trace := record(t, func(root *disk.Root) error {
		return errors.Join(
			write(root, "a", "first", false), root.Mkdir("d", 0o755), write(root, "d/b", "second", true),
			root.SyncFolder("d"),
			root.Rename("a", "d/a"), write(root, "d/a", "third, and longer", false), root.Symlink("a", "d/link"),
			root.Remove("d/b"), root.SyncFolder("."), root.SyncFolder("d"), write(root, "d/a", "4", true))
	})
	seed := maphash.MakeSeed()
	got := map[[2]int]uint64{}
	for l := range trace.Losses(seed) {
		if _, again := got[[2]int{l.Moment, l.Operation}]; again {
			t.Errorf("operation %d at %d comes twice", l.Operation, l.Moment)
		}
		got[[2]int{l.Moment, l.Operation}] = l.Sum(seed)
	}
	want := map[[2]int]uint64{}
	for k := range trace.Len() + 1 {
		for _, p := range trace.At(k).Pending() {
			want[[2]int{k, p}] = trace.At(k).Sum(seed, powercut.Only(p))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < trace.Len() {
		t.Errorf("of %d single losses (-want +got):\n%s", len(want), diff)
	}
}
