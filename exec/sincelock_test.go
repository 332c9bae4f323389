package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
)

// Who is refused because the workspace is not as it was when the lock was made
// is told what to look at.
func TestMovedBaseTreeIsNamed(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	write := func(t *testing.T, b *exectest.Bench, path string) {
		must(t, os.WriteFile(filepath.Join(b.Dir, path), []byte("by somebody else\n"), 0o644))
	}
	for name, c := range map[string]struct {
		kept bool // a run has kept the tree that is locked
		move func(t *testing.T, b *exectest.Bench)
		want string
	}{
		"kept by a run": {true, func(t *testing.T, b *exectest.Bench) {
			must(t, os.Remove(filepath.Join(b.Dir, "old.txt")))
			write(t, b, "stray.txt")
		}, "changed since the lock was made: delete old.txt; create stray.txt"},
		"newer than the lock": {false, func(t *testing.T, b *exectest.Bench) { write(t, b, "stray.txt") },
			`newer than the lock: "stray.txt" (what was removed or kept its old time is not among these)`},
		"nothing is newer": {false, func(t *testing.T, b *exectest.Bench) { must(t, os.Remove(filepath.Join(b.Dir, "old.txt"))) },
			"nothing here is newer than the lock, so something was removed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, rowOf(1, "", ""), map[string]string{"old.txt": "old\n"}, exectest.Script{})
			if c.kept {
				b.Run(t) // that comes to nothing, and restores the tree
			}
			must(t, filepath.WalkDir(b.Dir, func(path string, e os.DirEntry, err error) error {
				if err == nil && e.Name() == exec.Own {
					return filepath.SkipDir
				}
				return errors.Join(err, os.Chtimes(path, old, old))
			}))
			locked := b.Lock(t)
			c.move(t, b)
			var refused *exec.RefusedError
			_, err := b.Controller.Run(context.Background(), locked)
			if !errors.As(err, &refused) || len(refused.Reasons) != 2 || !strings.Contains(refused.Reasons[0], "base tree") {
				t.Fatal(err)
			}
			if !strings.HasPrefix(refused.Reasons[1], c.want) {
				t.Errorf("it says %q, want %q", refused.Reasons[1], c.want)
			}
		})
	}
}
