package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/internal/pgserver"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
	"github.com/planlock/planlock/plan/native"
)

const threeSteps = `schema = 1
invariants = []

[meta]
goal_descriptor = "letters"

[goal]
description = "Write three letters"

[[requirements]]
id = "R1"
text = "There are three letters"

[[non_goals]]
id = "N1"
text = "No word is written"
paths = ["words/**"]

[defaults]
limits = { max_files = 1, max_lines = 2 }
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"

[[tasks]]
id = 1
description = "Write"

[[tasks.steps]]
id = 1
description = "a"
run = "a"
artifacts = { create = ["a.txt"] }
postconditions = [{ kind = "file_contains", path = "a.txt", text = "a" }]

[[tasks.steps]]
id = 2
description = "b"
run = "b"
artifacts = { create = ["b.txt"] }
postconditions = [{ kind = "file_contains", path = "b.txt", text = "b" }]

[[tasks.steps]]
id = 3
description = "c"
run = "c"
artifacts = { create = ["c.txt"] }
postconditions = [{ kind = "file_contains", path = "c.txt", text = "c" }]
`

// letters writes the letters of the plan; what is done in the second step comes
// first.
func letters(second exec.Func) exec.Executor {
	return exectest.Script{"1.1": exectest.Write("a.txt", strings.Repeat("a", 100_000)),
		"1.2": exectest.All(second, exectest.Write("b.txt", "b")), "1.3": exectest.Write("c.txt", "c")}
}

func controller(dir string, s *Store, x exec.Executor) *exec.Controller {
	return &exec.Controller{Dir: dir, Executors: exec.Default(x), Gates: builtin.Gates(), Blobs: s.Blobs(), Runs: s.Runs()}
}

// lockOf is the lock in a file beside the workspace, which is made the first
// time.
func lockOf(dir string) (*plan.Locked, error) {
	draft, err := native.Read("plan.toml", []byte(threeSteps))
	if err != nil {
		return nil, err
	}
	file := dir + ".lock"
	text, err := os.ReadFile(file)
	if err == nil {
		return lockfile.Read(draft, text, plan.CheckOptions{})
	}
	id, err := lockfile.NewID(time.Now(), nil)
	if err != nil {
		return nil, err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{ID: id, At: time.Now()})
	if err == nil {
		text, err = lockfile.Encode(locked)
	}
	if err != nil {
		return nil, err
	}
	return locked, os.WriteFile(file, text, 0o600)
}

// runPlan runs the plan in a process that says when the second step is at work,
// and is killed then.
func runPlan() int {
	ctx, dir := context.Background(), os.Getenv("PLANLOCK_TEST_DIR")
	s, err := Open(ctx, os.Getenv("PLANLOCK_TEST_URL"), Config{Workspace: "letters"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	locked, err := lockOf(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	report, err := controller(dir, s, letters(func(context.Context, exec.Work) (exec.Outcome, error) {
		fmt.Println("at work")
		select {}
	})).Run(ctx, locked)
	fmt.Fprintln(os.Stderr, report, err)
	return 1
}

// TestRunIsTakenUp kills a controller in the middle of a run, removes what it
// had in the workspace, and has another take the run up, from the database
// alone.
func TestRunIsTakenUp(t *testing.T) {
	url := database(t)
	dir := filepath.Join(t.TempDir(), "letters")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := lockOf(dir); err != nil {
		t.Fatal(err)
	}
	cmd, out := child(t, "run", "PLANLOCK_TEST_URL="+url, "PLANLOCK_TEST_DIR="+dir)
	if !out.Scan() || out.Text() != "at work" {
		t.Fatalf("the run said %q", out.Text())
	}
	s, err := Open(t.Context(), url, Config{Workspace: "letters"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := ""
	for l, err := range s.Runs().List(t.Context(), checkpoint.Which{}) {
		if err != nil || l.State != checkpoint.Begun || run != "" {
			t.Fatalf("listed %+v, %v", l, err)
		}
		run = l.Run
	}
	var held *checkpoint.HeldError
	if _, err := s.Runs().Open(t.Context(), run); !errors.As(err, &held) {
		t.Errorf("opened while its controller lives: %v", err)
	}
	if err := errors.Join(cmd.Process.Kill(), pgserver.Ended(cmd.Wait())); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, exec.Own)); err != nil {
		t.Fatal(err)
	}
	locked, err := lockOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	attempts := &exectest.Record{}
	c := controller(dir, s, attempts.Of(letters(exectest.Nothing())))
	report, err := c.Resume(t.Context(), locked, run)
	if err != nil || report.Status() != history.Achieved {
		t.Fatalf("resumed: %q, %v\n%s", report.Status(), err, report)
	}
	if done := attempts.Attempts(); len(done) != 2 {
		t.Errorf("attempts after it was resumed: %q, want those of 1.2 and 1.3", done)
	}
	for name, want := range map[string]int{"a.txt": 100_000, "b.txt": 1, "c.txt": 1} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(text) != want {
			t.Errorf("%s has %d bytes, %v", name, len(text), err)
		}
	}
	var refused *exec.RefusedError
	if _, err := c.Run(t.Context(), locked); !errors.As(err, &refused) || !strings.Contains(err.Error(), run) {
		t.Errorf("a second run by the lock: %v", err)
	}
	for l, err := range s.Runs().List(t.Context(), checkpoint.Which{}) {
		if err != nil || l.State != checkpoint.Sealed {
			t.Errorf("listed %+v, %v", l, err)
		}
	}
	if _, err := (exec.Workspace{Dir: dir, Blobs: s.Blobs(), Runs: s.Runs()}).Verify(t.Context(), run); err != nil {
		t.Errorf("verify: %v", err)
	}
}
