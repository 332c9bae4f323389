package process

import (
	"os"
	"path/filepath"
	"testing"
)

// Where everything works at once each part works alone, so that trying all of
// it says of each part what trying that would have said.
func TestWhollyIsEachPart(t *testing.T) {
	for _, tree := range []string{pidTree, userTree} {
		t.Run(tree, func(t *testing.T) {
			if !wholly(tree) {
				t.Skip("this machine cannot do all of it")
			}
			if all := whole(tree); !all.staged || !all.tethered || !all.Filter || !all.Mounts ||
				all.Landlock != usableLandlock() {
				t.Errorf("all of it is %+v", all)
			}
			for _, part := range []Reached{
				{Tree: tree},
				{Tree: tree, tethered: true},
				{Tree: groupTree, staged: true},
				{Tree: tree, Landlock: usableLandlock(), staged: true, Filter: true},
			} {
				if err := probe(part); err != nil {
					t.Errorf("%+v: %v", part, err)
				}
			}
			if !tryBind(tree) {
				t.Error("no folder can be shown in place of another")
			}
		})
	}
	if wholly(groupTree) {
		t.Error("a process group holds everything")
	}
}

// What TryOut finds out at once is what is found out one by one.
func TestTryOut(t *testing.T) {
	was := trials
	t.Cleanup(func() { trials = was; probedOverlays.Clear() })
	trials = map[string]*trial{pidTree: {}, userTree: {}}
	probedOverlays.Clear()
	state := t.TempDir()
	TryOut(state)()
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	for tree, tried := range trials {
		if can := probe(whole(tree)) == nil; tried.ok && !can {
			t.Errorf("%s: all of it works at once, and not alone", tree)
		}
	}
	probedOverlays.Range(func(_, found any) bool {
		tree, _ := treeAbility()
		want, clean := tryOverlay(t.TempDir(), tree, confinement{})
		clean()
		if got := found.(func() Overlay)(); got != want {
			t.Errorf("overlays are %+v, and alone %+v", got, want)
		}
		return true
	})
	TryOut(filepath.Join(t.TempDir(), "missing"))()
}
