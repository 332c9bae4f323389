package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// TestHogs are commands that take all they can get: each ends, within its
// limits, and leaves nothing running.
func TestHogs(t *testing.T) {
	const bomb = "bomb() { bomb | bomb & }; bomb & while :; do :; done"
	hogs := []struct {
		name  string
		run   string
		limit func(*process.Sandbox)
		time  time.Duration // after which it is stopped; 0: it ends by itself
	}{
		{"memory", "head -c 300000000 /dev/zero | tail -c 250000000 >/dev/null",
			func(s *process.Sandbox) { s.Memory = 64 << 20 }, 0},
		{"memory of many processes", "for i in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/zero | tail -c 15000000 | (sleep 1; cat) >/dev/null & done; wait; exit 9",
			func(s *process.Sandbox) { s.Memory = 64 << 20 }, 0},
		{"processes", "i=0; while [ $i -lt 100 ]; do sleep 100 & i=$((i+1)); done",
			func(s *process.Sandbox) { s.Processes = 40 }, 0},
		{"fork bomb", bomb, func(s *process.Sandbox) { s.Processes = 200 }, time.Second},
		{"size of a file", "head -c 5000000 /dev/zero >big", func(s *process.Sandbox) { s.FileSize = 1 << 20 }, 0},
		{"size of a file, told", "trap '' XFSZ; head -c 5000000 /dev/zero >big; exit 3",
			func(s *process.Sandbox) { s.FileSize = 1 << 20 }, 0},
		{"size of a file, piecemeal", "while head -c 100000 /dev/zero >>big; do :; done; exit 9",
			func(s *process.Sandbox) { s.FileSize = 1 << 20 }, 0},
		{"processor", "while :; do :; done", func(s *process.Sandbox) { s.CPU = time.Second }, 0},
		{"processor, ignoring the warning", "trap '' XCPU; while :; do :; done",
			func(s *process.Sandbox) { s.CPU = time.Second }, 0},
		{"time", "trap '' TERM; while :; do sleep 1; done", func(*process.Sandbox) {}, 100 * time.Millisecond},
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		r.Grace = 100 * time.Millisecond
		level := r.Sandbox
		for i, hog := range hogs {
			if !inTurn(level.Level, i) {
				continue
			}
			t.Run(hog.name, func(t *testing.T) {
				r.Sandbox = level
				hog.limit(&r.Sandbox)
				reached, err := process.Reach(r.Sandbox)
				if err != nil {
					t.Skip(err)
				}
				if strings.HasPrefix(hog.name, "memory of") && reached.Memory != "control group" {
					t.Skip("memory is that of each process:", reached.Reasons)
				}
				ctx, mark := t.Context(), marked(t)
				if hog.time > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, hog.time)
					defer cancel()
				}
				result, err := r.Run(ctx, gate.Command{Run: hog.run, Env: []string{mark}})
				if result.Exit == 0 && err == nil {
					t.Errorf("it was let through: %+v", result)
				}
				if stopped := errors.Is(err, context.DeadlineExceeded); stopped != (hog.time > 0) {
					t.Errorf("stopped: %v, %v", stopped, err)
				}
				if strings.HasPrefix(hog.name, "memory") &&
					errors.Is(err, process.ErrOutOfMemory) != (reached.Memory == "control group") {
					t.Errorf("memory by %s: %v", reached.Memory, err)
				}
				if used := errors.Is(err, process.ErrExhausted); used != (strings.HasPrefix(hog.name, "processor") || hog.name == "size of a file" || hog.name == "size of a file, told") {
					t.Errorf("used up: %v, %v", used, err)
				}
				if info, err := os.Stat(filepath.Join(r.Dir, "big")); err == nil && info.Size() > 1<<20 {
					t.Errorf("the file has %d bytes", info.Size())
				}
				noneLeft(t, mark)
				os.Remove(filepath.Join(r.Dir, "big"))
			})
		}
	})
}

// TestControlGroupsAreRemoved looks for groups of this process after commands
// with and without success.
func TestControlGroupsAreRemoved(t *testing.T) {
	r := &process.Runner{Dir: t.TempDir(), Sandbox: process.Sandbox{Memory: 64 << 20, Processes: 10}}
	if reached, err := process.Reach(r.Sandbox); err != nil || reached.Memory != "control group" &&
		reached.Processes != "control group" {
		t.Skip("no control groups:", reached.Reasons, err)
	}
	for _, run := range []string{"true", "sleep 100 &", "head -c 200000000 /dev/zero | tail -c 150000000 >/dev/null"} {
		r.Run(t.Context(), gate.Command{Run: run})
	}
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "planlock-"+strconv.Itoa(os.Getpid())+"-") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
