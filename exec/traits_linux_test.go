package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestDeclaredTraitsAreDelivered lets a step, as root, leave what it declares on
// files that it makes and changes, and looks at what is in the workspace, also
// after the run was cut off before the delivery.
func TestDeclaredTraitsAreDelivered(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	const text = `schema = 1
profile = "observe"
goal.description = "Deliver a program"
defaults.executor = "script"

[[tasks]]
id = 1
description = "Make it"

[[tasks.steps]]
id = 1
description = "Make it"
run = "true"
artifacts = { create = ["new"], modify = ["old"], bears = [
  { path = "new", owner = 4711, group = 4712, setuid = true },
  { path = "old", attributes = ["security.capability", "user.x"] },
] }
`
	capability := []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // version 2, cap_net_raw
	dress := func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		made, old := filepath.Join(w.Dir, "new"), filepath.Join(w.Dir, "old")
		err := errors.Join(os.Chown(made, 4711, 4712), os.Chmod(made, 0o755|fs.ModeSetuid),
			syscall.Setxattr(old, "security.capability", capability, 0), syscall.Setxattr(old, "user.x", []byte("y"), 0))
		if errors.Is(err, syscall.ENOTSUP) {
			t.Skip("the file system keeps no attributes")
		}
		return exec.Outcome{}, err
	}
	write := exectest.All(exectest.Write("new", "#!/bin/sh\n"), exectest.Write("old", "other\n"))
	for cut := 2; ; cut++ {
		over := true
		t.Run(fmt.Sprint("cut after ", cut), func(t *testing.T) {
			b := exectest.New(t, text, exectest.Files{"old": "old\n"}, exectest.Script{"1.1": exectest.All(write, dress)})
			must(t, os.Chown(filepath.Join(b.Dir, "old"), 815, 816))
			locked := b.Lock(t)
			log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
			b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
			report, err := b.Controller.Run(t.Context(), locked)
			if over = carried(report, err) == nil; !over {
				if !errors.Is(err, errCut) {
					t.Fatalf("%v\n%s", err, report)
				}
				clones, err := filepath.Glob(filepath.Join(b.Dir, ".planlock", "runs", "*", "clone"))
				for _, clone := range clones { // it has what the step left
					err = errors.Join(err, os.RemoveAll(clone))
				}
				must(t, err)
				log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
				if report, err := b.Controller.Resume(t.Context(), locked, report.Run.Started.Run); carried(report, err) != nil {
					t.Fatalf("resumed: %v\n%s", err, report)
				}
			}
			for path, want := range map[string][2]uint32{"new": {4711, 4712}, "old": {815, 816}} {
				info, err := os.Lstat(filepath.Join(b.Dir, path))
				must(t, err)
				if stat := info.Sys().(*syscall.Stat_t); stat.Uid != want[0] || stat.Gid != want[1] {
					t.Errorf("%s belongs to %d:%d, want %v", path, stat.Uid, stat.Gid, want)
				}
				if bits := info.Mode() & fs.ModeSetuid; (bits != 0) != (path == "new") {
					t.Errorf("%s has the mode %v", path, info.Mode())
				}
			}
			for name, want := range map[string]string{"security.capability": string(capability), "user.x": "y"} {
				value := make([]byte, 100)
				n, err := syscall.Getxattr(filepath.Join(b.Dir, "old"), name, value)
				if err != nil || string(value[:n]) != want {
					t.Errorf("%s is %q, %v", name, value[:max(n, 0)], err)
				}
			}
		})
		if over || t.Failed() {
			break
		}
	}
	t.Run("not done", func(t *testing.T) {
		run := exectest.Run(t, text, exectest.Files{"old": "old\n"}, exectest.Script{"1.1": write})
		failed := run.Failed("1.1")
		if failed == nil || failed.Class != history.Breach || !strings.Contains(failed.String(), "new belongs to 0, and 4711 is declared") {
			t.Errorf("failed with %v", failed)
		}
	})
}

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
