package delivery_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A moment is a layer of a disk that lets something happen right before
// operation at, counted from 1, of those that count.
type moment struct {
	at, n  int
	counts func(op *disk.Op) bool // nil: all do
	do     func()
	what   string // the operation
}

func (m *moment) Do(op *disk.Op, run func() error) error {
	if m.counts == nil || m.counts(op) {
		m.n++
	}
	if m.n == m.at && m.what == "" && m.at > 0 {
		m.what = fmt.Sprint(op.Kind, " ", op.Path)
		m.do()
	}
	switch op.Kind {
	case disk.Sync, disk.SyncFolder, disk.SyncAll: // take time, and nobody sees a difference
		return nil
	}
	return run()
}

func (m *moment) Boot() string { return "one life" }

// The work that is delivered while somebody does something.
const (
	momentBefore = "m f644 one\n s f644 one\n z f644\n g f644 one\n d/m f644 one\n d/k f644 kept\n r/y f644 one\n " +
		"t f644 one\n u/v f644 one\n l -> one"
	momentAfter = "m f644 another\n s f644 two\n z f644 filled\n n f644 new\n d/m f644 another\n d/n f644 new\n d/k f644 kept\n " +
		"e/f/x f644 new\n t/w f644 new\n u f644 new\n l -> two"
)

// TestEveryMoment has somebody do something right before each operation of a
// delivery, and looks for what they did: what they wrote is in the workspace,
// or a finding names it; and each path is as it should be, or theirs, or a
// conflict.
func TestEveryMoment(t *testing.T) {
	before, after := lay(t, momentBefore), lay(t, momentAfter)
	changes := ledger.Diff(scanned(t, before), scanned(t, after))
	every := 293
	if whole {
		every = 1
	}
	for name, do := range map[string]func(path string) act{
		"saves in place":       inPlace,
		"saves by rename":      byRename,
		"appends to it":        nil, // by a handle that was opened before
		"deletes":              func(path string) act { return func(dir string) error { return os.RemoveAll(dir + "/" + path) } },
		"moves it away":        func(path string) act { return move(path, "moved") },
		"moves it and makes":   func(path string) act { return all(move(path, "moved"), inPlace(path)) },
		"puts a link in place": func(path string) act { return all(move(path, "moved"), link("moved", path)) },
		"changes its mode":     func(path string) act { return func(dir string) error { return os.Chmod(dir+"/"+path, 0o700) } },
	} {
		t.Run(name, func(t *testing.T) {
			tried, home := 0, fast(t)
			for i, path := range []string{"m", "s", "z", "g", "n", "d", "d/m", "d/n", "d/k", "d/own", "e", "e/f", "e/f/x",
				"r", "r/y", "r/own", "t", "t/w", "u", "u/v", "l"} {
				for at := 1 + i%every; ; at += every {
					try := &try{T: t, path: path, do: do, moment: moment{at: at}}
					try.dir = filepath.Join(home, "ws")
					must(t, os.Mkdir(try.dir, 0o755))
					add(t, try.dir, momentBefore)
					try.deliver(changes, after)
					must(t, os.RemoveAll(try.dir))
					if try.n < at {
						break
					}
					tried++
				}
			}
			t.Logf("%d deliveries", tried)
		})
	}
}

// foreign is what somebody else writes.
const foreign = "what somebody else wrote\n"

// inPlace writes to a file, or makes it, as an editor does that keeps the file.
func inPlace(path string) act {
	return func(dir string) error { return os.WriteFile(dir+"/"+path, []byte(foreign), 0o644) }
}

// byRename puts a new file in place.
func byRename(path string) act {
	return func(dir string) error {
		return errors.Join(os.WriteFile(dir+"/"+path+".tmp", []byte(foreign), 0o644),
			os.Rename(dir+"/"+path+".tmp", dir+"/"+path))
	}
}

// A try is one delivery of TestEveryMoment.
type try struct {
	*testing.T
	moment
	dir, path string
	do        func(path string) act
}

func (t *try) complain(format string, args ...any) {
	t.Helper()
	t.Errorf("%s, before operation %d (%s): %s", t.path, t.at, t.what, fmt.Sprintf(format, args...))
}

func (t *try) deliver(changes []ledger.Change, after string) {
	wrote := false
	t.moment.do = func() {
		_ = t.do(t.path)(t.dir) // what it needs may not be there
		wrote = kept(t.dir, foreign, nil)
	}
	if t.do == nil {
		f, err := os.OpenFile(filepath.Join(t.dir, t.path), os.O_WRONLY|os.O_APPEND, 0)
		t.moment.do = func() {
			if err == nil {
				_, err = f.WriteString(foreign)
				wrote = err == nil
			}
		}
		defer f.Close()
	}
	conflicts, err := deliver(disk.With(t.Context(), disk.New(&t.moment)), t.dir, "d", changes, from(after))
	if err != nil {
		t.complain("%v", err)
		return
	}
	found := findingsBy(t, disk.With(t.Context(), disk.New(&moment{})), t.dir)
	if wrote && !kept(t.dir, foreign, found) {
		t.complain("what was written is lost; %v, %v", conflicts, found)
	}
	is := scanned(t, t.dir)
	for _, c := range changes {
		now, there := is.Lookup(c.Path)
		if there == (c.After != nil) && (!there || now.Same(*c.After)) || concern(t.path, c.Path) ||
			slices.ContainsFunc(conflicts, func(x delivery.Conflict) bool { return x.Change.Path == c.Path }) {
			continue
		}
		t.complain("%s is %v, want %v or a conflict: %v", c.Path, now, c.After, conflicts)
	}
}

// TestFolderMovedMeanwhile has somebody move a folder away while changes are
// delivered into it: none of them is said to be delivered.
func TestFolderMovedMeanwhile(t *testing.T) {
	const old = "d/a f644 one\n d/b f644 one\n d/e/x f644 one\n d/e/y f644 one\n d/g f644 one"
	before, after := lay(t, old), lay(t, "d/a f644 two\n d/b f644 two\n d/n f644 new\n d/e/x f644 two\n d/e/y f644 two")
	changes := ledger.Diff(scanned(t, before), scanned(t, after))
	for name, do := range map[string]act{
		"away":                     move("d", "moved"),
		"away, and another comes":  all(move("d", "moved"), write("d/own", "x")),
		"an inner one":             move("d/e", "moved"),
		"out of the workspace":     move("d", "../moved"),
		"away, and a link is left": all(move("d", "moved"), link("moved", "d")),
	} {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				dir := filepath.Join(t.TempDir(), "ws")
				must(t, os.Mkdir(dir, 0o755))
				add(t, dir, old)
				m := &moment{at: at, do: func() { must(t, do(dir)) }}
				m.counts = func(op *disk.Op) bool {
					return op.Changes() && (strings.HasPrefix(op.Path, dir+"/d/") || strings.HasPrefix(op.To, dir+"/d/"))
				}
				conflicts, err := deliver(disk.With(t.Context(), disk.New(m)), dir, "d", changes, from(after))
				if m.what == "" {
					break
				}
				is := scanned(t, dir)
				for _, c := range changes {
					now, there := is.Lookup(c.Path)
					if (there != (c.After != nil) || there && !now.Same(*c.After)) && !slices.ContainsFunc(conflicts,
						func(x delivery.Conflict) bool { return x.Change.Path == c.Path }) {
						t.Errorf("before operation %d (%s): %s is %v, want %v or a conflict: %v, %v", at, m.what, c.Path, now,
							c.After, conflicts, err)
					}
				}
				must(t, err)
			}
		})
	}
}

// concern reports whether what is done at one path can be seen at the other.
func concern(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// kept reports whether a file of the workspace, or what a finding names, ends
// like that.
func kept(dir, end string, found []delivery.Finding) bool {
	for path, text := range contents(dir) {
		named := slices.ContainsFunc(found, func(f delivery.Finding) bool { return f.Kept == path })
		if strings.HasSuffix(text, end) && (named || !strings.HasPrefix(path, ".planlock/")) {
			return true
		}
	}
	return false
}

// contents are those of all files in a folder, by their paths.
func contents(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			all[filepath.ToSlash(rel)] = string(text)
		}
		return nil
	})
	return all
}

// fast is a new folder, in memory where that can be.
func fast(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "delivery-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { openAll(dir); _ = os.RemoveAll(dir) })
	return dir
}
