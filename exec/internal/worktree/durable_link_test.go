package worktree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/ledger"
)

// A step put a folder where a link to the outside was, and was undone: what it
// wrote behind that name is gone, which is no reason to end the run.
func TestMakeDurableBehindALink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no link can be made here:", err)
	}
	w := &Worktree{}
	var changes []ledger.Change
	for _, p := range []string{"file", "link", "link/a", "link/sub/b", "gone/c", "file/d"} {
		changes = append(changes, ledger.Change{Path: p})
	}
	w.Unsynced().Note(dir, changes)
	if err := w.Unsynced().Sync(t.Context()); err != nil {
		t.Error(err)
	}
}
