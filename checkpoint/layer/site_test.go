package layer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
)

func newSite(t *testing.T) (site *layer.Site, ws, state string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, state = filepath.Join(dir, "ws"), filepath.Join(dir, "state")
	put(t, ws, "a/file", "text", 0o644)
	if site, err = layer.NewSite(ws, state); err != nil {
		t.Fatal(err)
	}
	return site, ws, state
}

// What a process left that died is removed by the next one, also folders that
// are closed to their owner; layers of other workspaces stay, unless those are
// gone for a day.
func TestSweep(t *testing.T) {
	site, ws, state := newSite(t)
	if _, err := site.Clone(t.Context(), "left", true); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(site.Dir(), "half", "work-1", "work")
	put(t, closed, "x/file", "text", 0o000)
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	others := map[string]string{}
	for _, name := range []string{"there", "gone", "moved today", "unplugged/ws"} {
		put(t, filepath.Dir(ws), name+"/file", "text", 0o644)
		other, err := layer.NewSite(filepath.Join(filepath.Dir(ws), name), state)
		if err != nil {
			t.Fatal(err)
		}
		put(t, other.Dir(), "left/file", "text", 0o644)
		others[name] = other.Dir()
	}
	for name, removed := range map[string]string{"gone": "gone", "moved today": "moved today", "unplugged/ws": "unplugged"} {
		if err := os.RemoveAll(filepath.Join(filepath.Dir(ws), removed)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-25 * time.Hour)
		if name == "moved today" {
			old = time.Now()
		}
		if err := os.Chtimes(filepath.Join(others[name], "workspace"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := site.Sweep(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(site.Dir()); err != nil || len(list) != 1 {
		t.Errorf("left: %v, %v", list, err)
	}
	for name, dir := range others {
		_, err := os.Lstat(filepath.Join(dir, "left", "file"))
		if there := err == nil; there == (name == "gone") {
			t.Errorf("layers of the workspace %q: there %v", name, there)
		}
	}
}

// A folder for layers must not lie in the workspace, also not by a link.
func TestSiteLiesOutside(t *testing.T) {
	_, ws, _ := newSite(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(ws, link); err != nil {
		t.Skip("no link can be made here:", err)
	}
	for _, state := range []string{ws, filepath.Join(ws, ".planlock"), filepath.Join(link, "state")} {
		if _, err := layer.NewSite(ws, state); err == nil {
			t.Errorf("%q is taken", state)
		}
	}
	if list, err := os.ReadDir(ws); err != nil || len(list) != 1 {
		t.Errorf("something was made in the workspace: %v, %v", list, err)
	}
}

// A layer on which another one lies is frozen until that is dropped; one that
// was dropped is nothing any more.
func TestFrozen(t *testing.T) {
	site, _, _ := newSite(t)
	l, err := site.Clone(t.Context(), "one", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.Clone(t.Context(), "one", true); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second one of its name: %v", err)
	}
	if _, err := site.Clone(t.Context(), "../one", true); err == nil {
		t.Error("a name leads out")
	}
	above, err := l.Above(t.Context(), "judge")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.View(); !errors.Is(err, layer.ErrFrozen) {
		t.Errorf("a view of it: %v", err)
	}
	if err := l.Drop(); !errors.Is(err, layer.ErrFrozen) {
		t.Errorf("it is dropped: %v", err)
	}
	if err := above.Drop(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.View(); err != nil {
		t.Errorf("a view of it: %v", err)
	}
	for range 2 {
		if err := l.Drop(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.View(); !errors.Is(err, layer.ErrDropped) {
		t.Errorf("a view of what was dropped: %v", err)
	}
	if _, err := l.Changes(t.Context(), nil); !errors.Is(err, layer.ErrDropped) {
		t.Errorf("changes of what was dropped: %v", err)
	}
}
