package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// TestRollbackLeavesOtherRunsAlone refuses to set a run back behind the work of
// another one, whichever of them began first.
func TestRollbackLeavesOtherRunsAlone(t *testing.T) {
	b := exectest.New(t, steps("", "a"), nil, exectest.Script{"1.1": exectest.Write("a", "a\n")})
	first, err := b.Controller.Run(t.Context(), b.Lock(t))
	must(t, err)
	b.Draft = read(t, steps("", "b"))
	b.Controller.Executors = exec.Executors{"script": exectest.Script{"1.1": exectest.Write("b", "b\n")}}
	_, err = b.Controller.Run(t.Context(), b.Lock(t))
	must(t, err)
	var refused *exec.RefusedError
	_, err = b.Controller.Rollback(t.Context(), first.Run.Started.Run, "1.1", "", "")
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "has worked in this workspace since") {
		t.Errorf("what another run did is undone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "b")); err != nil {
		t.Error(err)
	}
}

// TestResumeBehindAFolder: a run that never began has not worked in the
// workspace, so one that was cut off before goes on.
func TestResumeBehindAFolder(t *testing.T) {
	for _, layer := range []plan.Layer{plan.InPlace, plan.Clone} {
		b, locked, run, mine := unplugged(t, layer)
		must(t, os.Remove(mine))
		must(t, os.MkdirAll(filepath.Join(b.Dir, ".planlock", "runs", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), 0o755))
		second := disk.With(context.Background(), disk.New(life{name: "second"}))
		if report, err := b.Controller.Resume(second, locked, run); carried(report, err) != nil {
			t.Errorf("%s: %v", layer, err)
		}
	}
}

// TestResumeWithAPlanFromElsewhere leaves the plan in the workspace alone, which
// the run began with.
func TestResumeWithAPlanFromElsewhere(t *testing.T) {
	b := exectest.New(t, steps("", "a"), exectest.Files{"plan.toml": steps("", "a")}, nil)
	ctx, stop := context.WithCancelCause(t.Context())
	b.Controller.Executors = exec.Executors{"script": exectest.Script{
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			stop(errors.New("stop"))
			return exectest.Write("a", "a\n")(ctx, w)
		}}}
	var err error
	b.Draft, err = native.ReadFile(filepath.Join(b.Dir, "plan.toml"))
	must(t, err)
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if report == nil || report.Run.Head.Seq == 0 {
		t.Fatal(err)
	}
	b.Draft, err = native.Read(filepath.Join(t.TempDir(), "plan.toml"), []byte(steps("", "a")))
	must(t, err)
	again, err := plan.Lock(b.Draft, plan.LockOptions{Acknowledged: report.Run.Started.Acknowledged})
	must(t, err)
	if _, err := b.Controller.Resume(t.Context(), again, report.Run.Started.Run); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "plan.toml")); err != nil {
		t.Error(err)
	}
}

// TestAPlanFromMemoryOwnsNoFile: its name is that of a file which has nothing to
// do with it, and which a step changes undeclared.
func TestAPlanFromMemoryOwnsNoFile(t *testing.T) {
	b := exectest.New(t, steps("", "a"), exectest.Files{"plan.toml": "mine\n"}, exectest.Script{
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			must(t, os.WriteFile(filepath.Join(w.Dir, "plan.toml"), []byte("x = 1\n"), 0o644))
			return exectest.Write("a", "a\n")(ctx, w)
		}})
	t.Chdir(b.Dir)
	b.Draft = read(t, steps("", "a")) // from memory, as plan.toml
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if f := run.Failed("1.1"); f == nil || f.Class != history.Breach {
		t.Errorf("it failed with %+v, want a breach", f)
	}
}

// TestAGuardCannotWidenAContract changes what it looks at.
func TestAGuardCannotWidenAContract(t *testing.T) {
	b := exectest.New(t, steps("", "a"), nil, exectest.Script{"1.1": exectest.Write("evil", "e\n")})
	b.Controller.Guards = []guard.Guard{guard.Of("widens", func(c *guard.Case) guard.Verdict {
		_, s := c.Place()
		s.Artifacts.Create[0], s.Postconditions = "evil", nil
		return guard.Pass()
	})}
	b.Run(t).Want(t, history.NotAchieved)
}
