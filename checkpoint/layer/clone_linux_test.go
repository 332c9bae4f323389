package layer_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/ledger"
)

// Pipes and sockets are in a clone, however deep they lie.
func TestCloneSpecialFiles(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	if err := os.MkdirAll(filepath.Join(from, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "a", "a/b"} {
		for name, kind := range map[string]uint32{"pipe": syscall.S_IFIFO, "socket": syscall.S_IFSOCK} {
			if err := syscall.Mknod(filepath.Join(from, folder, name), kind|0o600, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := layer.Clone(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if diff := ledger.Diff(tree(t, from), tree(t, to)); len(diff) > 0 {
		t.Errorf("the clone differs: %v", diff)
	}
}
