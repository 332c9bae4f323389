package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// TestAsideUnknown: where the note of what copy and workspace both held is missing or was
// cut off, what an attempt writes aside is seen all the same.
func TestAsideUnknown(t *testing.T) {
	for _, note := range []string{"", "{\"cac"} {
		dir, own := t.TempDir(), t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "cache"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(own, asideName), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		w := &Worktree{Dir: dir, Root: t.TempDir(), RunDir: func() string { return own },
			Scanner: scan.Scanner{Scope: ledger.Scope{Ignore: []string{"cache"}}}}
		if err := w.Aside().Begin(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cache", "x"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if written, _, err := w.Aside().Written(); err != nil || !slices.Equal(written, []string{"cache/x"}) {
			t.Errorf("%q: written are %q, %v", note, written, err)
		}
	}
}
