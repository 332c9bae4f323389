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
	"github.com/planlock/planlock/exec/history"
)

// A trial leaves the workspace as it is, with and without success, and no
// clone; its lock serves the run that follows, which is compared with it.
func TestShadow(t *testing.T) {
	for _, c := range []struct {
		name   string
		second string // what the step writes in the run behind the trial
		strict bool
		want   history.Status
		paths  string // that differ
	}{
		{"the same", "one\n", true, history.Achieved, ""},
		{"something else", "two\n", false, history.Achieved, "a"},
		{"something else, and nothing else is allowed", "two\n", true, history.NotAchieved, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "one\n"
			b := exectest.New(t, steps("", "a", "b"), exectest.Files{"there": "before\n"}, exectest.Script{
				"1.1": changing(&text)["1.1"],
				"2.1": exectest.Write("b", "b\n"),
			})
			before := b.Tree(t).Digest()
			locked := b.Lock(t)
			b.Controller.Shadow = true
			trial, err := b.Controller.Run(t.Context(), locked)
			if err != nil || trial.Run.Ended.Status != history.Achieved || trial.Run.Ended.Tree == before {
				t.Fatalf("%v\n%s", err, trial)
			}
			if got := b.Tree(t).Digest(); got != before {
				t.Errorf("the workspace has tree %s, and had %s", got, before)
			}
			if _, err := os.Stat(filepath.Join(b.Dir, ".planlock", "runs", trial.Run.Started.Run,
				"clone")); !os.IsNotExist(err) {
				t.Errorf("the clone: %v", err)
			}
			if said := trial.String(); !strings.Contains(said, "a trial in a clone") || !strings.Contains(said, "The workspace is as it was") {
				t.Errorf("the report does not say that it was a trial:\n%s", said)
			}
			var refused *exec.RefusedError
			_, err = b.Controller.Rollback(t.Context(), trial.Run.Started.Run, "1.1", "", "")
			if !errors.As(err, &refused) {
				t.Errorf("a trial was set back: %v", err)
			}

			text = c.second
			b.Controller.Shadow, b.Controller.Deterministic = false, c.strict
			run, err := b.Controller.Run(t.Context(), locked)
			if run.Run.Ended == nil || run.Run.Ended.Status != c.want {
				t.Fatalf("%v\n%s", err, run)
			}
			var paths []string
			for _, d := range run.Run.Steps[0].Last().Differs {
				if d.Run != trial.Run.Started.Run {
					t.Errorf("it is compared with %s", d.Run)
				}
				paths = append(paths, d.Paths...)
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("%q differ, want %q", got, c.paths)
			}
			if c.want == history.Achieved {
				return
			}
			// What was refused is not what the next one is measured by.
			again := b.Run(t)
			if d := again.Run.Steps[0].Last().Differs; len(d) != 1 || d[0].Run != trial.Run.Started.Run {
				t.Errorf("compared with %+v", d)
			}
		})
	}
}

// A trial that fails leaves nothing behind either, nor the progress log that
// the plan wants in the workspace.
func TestShadowThatFails(t *testing.T) {
	b := exectest.New(t, steps("[logging]\noutput_file = \"progress.json\"\n", "a", "b"), nil,
		exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Fail("no")})
	before := b.Tree(t).Digest()
	b.Controller.Shadow = true
	trial := b.Run(t)
	trial.Want(t, history.NotAchieved)
	if got := b.Tree(t).Digest(); got != before {
		t.Errorf("the workspace has tree %s, and had %s", got, before)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, ".planlock", "runs", trial.Report.Run.Started.Run,
		"clone")); !os.IsNotExist(err) {
		t.Errorf("the clone: %v", err)
	}
}

// A trial that was interrupted goes on in its clone, and stays a trial.
func TestShadowIsResumed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b := exectest.New(t, steps("", "a", "b"), nil, exectest.Script{
		"1.1": exectest.Write("a", "a\n"),
		"2.1": exectest.Attempts(func(context.Context, exec.Work) (exec.Outcome, error) {
			stop()
			return exec.Outcome{}, ctx.Err()
		}, exectest.Write("b", "b\n")),
	})
	before := b.Tree(t).Digest()
	locked := b.Lock(t)
	b.Controller.Shadow = true
	first, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, context.Canceled) || first.Run.Ended != nil {
		t.Fatalf("%v\n%s", err, first)
	}
	b.Controller.Shadow = false
	trial, err := b.Controller.Resume(t.Context(), locked, "")
	if err != nil || trial.Run.Started.Run != first.Run.Started.Run || len(trial.Run.Steps[0].Attempts) != 1 {
		t.Fatalf("%v\n%s", err, trial)
	}
	if got := b.Tree(t).Digest(); got != before {
		t.Errorf("the workspace has tree %s, and had %s", got, before)
	}
}

// What acts outside of the workspace would be no trial: such a plan is refused
// before anything is done.
func TestShadowOfWhatCannotBeContained(t *testing.T) {
	for _, class := range []string{`"irreversible"`, "\"compensatable\"\ncompensate = \"true\""} {
		b := exectest.New(t, strings.Replace(steps("", "a"), `rollback = "reversible"`, "rollback = "+class, 1), nil,
			exectest.Script{"1.1": exectest.Write("a", "a\n")})
		b.Controller.Shadow = true
		var refused *exec.RefusedError
		if run := b.Run(t); !errors.As(run.Err, &refused) || refused.Run != "" || !strings.Contains(refused.Error(), "step 1.1 is ") {
			t.Errorf("%s: error is %v", class, run.Err)
		}
	}
}
