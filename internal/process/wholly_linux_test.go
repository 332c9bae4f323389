package process

import "testing"

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
		})
	}
	if wholly(groupTree) {
		t.Error("a process group holds everything")
	}
}
