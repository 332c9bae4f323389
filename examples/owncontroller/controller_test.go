package owncontroller

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

var judges = panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}

// locked is the plan of examples/embedded: two steps, by the shell.
func locked(t *testing.T) *plan.Locked {
	t.Helper()
	draft, err := native.ReadFile("../embedded/plan.toml")
	if err != nil {
		t.Fatal(err)
	}
	l, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func read(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "greeting.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// TestRun: what was accepted is not done again, and is not lost.
func TestRun(t *testing.T) {
	dir, steps := t.TempDir(), 0
	count := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		steps++
		return (&shell.Executor{}).Execute(ctx, w)
	})
	for range 2 {
		if err := Run(t.Context(), dir, locked(t), count, judges); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, dir); steps != 2 || got != "Hello\nreader\n" {
		t.Errorf("after %d steps the greeting is %q", steps, got)
	}
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), dir, locked(t), count, judges); err == nil || read(t, dir) != "mine" {
		t.Errorf("what somebody wrote is %q, and the error %v", read(t, dir), err)
	}
}

// TestUndone: a step that touches what it did not declare, does not do what it
// should, or is cut off, leaves nothing behind, and the next call does it.
func TestUndone(t *testing.T) {
	put := func(w exec.Work, name, text string) {
		if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	for says, careless := range map[string]func(w exec.Work){
		"extra.txt":    func(w exec.Work) { put(w, "extra.txt", "x"); put(w, "greeting.txt", "Hello\nreader\n") },
		"greeting.txt": func(w exec.Work) { put(w, "greeting.txt", "rude\n") },
		"cut off":      func(w exec.Work) { put(w, "greeting.txt", "Hello\nrea"); panic("cut off") },
	} {
		t.Run(says, func(t *testing.T) {
			dir := t.TempDir()
			err := carry(t, dir, exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if w.Step.Address == "1.2" {
					careless(w)
					return exec.Outcome{}, nil
				}
				return (&shell.Executor{}).Execute(ctx, w)
			}))
			if !strings.Contains(err, says) {
				t.Errorf("it ended with %q", err)
			}
			if got := read(t, dir); says != "cut off" && got != "Hello\n" {
				t.Errorf("the greeting is %q", got)
			}
			if err := carry(t, dir, &shell.Executor{}); err != "" || read(t, dir) != "Hello\nreader\n" {
				t.Errorf("in the end the greeting is %q: %s", read(t, dir), err)
			}
			if _, err := os.Stat(filepath.Join(dir, "extra.txt")); err == nil {
				t.Error("extra.txt is still there")
			}
		})
	}
}

// carry is Run, in a process that survives a panic.
func carry(t *testing.T, dir string, x exec.Executor) (failed string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			failed = p.(string)
		}
	}()
	if err := Run(t.Context(), dir, locked(t), x, judges); err != nil {
		return err.Error()
	}
	return ""
}
