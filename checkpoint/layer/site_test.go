package layer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
)

// newSite is a workspace with a file, and a folder for layers.
func newSite(t *testing.T) (ws, state string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, state = filepath.Join(dir, "ws"), filepath.Join(dir, "state")
	put(t, ws, "a/file", "text", 0o644)
	return ws, state
}

// engineOf is an engine of a kind, whether the machine has it or not.
func engineOf(t *testing.T, ws, state string, kind layer.Kind, views layer.Views) *layer.Engine {
	t.Helper()
	engines, err := layer.Engines(t.Context(), ws, state, layer.Demand{Again: true}, func(string, string) layer.Views { return views })
	if err != nil {
		t.Fatal(err)
	}
	engine := &engines[slices.IndexFunc(engines, func(e layer.Engine) bool { return e.Kind == kind })]
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

// dirOf is the folder of the layers of a workspace.
func dirOf(t *testing.T, ws, state string) string {
	t.Helper()
	abouts, err := filepath.Glob(filepath.Join(state, "layers", "*", "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	for _, about := range abouts {
		if text, _ := os.ReadFile(about); string(text) == ws {
			return filepath.Dir(about)
		}
	}
	t.Fatalf("no folder for layers of %q: %q", ws, abouts)
	return ""
}

// What a process left that died is removed by the next one, also folders that
// are closed to their owner; layers of other workspaces stay, unless those are
// gone for a day.
func TestSweep(t *testing.T) {
	ws, state := newSite(t)
	engine := engineOf(t, ws, state, layer.ByClone, layer.Views{})
	if _, err := engine.New(t.Context(), "left"); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(dirOf(t, ws, state), "half", "work-1", "work")
	put(t, closed, "x/file", "text", 0o000)
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	others := map[string]string{}
	for _, name := range []string{"there", "gone", "moved today", "unplugged/ws"} {
		put(t, filepath.Dir(ws), name+"/file", "text", 0o644)
		other := filepath.Join(filepath.Dir(ws), name)
		engineOf(t, other, state, layer.ByClone, layer.Views{})
		others[name] = dirOf(t, other, state)
		put(t, others[name], "left/file", "text", 0o644)
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
	if err := engine.Sweep(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dirOf(t, ws, state)); err != nil || len(list) != 1 {
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
	ws, _ := newSite(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(ws, link); err != nil {
		t.Skip("no link can be made here:", err)
	}
	for _, state := range []string{ws, filepath.Join(ws, ".planlock"), filepath.Join(link, "state")} {
		if _, err := layer.Engines(t.Context(), ws, state, layer.Demand{}, nil); err == nil {
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
	ws, state := newSite(t)
	engine := engineOf(t, ws, state, layer.ByClone, layer.Views{})
	l, err := engine.New(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.New(t.Context(), "one"); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second one of its name: %v", err)
	}
	if _, err := engine.New(t.Context(), "../one"); err == nil {
		t.Error("a name leads out")
	}
	above, err := l.Above(t.Context(), "judge")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.View(); err == nil || !strings.Contains(err.Error(), "another layer") {
		t.Errorf("a view of it: %v", err)
	}
	if err := l.Drop(); err == nil || !strings.Contains(err.Error(), "another layer") {
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
	if _, err := l.View(); err == nil || !strings.Contains(err.Error(), "dropped") {
		t.Errorf("a view of what was dropped: %v", err)
	}
	if _, err := l.Changes(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "dropped") {
		t.Errorf("changes of what was dropped: %v", err)
	}
}
