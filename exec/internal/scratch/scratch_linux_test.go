package scratch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// A bench has a user's folders, and folders of a controller.
type bench struct {
	*testing.T
	temp, cache, ws string
	folders         *scratch.Folders
}

func newBench(t *testing.T) *bench {
	if reached, err := process.Reach(process.Sandbox{}); err != nil || reached.Landlock == 0 {
		t.Skip("this machine confines no writes")
	}
	dir := t.TempDir()
	b := &bench{T: t, temp: filepath.Join(dir, "temp"), cache: filepath.Join(dir, "home", ".cache"), ws: filepath.Join(dir, "ws")}
	for _, folder := range []string{b.temp, filepath.Join(b.cache, "go-build"), b.ws} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("TMPDIR", b.temp)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("GOCACHE", "")
	b.folders = &scratch.Folders{Workspace: b.ws}
	t.Cleanup(func() {
		if err := b.folders.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// run runs a script for a use, and wants it to end well.
func (b *bench) run(use scratch.Use, script string) {
	b.Helper()
	taken, err := b.folders.Take(b.Context(), use)
	if err != nil {
		b.Fatal(err)
	}
	defer taken.Back()
	r := process.Runner{Dir: b.ws, Env: environ.Merge(environ.For(nil), taken.Env),
		Sandbox: process.Sandbox{Workspace: b.ws, Own: taken.Own}}
	result, err := r.Run(b.Context(), gate.Command{Run: "set -e; " + script})
	if err != nil || result.Exit != 0 {
		b.Errorf("%s: %v, status %d: %s", script, err, result.Exit, result.Output)
	}
}

// overlays skips a test of what only copies of caches can do.
func (b *bench) overlays() {
	if !process.ReachOverlay(b.temp).Can {
		b.Skip("no overlay can be mounted here")
	}
}

// TestWhatIsKept follows what commands leave in their folders.
func TestWhatIsKept(t *testing.T) {
	b := newBench(t)
	steps, judges := scratch.Use{}, scratch.Use{Judges: true}
	const poison = `mkdir -p $GOCACHE; echo bad > $GOCACHE/object; echo bad > $XDG_CACHE_HOME/object; echo bad > $TMPDIR/object; echo bad > $PYTHONPYCACHEPREFIX/object`
	b.run(steps, poison)
	b.run(steps, `test -e $GOCACHE/object; test -e $XDG_CACHE_HOME/object; test -e $TMPDIR/object`)
	const nothing = `test ! -e $GOCACHE/object; test ! -e $XDG_CACHE_HOME/object; test ! -e $TMPDIR/object; test ! -e $PYTHONPYCACHEPREFIX/object; `
	b.run(judges, nothing)
	b.run(steps, `! touch `+b.temp+`/mine 2>&-; ! touch `+b.cache+`/mine 2>&-; test ! -e `+b.temp+`/mine`)
	b.overlays()
	b.run(judges, nothing+poison)
	b.run(judges, nothing) // it runs what the step wrote: not even for another one that judges
}

// TestWhatCompilersLeave is what other commands find that judge, and no step.
func TestWhatCompilersLeave(t *testing.T) {
	b := newBench(t)
	b.overlays()
	compiler := scratch.Use{Judges: true, Compiles: true}
	b.run(compiler, `mkdir -p $GOCACHE; echo compiled > $GOCACHE/object; touch $TMPDIR/object`)
	b.run(scratch.Use{Judges: true}, `grep -q compiled $GOCACHE/object; mkdir -p $GOCACHE; echo bad > $GOCACHE/object; test ! -e $TMPDIR/object`)
	b.run(compiler, `grep -q compiled $GOCACHE/object; test ! -e $TMPDIR/object`)
	b.run(scratch.Use{}, `test ! -e $GOCACHE/object`)
}

// TestCachesBeginWithTheUsers has commands find what is in the user's caches,
// and write nothing there.
func TestCachesBeginWithTheUsers(t *testing.T) {
	b := newBench(t)
	b.overlays()
	object := filepath.Join(b.cache, "go-build", "object")
	if err := os.WriteFile(object, []byte("users"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, use := range []scratch.Use{{}, {Judges: true}, {Judges: true, Compiles: true}} {
		b.run(use, `grep -q users $GOCACHE/object; grep -q users $XDG_CACHE_HOME/go-build/object; mkdir -p $GOCACHE; echo bad > $GOCACHE/object; rm $XDG_CACHE_HOME/go-build/object`)
	}
	if text, err := os.ReadFile(object); string(text) != "users" {
		t.Errorf("the user's cache has %q, %v", text, err)
	}
}

// TestCachesOfStepsAreMountedOnce has one step after another find the overlays
// that were mounted for the first, and those that judge none of them.
func TestCachesOfStepsAreMountedOnce(t *testing.T) {
	b := newBench(t)
	b.overlays()
	mounted := func(use scratch.Use) (files []*os.File) {
		taken, err := b.folders.Take(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Back()
		for _, each := range taken.Own.Copies {
			files = append(files, each.Mounted)
		}
		return files
	}
	first := mounted(scratch.Use{})
	if len(first) == 0 || first[0] == nil {
		t.Skip("each command has to mount its overlays here")
	}
	if again := mounted(scratch.Use{}); !slices.Equal(first, again) {
		t.Errorf("there are %v, and then %v", first, again)
	}
	for _, file := range mounted(scratch.Use{Judges: true}) {
		if file != nil {
			t.Error("what judges has an overlay that was mounted for others")
		}
	}
	b.run(scratch.Use{}, `echo text > $XDG_CACHE_HOME/kept`)
	b.run(scratch.Use{}, `grep -q text $XDG_CACHE_HOME/kept; test ! -e /proc/self/fd/4`)
	if _, err := os.Lstat(filepath.Join(b.cache, "kept")); err == nil {
		t.Error("the user's cache was written")
	}
}

// TestAtOnce has commands at once find folders of their own.
func TestAtOnce(t *testing.T) {
	b := newBench(t)
	seen := map[string]bool{}
	for _, use := range []scratch.Use{{}, {}, {Judges: true, Compiles: true}, {Judges: true, Compiles: true}, {Judges: true}} {
		taken, err := b.folders.Take(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Back()
		if seen[taken.Own.Folder] {
			t.Errorf("%s was given twice", taken.Own.Folder)
		}
		seen[taken.Own.Folder] = true
	}
}

// TestCachesInCommon has steps that run at once find what others of them compiled,
// though not their temporary files; those that are to be alone find neither.
func TestCachesInCommon(t *testing.T) {
	b := newBench(t)
	b.overlays()
	taken, err := b.folders.Take(t.Context(), scratch.Use{})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Back()
	if taken.Own.Copies[0].Mounted == nil {
		t.Skip("each command has to mount its overlays here")
	}
	b.run(scratch.Use{}, `mkdir -p $GOCACHE; echo compiled > $GOCACHE/object; touch $TMPDIR/object`)
	second, err := b.folders.Take(t.Context(), scratch.Use{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Back()
	b.run(scratch.Use{}, `grep -q compiled $GOCACHE/object; test ! -e $TMPDIR/object`)
	b.run(scratch.Use{Alone: true, Fresh: true}, `test ! -e $GOCACHE/object; mkdir -p $GOCACHE; echo other > $GOCACHE/object`)
	b.run(scratch.Use{Alone: true}, `grep -q other $GOCACHE/object`)
	b.run(scratch.Use{Alone: true, Fresh: true}, `test ! -e $GOCACHE/object`)
	b.run(scratch.Use{}, `grep -q compiled $GOCACHE/object`)
	b.run(scratch.Use{Judges: true}, `test ! -e $GOCACHE/object`)
}

// TestPlansOpenFolders leaves a step the user's folders that its plan names, and
// those that judge it none.
func TestPlansOpenFolders(t *testing.T) {
	b := newBench(t)
	open := func(path string) bool { return path == b.cache }
	for _, use := range []scratch.Use{{Open: open}, {Open: open, Judges: true}} {
		taken, err := b.folders.Take(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		env := strings.Join(taken.Env, "\n")
		if got := strings.Contains(env, "XDG_CACHE_HOME="); got != use.Judges || !strings.Contains(env, "TMPDIR=") {
			t.Errorf("judges: %v; variables are %q", use.Judges, taken.Env)
		}
		taken.Back()
	}
}

// TestLeftovers are removed where nobody has them, and nothing else is.
func TestLeftovers(t *testing.T) {
	b := newBench(t)
	left, held := filepath.Join(b.temp, "planlock-scratch-1"), filepath.Join(b.temp, "planlock-scratch-2")
	for _, dir := range []string{filepath.Join(left, "steps", "closed"), held} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(left, "steps", "closed"), 0); err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(held)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	b.run(scratch.Use{}, `test -d $TMPDIR`)
	if _, err := os.Lstat(left); err == nil {
		t.Error("what a killed controller left is still there")
	}
	if _, err := os.Lstat(held); err != nil {
		t.Error("the folder of another controller is gone")
	}
	if err := b.folders.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(b.temp); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

// TestOutsideOfTheWorkspace makes no folder where it would be part of the tree.
func TestOutsideOfTheWorkspace(t *testing.T) {
	b := newBench(t)
	b.folders.Workspace = b.temp
	taken, err := b.folders.Take(t.Context(), scratch.Use{})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Back()
	if strings.HasPrefix(taken.Own.Folder, b.temp+"/") {
		t.Errorf("%s lies in the workspace %s", taken.Own.Folder, b.temp)
	}
}
