package exec_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A report names commands of planlock only where the command finds what the run
// left.
func TestReportKnowsWhoHasTheStores(t *testing.T) {
	for name, c := range map[string]struct {
		seat func(*exec.Controller)
		own  bool
	}{
		"default": {func(*exec.Controller) {}, false},
		"a log of its own": {func(c *exec.Controller) {
			log := &checkpoint.MemoryLog{}
			c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		}, true},
		"the default files, with a witness": {func(c *exec.Controller) {
			c.Runs = filelog.Runs{Dir: filepath.Join(c.Dir, exec.Own, "runs"), Witness: filelog.Witness{Dir: t.TempDir()}}
		}, false},
		"contents of its own": {func(c *exec.Controller) { c.Blobs = &checkpoint.Memory{} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, goodScript)
			c.seat(b.Controller)
			report, err := b.Controller.Run(context.Background(), b.Lock(t))
			if err != nil {
				t.Fatal(err)
			}
			text := report.String()
			if report.Run.Started.OwnStores != c.own || !strings.Contains(text, "verify run ") ||
				strings.Contains(text, ", in the program that has its stores") != c.own {
				t.Errorf("own stores: %t, and the report says\n%s", report.Run.Started.OwnStores, text)
			}
			if next := report.Next(); report.Status() != history.Achieved || len(next) != 1 ||
				next[0].Kind != action.Verify {
				t.Errorf("next: %+v", next)
			}
		})
	}
}

// TestRunsOfOtherFolders: of a run that has not ended, a run is warned that begins in the
// same folder, and none in another one whose runs are kept in the same store.
func TestRunsOfOtherFolders(t *testing.T) {
	blobs, runs := &checkpoint.Memory{}, &checkpoint.MemoryRuns{}
	begin := func(dir string, ends bool) *exectest.Bench {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		b := exectest.New(t, twoSteps(), workspace, exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if !ends && w.Step.Address == "1.2" {
				stop()
				return exec.Outcome{}, context.Cause(ctx)
			}
			return goodScript.Execute(ctx, w)
		}))
		if dir != "" {
			b.Dir, b.Controller.Dir = dir, dir
		}
		b.Controller.Blobs, b.Controller.Runs = blobs, runs
		report, err := b.Controller.Run(ctx, b.Lock(t))
		if report == nil {
			t.Fatal(err)
		}
		warned := strings.Contains(strings.Join(report.Run.Started.Warnings, "\n"), "has not ended")
		if warned != (dir != "") {
			t.Errorf("in folder %q: %q", dir, report.Run.Started.Warnings)
		}
		return b
	}
	waits := begin("", false)
	begin("", true)
	begin(waits.Dir, true)
}
