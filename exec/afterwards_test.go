package exec_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
)

// A life of a machine, in which the store may have no room.
type life struct {
	name string
	full bool
}

func (l life) Boot() string { return l.name }

func (l life) Do(op *disk.Op, run func() error) error {
	if l.full && (op.Kind == disk.Create || op.Kind == disk.Write) && strings.Contains(op.Path, "pack") {
		return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
	}
	return run()
}

// unplugged is a workspace in which the power went inside step 1.2, and took
// the beginning of its attempt. Somebody has worked there since.
func unplugged(t *testing.T, layer plan.Layer) (b *exectest.Bench, locked *plan.Locked, run string, mine string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	b = exectest.New(t, layered(twoSteps(), layer), workspace, exectest.Script{
		"1.1": goodScript["1.1"],
		"1.2": func(context.Context, exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, os.CopyFS(dir, os.DirFS(b.Dir))
		},
	})
	locked = b.Lock(t)
	// how it ends does not matter
	_, _ = b.Controller.Run(disk.With(context.Background(), disk.New(life{name: "first"})), locked)
	ids, err := exec.Workspace{Dir: dir}.IDs(t.Context())
	must(t, err)
	journal := filepath.Join(dir, ".planlock", "runs", ids[0], "journal")
	head, err := os.ReadFile(journal + ".head")
	must(t, err)
	mine = filepath.Join(dir, "mine.txt")
	must(t, errors.Join(os.Truncate(journal, int64(binary.BigEndian.Uint64(head[16:]))), os.WriteFile(mine, []byte("mine\n"), 0o644)))
	b.Controller.Dir, b.Dir = dir, dir
	b.Controller.Executors = exec.Executors{"script": goodScript}
	return b, locked, ids[0], mine
}

// TestAfterAPowerCut takes up what a power cut left. What somebody did there
// since is told, and kept before it is undone; where it cannot be kept, nothing
// is undone.
func TestAfterAPowerCut(t *testing.T) {
	second := disk.With(context.Background(), disk.New(life{name: "second"}))
	full := disk.With(context.Background(), disk.New(life{name: "second", full: true}))

	b, locked, run, mine := unplugged(t, plan.InPlace)
	c := b.Controller
	there := func(want bool) {
		t.Helper()
		if _, err := os.Stat(mine); (err == nil) != want {
			t.Errorf("what somebody wrote: %v", err)
		}
	}
	var refused *exec.RefusedError
	if _, err := c.Run(second, b.Lock(t)); !errors.As(err, &refused) || !strings.Contains(err.Error(), "when the machine was") {
		t.Errorf("another run begins on what may be half of one: %v", err)
	}
	if _, err := c.Resume(full, locked, run); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it was undone and could not be kept: %v", err)
	}
	there(true)
	told := ""
	c.Observe = warnings(func(text string) { told += text + "\n" })
	if report, err := c.Resume(second, locked, run); carried(report, err) != nil {
		t.Fatal(err)
	}
	there(false)
	if !strings.Contains(told, "mine.txt") || !strings.Contains(told, "kept as tree") {
		t.Errorf("told is %q", told)
	}
}

// TestAfterAPowerCutInALayer takes up what a power cut left of a run that works
// in a layer: what somebody did in the workspace since is found, and nothing of
// it is undone.
func TestAfterAPowerCutInALayer(t *testing.T) {
	second := disk.With(context.Background(), disk.New(life{name: "second"}))
	b, locked, run, mine := unplugged(t, plan.Clone)
	c := b.Controller
	var refused *exec.RefusedError
	_, err := c.Resume(second, locked, run)
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "external change: nobody in this run did") || !strings.Contains(err.Error(), "mine.txt") {
		t.Errorf("the run goes on: %v", err)
	}
	if text, err := os.ReadFile(mine); string(text) != "mine\n" {
		t.Errorf("what somebody wrote is %q, %v", text, err)
	}
	must(t, os.Remove(mine))
	report, err := c.Resume(second, locked, run)
	if err != nil {
		t.Fatal(err, report)
	}
	if text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); string(text) != "one\ntwo\n" {
		t.Errorf("a.txt holds %q, %v", text, err)
	}
}

// TestALaterRunBehindADelivery refuses a run while the power may have cut off the
// delivery of an earlier one.
func TestALaterRunBehindADelivery(t *testing.T) {
	b, _, run, _ := unplugged(t, plan.Clone)
	_, err := b.Controller.Run(disk.With(context.Background(), disk.New(life{name: "second"})), b.Lock(t))
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "run "+run+" was stopped while its work was brought into the workspace") {
		t.Errorf("a later run begins: %v", err)
	}
}

// TestResumeBehindALaterRun refuses to restore what was there before a later
// run.
func TestResumeBehindALaterRun(t *testing.T) {
	b, locked, run, mine := unplugged(t, plan.InPlace)
	c, says := b.Controller, "has worked in this workspace since"
	must(t, os.Remove(mine))
	first := disk.With(context.Background(), disk.New(life{name: "first"}))
	must(t, os.Remove(filepath.Join(c.Dir, "a.txt")))
	if report, err := c.Run(first, b.Lock(t)); carried(report, err) != nil {
		t.Fatal(err)
	}
	var refused *exec.RefusedError
	_, err := c.Resume(disk.With(context.Background(), disk.New(life{name: "second"})), locked, run)
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
		t.Errorf("what a later run did is undone: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(c.Dir, "a.txt")); string(text) != "one\ntwo\n" {
		t.Errorf("a.txt holds %q, %v", text, err)
	}
}

// warnings is an observer of warnings.
func warnings(do func(text string)) func(context.Context, event.Event) {
	return func(_ context.Context, e event.Event) {
		if e.Kind == event.Warning {
			do(e.Text)
		}
	}
}
