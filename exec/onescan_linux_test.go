package exec_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// openings counts how often a folder is opened while do runs. A scan opens each
// folder once.
func openings(t *testing.T, dir string, do func()) int {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip("needs inotify: ", err)
	}
	defer syscall.Close(fd)
	// Equal events in a row become one, so closings stand between. Only events
	// of the folder itself have no name.
	if _, err := syscall.InotifyAddWatch(fd, dir,
		syscall.IN_OPEN|syscall.IN_CLOSE_NOWRITE|syscall.IN_ONLYDIR); err != nil {
		t.Skip("needs inotify: ", err)
	}
	do()
	count := 0
	buf := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(fd, buf)
		if err != nil || n <= 0 {
			return count
		}
		for rest := buf[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			length := int(rest[12]) | int(rest[13])<<8
			if mask := uint32(rest[4]) | uint32(rest[5])<<8; mask&syscall.IN_OPEN != 0 && length == 0 {
				count++
			}
			rest = rest[syscall.SizeofInotifyEvent+length:]
		}
	}
}

// A step that changes nothing and whose gates run no command takes one scan:
// the one that accounts for it is the checkpoint of the next one.
func TestOneScanForEachStep(t *testing.T) {
	scans := func(steps int, gates ...gate.Gate) int {
		script := exectest.Script{}
		for i := range steps {
			script[plan.Address(fmt.Sprintf("1.%d", i+1))] = exectest.Nothing()
		}
		b := exectest.New(t, emptySteps(steps), exectest.Files{"0.txt": "text\n", "sub/f": "text\n"}, script)
		b.Controller.Gates = append(builtin.Gates(), gates...)
		locked := b.Lock(t)
		return openings(t, filepath.Join(b.Dir, "sub"), func() {
			report, err := b.Controller.Run(context.Background(), locked)
			if err != nil || report.Status() != history.Achieved {
				t.Fatal(err, report)
			}
		})
	}
	if few, many := scans(2), scans(22); many-few != 20 {
		t.Errorf("20 steps more take %d scans, want 20", many-few)
	}
	host := gate.New(gate.Info{Name: "host", Doc: "a gate of the host, which may do anything",
		Phases: []gate.Phase{gate.After}},
		func(context.Context, *gate.Pass) error { return nil })
	if few, many := scans(2, host), scans(22, host); many-few != 60 {
		t.Errorf("20 steps more with a gate of the host take %d scans, want 60: before the step, after it, after it was judged", many-few)
	}
}

// Somebody changes the tree between two steps, and nothing makes the controller
// look again: it is a change of the next attempt that nobody declared, which is
// refused and undone, and kept.
func TestChangeBetweenStepsIsNeverSilent(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
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
	run.Want(t, history.Achieved) // by the second attempt
}
