package exec_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// openings begins to count how often a folder is opened. A scan opens each
// folder once.
func openings(t *testing.T, dir string) (count func() int) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip("needs inotify: ", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	// Equal events in a row become one, so closings stand between. Only events
	// of the folder itself have no name.
	if _, err := syscall.InotifyAddWatch(fd, dir,
		syscall.IN_OPEN|syscall.IN_CLOSE_NOWRITE|syscall.IN_ONLYDIR); err != nil {
		t.Skip("needs inotify: ", err)
	}
	count = func() int {
		n := 0
		buf := make([]byte, 1<<20)
		for {
			read, err := syscall.Read(fd, buf)
			if err != nil || read <= 0 {
				return n
			}
			for rest := buf[:read]; len(rest) >= syscall.SizeofInotifyEvent; {
				length := int(rest[12]) | int(rest[13])<<8
				if mask := uint32(rest[4]) | uint32(rest[5])<<8; mask&syscall.IN_OPEN != 0 && length == 0 {
					n++
				}
				rest = rest[syscall.SizeofInotifyEvent+length:]
			}
		}
	}
	return count
}

// A step that changes nothing and whose gates run no command takes one scan:
// the one that accounts for it is the checkpoint of the next one. Where it works
// in a layer nobody looks at the workspace.
func TestOneScanForEachStep(t *testing.T) {
	// scans are those of 20 steps, of where they work and of the workspace.
	scans := func(layer plan.Layer, gates ...gate.Gate) (worked, workspace int) {
		const from, to = 2, 22
		script, done := exectest.Script{}, 0
		var b *exectest.Bench
		var of, there func() int
		for i := range to + 1 {
			script[plan.Address(fmt.Sprintf("1.%d", i+1))] = func(_ context.Context, w exec.Work) (exec.Outcome, error) {
				switch done++; done {
				case from:
					of, there = openings(t, filepath.Join(w.Dir, "sub")), openings(t, filepath.Join(b.Dir, "sub"))
				case to:
					worked, workspace = of(), there()
				}
				return exec.Outcome{}, nil
			}
		}
		b = exectest.New(t, layered(emptySteps(to+1), layer), exectest.Files{"0.txt": "text\n", "sub/f": "text\n"}, script)
		b.Controller.Gates = append(builtin.Gates(), gates...)
		b.Run(t).Want(t, history.Partial)
		return worked, workspace
	}
	host := gate.New(gate.Info{Name: "host", Doc: "a gate of the host, which may do anything",
		Phases: []gate.Phase{gate.After}},
		func(context.Context, *gate.Pass) error { return nil })
	for _, layer := range []plan.Layer{plan.InPlace, plan.Clone} {
		worked, workspace := scans(layer)
		if worked != 20 {
			t.Errorf("%s: 20 steps take %d scans, want 20", layer, worked)
		}
		if layer == plan.Clone && workspace != 0 {
			t.Errorf("%s: 20 steps take %d scans of the workspace, want none", layer, workspace)
		}
		if worked, _ = scans(layer, host); worked != 60 {
			t.Errorf("%s: 20 steps with a gate of the host take %d scans, want 60: before the step, after it, after it was judged", layer, worked)
		}
	}
}

// Somebody changes the tree between two steps, and nothing makes the controller
// look again: it is a change of the next attempt that nobody declared, which is
// refused and undone, and kept.
func TestChangeBetweenStepsIsNeverSilent(t *testing.T) {
	b := exectest.New(t, inPlace(twoSteps()), workspace, goodScript)
	b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
		if e.Step == "1.1" {
			if err := exectest.Put(b.Dir, "b.txt", "somebody\n"); err != nil {
				t.Error(err)
			}
		}
	})
	run := b.Run(t)
	first := run.Report.Run.Step("1.2").Attempts[0]
	if first.Failure == nil || !strings.Contains(strings.Join(first.Failure.Reasons, "\n"), "b.txt") {
		t.Fatalf("the first attempt of 1.2 was not refused for b.txt: %v", first.Failure)
	}
	if got := run.Read(t, "b.txt"); got != "b\n" {
		t.Errorf("b.txt holds %q", got)
	}
	run.Want(t, history.Partial) // by the second attempt
}
