package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

func TestMain(m *testing.M) {
	flag.Parse()
	for _, tool := range []string{"go", "sh", "sed", "awk"} {
		if _, err := osexec.LookPath(tool); err != nil {
			println("nothing is tested here: the plan needs", tool)
			return
		}
	}
	code := m.Run()
	if calm.home != "" {
		os.RemoveAll(calm.home)
	}
	os.Exit(code)
}

// The plan must end as planned, with the backup and the retry that its comments
// promise, and with one rogue line anywhere it must not.
func TestPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the whole plan, whose commands compile and test the service again and again")
	}
	dir, report, _ := planned(t)
	t.Run("AsPlanned", func(t *testing.T) { asPlanned(t, dir, report) })
	t.Run("RogueLine", func(t *testing.T) { rogueLines(t, exec.Workspace{Dir: dir}, report.Run) })
}

// planned is a run of the whole plan that nobody disturbed, and how long it
// took. It is carried out once for all tests.
func planned(t *testing.T) (dir string, report *exec.Report, took time.Duration) {
	t.Helper()
	calm.Do(func() {
		calm.home, calm.err = os.MkdirTemp("", "ratelimit-") // TestMain removes it
		if calm.err != nil {
			return
		}
		if calm.err = compiled("vet", "./..."); calm.err == nil {
			calm.err = compiled("test", "-run=^$", "./...")
		}
		if calm.err != nil {
			return
		}
		began := time.Now()
		calm.report, calm.err = execute(context.Background(), ".", filepath.Join(calm.home, "service"))
		calm.took = time.Since(began)
	})
	if calm.err != nil || calm.report.Status() != history.Achieved {
		t.Fatalf("%v\n%v", calm.err, calm.report)
	}
	return filepath.Join(calm.home, "service"), calm.report, calm.took
}

// compiled has Go look at the packages that the service imports. What a step
// compiles goes when its run ends, so each run would look at them again.
func compiled(args ...string) error {
	cmd := osexec.Command("go", args...)
	cmd.Dir = "service"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

var calm struct {
	sync.Once
	home   string
	report *exec.Report
	took   time.Duration
	err    error
}

func asPlanned(t *testing.T, dir string, report *exec.Report) {
	rungs := map[string]int{}
	for _, s := range report.Run.Steps {
		for _, r := range s.Recoveries {
			rungs[string(s.Address)+" "+r.Rung]++
		}
	}
	if len(rungs) != 2 || rungs["1.2 backup"] != 1 || rungs["3.1 retry"] != 1 {
		t.Errorf("recoveries %v, want a backup in 1.2 and a retry in 3.1", rungs)
	}
	proof, err := exec.Workspace{Dir: dir}.Verify(t.Context(), report.Run.Started.Run)
	if err != nil || proof.Views == 0 {
		t.Errorf("the proof of the run: %+v, %v", proof, err)
	}
	test := osexec.CommandContext(t.Context(), "go", "test", "./...")
	test.Dir = dir
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("the tests of the service as it is now: %v\n%s", err, out)
	}
	again, err := execute(t.Context(), ".", dir)
	if err != nil || again.Run.Head != report.Run.Head {
		t.Errorf("a second call did something: %v\n%v", err, again)
	}
}

// The command must tell what it did, must not advise to use what is gone, and
// must leave nothing behind. .ci/run looks at the same, where it calls the
// first command of the README.
func TestCommandInTemporaryFolder(t *testing.T) {
	if !whole {
		t.Skip("it runs the whole plan once more, as .ci/run does by itself: go test -tags torture")
	}
	t.Parallel()
	tmp := t.TempDir()
	cmd := osexec.CommandContext(t.Context(), command(t), "-example", ".")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"At work on step 1.1 1.2 (", "ACHIEVED  7 of 7 steps · 1 retry · 1 backup", "add  -dir DIR\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "planlock verify") {
		t.Errorf("the output advises to look into a folder that is gone:\n%s", out)
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// command builds the example.
func command(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "ratelimit.exe")
	if out, err := osexec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}
