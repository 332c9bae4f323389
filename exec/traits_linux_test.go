package exec_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestStepsCannotLeaveTraits lets a step, as root, leave on a file that it
// declares what no plan declares.
func TestStepsCannotLeaveTraits(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	capability := []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // version 2, cap_net_raw
	rogue := map[string]struct {
		do    func(path string) error
		names string // "": nothing is wrong
	}{
		"nothing":    {func(string) error { return nil }, ""},
		"capability": {func(path string) error { return syscall.Setxattr(path, "security.capability", capability, 0) }, "a.txt bears the attribute security.capability"},
		"trusted":    {func(path string) error { return syscall.Setxattr(path, "trusted.x", []byte("y"), 0) }, "a.txt bears the attribute trusted.x"},
		"user":       {func(path string) error { return syscall.Setxattr(path, "user.x", []byte("y"), 0) }, "a.txt bears the attribute user.x"},
		"owner":      {func(path string) error { return os.Chown(path, 4711, -1) }, "a.txt bears the owner 4711"},
		"setuid":     {func(path string) error { return os.Chmod(path, 0o755|fs.ModeSetuid) }, "a.txt"},
		"group":      {func(path string) error { return os.Chown(path, -1, 4711) }, "a.txt bears the group 4711"},
	}
	for name, tt := range rogue {
		for _, at := range []plan.Address{"1.1", "1.2"} { // the file is new, and it is written
			t.Run(name+" in "+string(at), func(t *testing.T) {
				script := maps.Clone(goodScript)
				script[at] = exectest.All(goodScript[at], func(_ context.Context, w exec.Work) (exec.Outcome, error) {
					err := tt.do(filepath.Join(w.Dir, "a.txt"))
					if errors.Is(err, syscall.ENOTSUP) {
						t.Skip("the file system keeps no such attribute")
					}
					return exec.Outcome{}, err
				})
				run := exectest.Run(t, twoSteps(), workspace, script)
				if tt.names == "" {
					run.Want(t, history.Achieved)
					return
				}
				run.Want(t, history.NotAchieved)
				failed := run.Failed(at)
				if failed == nil || failed.Class != history.Breach || !strings.Contains(failed.String(), tt.names) {
					t.Errorf("failed with %v, want a breach with %q", failed, tt.names)
				}
			})
		}
	}
}
