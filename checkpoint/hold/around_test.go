package hold_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/hold"
)

// Of two workspaces of which one lies in the other, the second one is refused,
// and told who holds the first.
func TestHoldOfAWorkspaceInAnother(t *testing.T) {
	const deep, clone = "a/b/deep", ".planlock/runs/r/clone"
	for name, c := range map[string]struct {
		used          []string // held, and let go of, before
		first, second string
		refused       bool
	}{
		"above, then below":                   {nil, ".", deep, true},
		"below, then above":                   {nil, deep, ".", true},
		"below, then above, which was used":   {[]string{"."}, deep, ".", true},
		"below, then between":                 {nil, deep, "a", true},
		"below, then between, which was used": {[]string{".", "a"}, deep, "a", true},
		"beside":                              {nil, deep, "a/b/c", false},
		"beside, in one that was used":        {[]string{".", "a"}, deep, "a/b/c", false},
		"a name that begins the same":         {[]string{"."}, "a", "ab", false},
		"by a link":                           {nil, "link", "a", true},
		"the clone of an isolated run":        {nil, ".", clone, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, sub := range []string{deep, "a/b/c", "ab", clone} {
				must(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
			}
			if err := os.Symlink(filepath.Join("a", "b"), filepath.Join(dir, "link")); err != nil && c.first == "link" {
				t.Skip(err)
			}
			for _, sub := range c.used {
				h, err := hold.Workspace(t.Context(), filepath.Join(dir, sub))
				must(t, err, h.Release())
			}
			first, err := hold.Workspace(t.Context(), filepath.Join(dir, c.first))
			must(t, err)
			for range 2 { // being refused changes nothing
				second, err := hold.Workspace(t.Context(), filepath.Join(dir, c.second))
				var held *checkpoint.HeldError
				switch refused := errors.As(err, &held); {
				case err != nil && !refused:
					t.Fatal(err)
				case refused != c.refused:
					t.Fatalf("the second one: %v", err)
				case refused:
					want, err := filepath.EvalSymlinks(filepath.Join(dir, c.first))
					must(t, err)
					if got, err := filepath.EvalSymlinks(held.Dir); err != nil || got != want ||
						!strings.Contains(held.Error(), fmt.Sprintf("process %d ", os.Getpid())) {
						t.Errorf("it says %v", held)
					}
				default:
					must(t, second.Release())
				}
			}
			must(t, first.Check(), first.Release())
			second, err := hold.Workspace(t.Context(), filepath.Join(dir, c.second))
			must(t, err, second.Check(), second.Release())
		})
	}
}

// Who is refused has written nothing: neither into the folder that it wanted,
// nor into the one that is held.
func TestHoldRefusedWritesNothing(t *testing.T) {
	for name, c := range map[string]struct{ first, second string }{
		"below": {".", "sub"}, "far below": {".", "sub/a/b"}, "above": {"sub/a", "."}, "between": {"sub/a/b", "sub"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.MkdirAll(filepath.Join(dir, "sub/a/b"), 0o755))
			first, err := hold.Workspace(t.Context(), filepath.Join(dir, c.first))
			must(t, err)
			defer first.Release()
			var held *checkpoint.HeldError
			if _, err := hold.Workspace(t.Context(), filepath.Join(dir, c.second)); !errors.As(err, &held) {
				t.Errorf("the second one: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, c.second, ".planlock")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the one that was refused left .planlock: %v", err)
			}
		})
	}
}

// A lock file that was copied into a folder says nothing of who works below it:
// the copy is no file that these could have shared.
func TestHoldAboveWithALockFileFromElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no numbers that the standard library tells")
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	used, err := hold.Workspace(t.Context(), elsewhere)
	must(t, err, used.Release())
	name, err := os.ReadFile(filepath.Join(elsewhere, ".planlock", "lock"))
	must(t, err)
	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o755))
	below, err := hold.Workspace(t.Context(), sub)
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, ".planlock"), 0o755),
		os.WriteFile(filepath.Join(dir, ".planlock", "lock"), name, 0o644))
	var held *checkpoint.HeldError
	if above, err := hold.Workspace(t.Context(), dir); err == nil {
		t.Error("two controllers hold one tree", above.Release())
	} else if !errors.As(err, &held) || filepath.Base(held.Dir) != "sub" {
		t.Error(err)
	}
	must(t, below.Release())
	above, err := hold.Workspace(t.Context(), dir)
	must(t, err, above.Release())
}
