package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A store takes a tree for a snapshot only if that is what it has kept, times
// included, and says of it what it would have read.
func TestRecognize(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	write("a/b", "text")
	write("c", "more")
	for i := range 1000 { // so that a difference is less than all of it, and all of it more than one piece
		write(fmt.Sprintf("d/%d", i), "text")
	}
	open := func() *checkpoint.Store {
		t.Helper()
		blobs, err := folder.Open(t.Context(), kept)
		must(t, err)
		t.Cleanup(func() { blobs.Close() })
		return checkpoint.NewStore(blobs)
	}
	first := open()
	tree := scanned(t, dir, ledger.Scope{})
	snap, err := first.Snapshot(t.Context(), dir, tree, record.Snapshot{})
	must(t, err)
	write("c", "else")
	changed := scanned(t, dir, ledger.Scope{})
	later, err := first.Snapshot(t.Context(), dir, changed, snap)
	must(t, err)
	write("c", "more")
	must(t, os.Chtimes(filepath.Join(dir, "c"), time.Unix(1, 0), time.Unix(1, 0)))
	touched := scanned(t, dir, ledger.Scope{})
	elsewhere := snap
	elsewhere.Manifest = ledger.Sum([]byte("nobody kept that"))

	for _, c := range []struct {
		name string
		snap record.Snapshot
		tree *ledger.Tree
		want bool
	}{
		{"the tree", snap, tree, true},
		{"the tree, scanned with another scope", snap, tree.Bare(), true},
		{"another tree", snap, changed, false},
		{"the tree with other times", snap, touched, false},
		{"a snapshot that is not kept", elsewhere, tree, false},
		{"a difference", later, changed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, s := open(), open()
			size, err := first.Recognize(t.Context(), c.snap, c.tree)
			must(t, err)
			if got := size > 0; got != c.want {
				t.Fatalf("recognized: %v", got)
			}
			if size == 0 {
				return
			}
			// What one store recognized another one takes for that.
			same, err := s.Recall(t.Context(), c.snap, c.tree, size)
			must(t, err)
			if !same {
				t.Fatal("it is not recalled")
			}
			another, err := s.Recall(t.Context(), c.snap, changed, size)
			must(t, err)
			if another {
				t.Error("another tree is taken for it")
			}
			known, err := s.Tree(t.Context(), c.snap)
			must(t, err)
			read, err := open().Tree(t.Context(), c.snap)
			must(t, err)
			if diff := cmp.Diff(entriesIn(read), entriesIn(known)); diff != "" {
				t.Error(diff)
			}
			// Another snapshot on top of it is the one that the first store
			// made.
			write("c", "else")
			must(t, os.Chtimes(filepath.Join(dir, "c"), lookup(t, changed, "c").ModTime,
				lookup(t, changed, "c").ModTime))
			again, err := s.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), c.snap)
			must(t, err)
			if again.Tree != later.Tree || again.Manifest != later.Manifest {
				t.Errorf("the next snapshot is %v, want %v", again, later)
			}
		})
	}
}

func lookup(t *testing.T, tree *ledger.Tree, path string) ledger.Entry {
	t.Helper()
	e, ok := tree.Lookup(path)
	if !ok {
		t.Fatalf("%s is missing", path)
	}
	return e
}

// entriesIn are the entries of a tree, in words.
func entriesIn(tree *ledger.Tree) []string {
	var all []string
	for e := range tree.All() {
		all = append(all, string(e.Kind)+" "+e.Path+" "+e.Mode.String()+" "+string(e.Digest)+" "+e.Target+" "+
			e.ModTime.UTC().Format(time.RFC3339Nano))
	}
	return all
}

// A tree that is its base takes the place of what the store read for that: the
// next scan shares its folders, so that the next difference looks at few.
func TestSnapshotLearnsItsBase(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o644))
	s := checkpoint.NewStore(&checkpoint.Memory{})
	snap, err := s.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), record.Snapshot{})
	must(t, err)
	for range 2 {
		tree := scanned(t, dir, ledger.Scope{})
		again, err := s.Snapshot(t.Context(), dir, tree, snap)
		must(t, err)
		if have := checkpoint.RecentOf(s, snap); again != snap || len(have) != 1 || have[0] != tree {
			t.Errorf("snapshot %v, and in memory are %v instead of the tree that was seen last", again, have)
		}
	}
}
