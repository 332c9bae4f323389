package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		if link := (*os.LinkError)(nil); runtime.GOOS == "windows" && errors.As(err, &link) && link.Op == "symlink" {
			t.Skip("no link can be made here:", err)
		}
		t.Fatal(err)
	}
}

func scanned(t testing.TB, dir string) *ledger.Tree {
	t.Helper()
	tree, err := new(scan.Scanner).Scan(context.Background(), dir, nil)
	must(t, err)
	return tree
}

// then is the time of all that lay makes.
var then = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// lay makes a tree in a new folder. Of each line the first field is a path, the
// next the kind with its mode (f644, d755, p600), or what a link says after
// "->", and the rest the content.
func lay(t testing.TB, lines string) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { openAll(dir) })
	add(t, dir, lines)
	return dir
}

func openAll(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
}

// add adds to a tree; see lay.
func add(t testing.TB, dir, lines string) {
	t.Helper()
	modes := map[string]fs.FileMode{}
	for line := range strings.Lines(lines) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		what, text, _ := strings.Cut(rest, " ")
		if path == "" {
			continue
		}
		at := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		if what == "->" {
			must(t, os.Symlink(text, at))
			continue
		}
		var mode uint32
		_, err := fmt.Sscanf(what[1:], "%o", &mode)
		must(t, err)
		switch what[0] {
		case 'f':
			must(t, os.WriteFile(at, []byte(text), 0o600), os.Chmod(at, ledger.FileMode(mode)), os.Chtimes(at, then, then))
		case 'd':
			must(t, os.MkdirAll(at, 0o755))
			modes[at] = ledger.FileMode(mode)
		case 'p':
			if out, err := exec.Command("mkfifo", "-m", "600", at).CombinedOutput(); err != nil {
				t.Skipf("there are no FIFOs here: %s", out)
			}
			must(t, os.Chtimes(at, then, then))
		}
	}
	for at, mode := range modes {
		must(t, os.Chmod(at, mode))
	}
}

// from is the content of files in dir.
func from(dir string) ledger.Content {
	return func(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, filepath.FromSlash(e.Path)))
	}
}

// copied is a copy of a folder, with its modes and times.
func copied(t testing.TB, dir string) string {
	t.Helper()
	empty := t.TempDir()
	t.Cleanup(func() { openAll(empty) })
	conflicts, err := deliver(t.Context(), empty, "copy", ledger.Diff(ledger.Empty(), scanned(t, dir)), from(dir))
	must(t, err, os.RemoveAll(filepath.Join(empty, ".planlock")))
	if len(conflicts) > 0 {
		t.Fatal(conflicts)
	}
	return empty
}

// deliver stages and finishes.
func deliver(ctx context.Context, dir, name string, changes []ledger.Change, open ledger.Content) (
	conflicts []delivery.Conflict, err error) {
	place, err := delivery.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	d, err := place.Stage(ctx, name, changes, open)
	if err != nil {
		return nil, err
	}
	return d.Finish(ctx)
}

func findings(t testing.TB, dir string) []delivery.Finding {
	t.Helper()
	return findingsBy(t, t.Context(), dir)
}

// findingsBy are the findings, seen by the disk of a context.
func findingsBy(t testing.TB, ctx context.Context, dir string) []delivery.Finding {
	t.Helper()
	place, err := delivery.Open(ctx, dir)
	must(t, err)
	defer place.Close()
	found, err := place.Findings(ctx)
	must(t, err)
	return found
}

// TestEveryChange delivers every kind of change, and takes it back.
func TestEveryChange(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"a file is made":                    {"x f644 x", "x f644 x\n a f600 content"},
		"a file is made in a new folder":    {"x f644 x", "x f644 x\n d/e/a f600 content"},
		"a file is changed":                 {"a f644 one", "a f644 another"},
		"a file of the same size":           {"a f644 one", "a f644 two"},
		"a mode":                            {"a f644 one", "a f755 one"},
		"setuid comes":                      {"a f755 one", "a f4755 one"},
		"setuid goes":                       {"a f4755 one", "a f755 two"},
		"a file goes":                       {"a f644 one\n x f644 x", "x f644 x"},
		"a file goes with its folder":       {"d/a f644 one", ""},
		"a tree goes":                       {"d/a f644 one\n d/e/f/b f644 two\n d/g d755", ""},
		"a tree comes":                      {"", "d/a f644 one\n d/e/f/b f644 two\n d/g d755"},
		"an empty file comes":               {"", "a f644"},
		"an empty folder comes":             {"", "a d750"},
		"a mode of a folder":                {"d d755\n d/a f644 x", "d d700\n d/a f644 y"},
		"a folder that nobody may write":    {"", "d/e d555\n d/e/a f644 x"},
		"in a folder that nobody may write": {"d d555\n d/a f644 x\n d/c f644 z", "d d555\n d/a f644 y\n d/b f644 new"},
		"a link comes":                      {"", "l -> a/b"},
		"a link to a folder comes":          {"d/a f644 x", "d/a f644 x\n l -> d"},
		"a link is changed":                 {"l -> a", "l -> b"},
		"a link goes":                       {"l -> a\n x f644", "x f644"},
		"a file becomes a link":             {"a f644 x", "a -> b"},
		"a link becomes a file":             {"a -> b", "a f644 x"},
		"a file becomes a folder":           {"a f644 x", "a/b/c f644 x"},
		"a folder becomes a file":           {"a/b/c f644 x\n a/d -> e", "a f644 x"},
		"a folder becomes a link":           {"a/b f644 x\n b/b f644 x", "a -> b\n b/b f644 x"},
		"a link becomes a folder":           {"a -> b\n b/b f644 x", "a/b f644 x\n b/b f644 x"},
		"a FIFO comes":                      {"", "p p600"},
		"a FIFO goes":                       {"p p600", ""},
		"a file becomes a FIFO":             {"p f644 x", "p p600"},
		"names that sort oddly":             {"a-b f644 1\n a/c f644 2\n a.go f644 3", "a-b f644 x\n a/c f644 y\n a.go f644 z\n a/b/c f644 n"},
		"strange names":                     {"-x f644 1", "-x f644 2\n \"\x01\xff' f644 y"},
		"many files":                        {many(100, "one"), many(120, "another")},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "strange names" && runtime.GOOS == "windows" {
				t.Skip("Windows has no such names")
			}
			before, after := lay(t, test.before), lay(t, test.after)
			old, want := scanned(t, before), scanned(t, after)
			dir := copied(t, before)
			for _, step := range []struct {
				name    string
				changes []ledger.Change
				from    string
				want    *ledger.Tree
			}{{"there", ledger.Diff(old, want), after, want}, {"back", ledger.Diff(want, old), before, old}} {
				if c := conflictsIn(t, dir, step.changes); len(c) > 0 {
					t.Errorf("%s: conflicts before anything was done: %v", step.name, c)
				}
				conflicts, err := deliver(t.Context(), dir, step.name, step.changes, from(step.from))
				if err != nil || len(conflicts) > 0 {
					t.Fatalf("%s: %v, %v", step.name, conflicts, err)
				}
				is := scanned(t, dir)
				for _, c := range ledger.Diff(step.want, is) {
					t.Errorf("%s: %s is %v, want %v", step.name, c.Path, c.After, c.Before)
				}
				for _, c := range step.changes {
					if e, ok := is.Lookup(c.Path); ok && c.After != nil && !e.ModTime.Equal(c.After.ModTime) {
						t.Errorf("%s: the time of %s is %v, want %v", step.name, c.Path, e.ModTime, c.After.ModTime)
					}
				}
				again, err := deliver(t.Context(), dir, step.name, step.changes, from(step.from))
				if err != nil || len(again) > 0 {
					t.Errorf("%s, again: %v, %v", step.name, again, err)
				}
				if f := findings(t, dir); len(f) > 0 {
					t.Errorf("%s: %v", step.name, f)
				}
			}
		})
	}
}

func many(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "d%d/f%d f644 %s %d\n", i%7, i, text, i)
	}
	return b.String()
}

func conflictsIn(t testing.TB, dir string, changes []ledger.Change) []delivery.Conflict {
	t.Helper()
	place, err := delivery.Open(t.Context(), dir)
	must(t, err)
	defer place.Close()
	list, err := place.Conflicts(t.Context(), changes)
	must(t, err)
	return list
}

// TestEveryConflict has somebody else change a workspace before each kind of
// change is delivered.
func TestEveryConflict(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string
		do            func(dir string) error
		want          string // conflicts: path, what was found
		found         string // paths of findings
	}{
		"another content": {"a f644 one\n b f644 one", "a f644 two\n b f644 two",
			write("a", "x!"), "a=file", ""},
		"another content of the same size": {"a f644 one", "a f644 two", write("a", "six"), "a=file", ""},
		"another mode": {"a f644 one", "a f644 two",
			func(dir string) error { return os.Chmod(dir+"/a", 0o600) }, "a=file", ""},
		"it is gone":                     {"a f644 one", "a f644 two", remove("a"), "a=nothing", ""},
		"it is a folder":                 {"a f644 one", "a f644 two", all(remove("a"), write("a/b", "x")), "a=dir", ""},
		"it is a link":                   {"a f644 one", "a f644 two", all(remove("a"), link("b", "a")), "a=link", ""},
		"a new one is there":             {"", "a f644 one", write("a", "x"), "a=file", ""},
		"the same new one is there":      {"", "a f600 one", write("a", "one"), "", ""},
		"the change is there":            {"a f600 one", "a f600 two", write("a", "two"), "", ""},
		"a deleted one is changed":       {"a f644 one\n b f644", "b f644", write("a", "x"), "a=file", ""},
		"of the same size":               {"a f644 one\n b f644", "b f644", write("a", "six"), "a=file", ""},
		"a deleted one is gone":          {"a f644 one\n b f644", "b f644", remove("a"), "", ""},
		"a folder holds something else":  {"d/a f644 one", "", write("d/x", "x"), "d=d/x:file", ""},
		"and something in it changed":    {"d/a f644 one", "", write("d/a", "x"), "d=d/a:file d/a=file", ""},
		"a folder has another mode":      {"d/a f644 one", "", func(dir string) error { return os.Chmod(dir+"/d", 0o700) }, "d=dir", ""},
		"a folder that changes mode":     {"d d755", "d d700", func(dir string) error { return os.Chmod(dir+"/d", 0o711) }, "d=dir", ""},
		"a folder is there":              {"", "d/a f644 one", write("d/b", "x"), "", ""},
		"a folder of another mode":       {"", "d d700\n d/a f644 one", write("d/b", "x"), "d=dir", ""},
		"a file is where a folder comes": {"", "d/a f644 one", write("d", "x"), "d=file d/a=d:file", ""},
		"the folder is gone":             {"d/a f644 one", "d/a f644 one\n d/b f644 two", func(dir string) error { return os.RemoveAll(dir + "/d") }, "d/b=nothing", ""},
		"the folder is a link out":       {"d/a f644 one", "d/a f644 two\n d/b f644 two", all(move("d", "e"), link("../outside", "d")), "d/a=d:link d/b=d:link", ""},
		"the folder is a link inside":    {"d/a f644 one", "d/a f644 two", all(move("d", "e"), link("e", "d")), "d/a=d:link", ""},
		"a link says something else":     {"l -> a", "l -> b", all(remove("l"), link("c", "l")), "l=link", ""},
		"a folder that becomes a file":   {"d/a f644 one", "d f644 x", write("d/x", "x"), "d=d/x:file", ""},
		"a file that becomes a folder":   {"d f644 one", "d/a f644 x", write("d", "x"), "d=file d/a=d:file", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "mode") && runtime.GOOS == "windows" {
				t.Skip("Windows has no such modes")
			}
			before, after := lay(t, test.before), lay(t, test.after)
			dir := copied(t, before)
			must(t, test.do(dir))
			changes := ledger.Diff(scanned(t, before), scanned(t, after))
			looked := said(conflictsIn(t, dir, changes))
			if looked != test.want {
				t.Errorf("looked at, conflicts are %q, want %q", looked, test.want)
			}
			foreign := scanned(t, dir)
			conflicts, err := deliver(t.Context(), dir, "d", changes, from(after))
			must(t, err)
			if got := said(conflicts); got != strings.ReplaceAll(test.want, "d=d/x:file", dirOr(test.after, "d")) {
				t.Errorf("conflicts are %q, want %q", got, test.want)
			}
			is := scanned(t, dir)
			in := map[string]bool{}
			for _, c := range conflicts {
				in[c.Change.Path] = true
				was, _ := foreign.Lookup(c.Change.Path)
				now, _ := is.Lookup(c.Change.Path)
				if !was.Same(now) {
					t.Errorf("%s was %v, and is %v", c.Change.Path, was, now)
				}
				if c.String() == "" {
					t.Error("nothing is said")
				}
			}
			for _, c := range changes {
				now, ok := is.Lookup(c.Path)
				if !in[c.Path] && (ok != (c.After != nil) || ok && !now.Same(*c.After)) {
					t.Errorf("%s was not delivered: %v", c.Path, now)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "../outside/b")); err == nil {
				t.Error("something was written outside")
			}
		})
	}
}

// dirOr is how a folder is found that stays for what it holds: by that, or by
// itself where it was to become something else.
func dirOr(after, path string) string {
	if strings.HasPrefix(after, path+" f") {
		return path + "=dir"
	}
	return path + "=" + path + "/x:file"
}

func said(conflicts []delivery.Conflict) string {
	var list []string
	for _, c := range conflicts {
		text := "nothing"
		if c.Found != nil {
			text = string(c.Found.Kind)
			if c.Found.Path != c.Change.Path {
				text = c.Found.Path + ":" + text
			}
		}
		list = append(list, c.Change.Path+"="+text)
	}
	return strings.Join(list, " ")
}

type act = func(dir string) error

func write(path, text string) act {
	return func(dir string) error {
		at := filepath.Join(dir, path)
		return errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600))
	}
}

func remove(path string) act {
	return func(dir string) error { return os.Remove(filepath.Join(dir, path)) }
}

func link(target, path string) act {
	return func(dir string) error { return os.Symlink(target, filepath.Join(dir, path)) }
}

func move(path, to string) act {
	return func(dir string) error { return os.Rename(filepath.Join(dir, path), filepath.Join(dir, to)) }
}

func all(acts ...act) act {
	return func(dir string) error {
		var errs []error
		for _, a := range acts {
			errs = append(errs, a(dir))
		}
		return errors.Join(errs...)
	}
}
