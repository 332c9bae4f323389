package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	planexec "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestUnits commits by task, and the run as a whole.
func TestUnits(t *testing.T) {
	for unit, want := range map[commit.Unit][]string{
		commit.Task: {"Letters 1: a b", "Letters 2: c"},
		commit.Run:  {"Write letters: a b c"},
		commit.Off:  nil,
		"":          nil,
	} {
		t.Run(string(unit), func(t *testing.T) {
			d := newDesk(t, planOf("a", "b", "c"), nil)
			d.Controller.Commits = unit
			first, check := d.git("rev-parse", "HEAD"), d.untouched()
			done := d.Run(t)
			done.Want(t, history.Achieved)
			check()
			d.want(done.Run, first, want...)
			if unit == commit.Task && !strings.Contains(d.git("log", "-1", "--format=%b", "HEAD~1"), "* 1.1 Write a\n* 1.2 Write b\n") {
				t.Error(d.git("log", "-2"))
			}
		})
	}
}

// TestIsolated commits each step once all of them are delivered.
func TestIsolated(t *testing.T) {
	d := newDesk(t, planOf("a", "b", "c"), nil)
	d.Controller.Isolate = true
	first, check := d.git("rev-parse", "HEAD"), d.untouched()
	done := d.Run(t)
	done.Want(t, history.Achieved)
	check()
	d.want(done.Run, first, "Write a: a", "Write b: b", "Write c: c")
}

// TestSubmodule leaves out what lies in a submodule, and commits the rest.
func TestSubmodule(t *testing.T) {
	d := newDesk(t, planOf("sub/a", "b"), func(d *desk) { d.submodule("sub") })
	first, check := d.git("rev-parse", "HEAD"), d.untouched()
	done := d.Run(t)
	done.Want(t, history.Achieved)
	check()
	d.want(done.Run, first, "Write b: b")
	if left := done.Run.Commits[0].Left; len(left) != 1 || left[0].Path != "sub/a" || !strings.Contains(left[0].Why, "repository of its own") {
		t.Errorf("left out: %v", left)
	}
	if d.git("rev-parse", "HEAD:sub") != d.git("rev-parse", first+":sub") {
		t.Error("the submodule moved")
	}
}

// TestDirty leaves out what somebody changed and did not commit, whether that is
// staged or not.
func TestDirty(t *testing.T) {
	d := newDesk(t, planOf("~edited", "~staged", "~untracked", "~clean"), func(d *desk) {
		d.put("edited", "1\n")
		d.put("staged", "1\n")
		d.put("clean", "1\n")
	})
	d.put("edited", "2\n")
	d.put("staged", "2\n")
	d.git("add", "staged")
	d.put("untracked", "2\n")
	first, check := d.git("rev-parse", "HEAD"), d.untouched()
	done := d.Run(t)
	done.Want(t, history.Achieved)
	check()
	d.want(done.Run, first, "Write clean: clean")
	for i, why := range []string{"changed before the step", "changed before the step", "was there before the step"} {
		if c := done.Run.Commits[i]; c.Commit != "" || len(c.Left) != 1 || !strings.Contains(c.Left[0].Why, why) {
			t.Errorf("%s: %v", c.Committed, c.Left)
		}
	}
}

// TestMiddle begins nothing in a repository in which something is half done.
func TestMiddle(t *testing.T) {
	conflict := func(d *desk) {
		d.git("switch", "-q", "-c", "side")
		d.put("README", "Side\n")
		d.git("commit", "-q", "-am", "side")
		d.git("switch", "-q", "main")
		d.put("README", "Main\n")
		d.git("commit", "-q", "-am", "main")
	}
	try := func(d *desk, args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = d.Dir, append(os.Environ(), alone()...)
		if cmd.Run() == nil {
			d.t.Fatalf("git %q found no conflict", args)
		}
	}
	for name, tt := range map[string]struct {
		do   func(d *desk)
		want string
	}{
		"merge":       {func(d *desk) { conflict(d); try(d, "merge", "side") }, "in the middle of a merge"},
		"rebase":      {func(d *desk) { conflict(d); try(d, "rebase", "side") }, "in the middle of a rebase"},
		"cherry-pick": {func(d *desk) { conflict(d); try(d, "cherry-pick", "side") }, "in the middle of a cherry-pick"},
		"revert": {func(d *desk) {
			conflict(d)
			d.put("README", "More\n")
			d.git("commit", "-q", "-am", "more")
			try(d, "revert", "HEAD~1")
		}, "in the middle of a revert"},
		"stash": {func(d *desk) {
			d.put("README", "Stashed\n")
			d.git("stash", "-q")
			d.put("README", "Main\n")
			d.git("commit", "-q", "-am", "main")
			try(d, "stash", "pop")
		}, "has conflicts"},
		"bisect":      {func(d *desk) { d.git("bisect", "start") }, "in the middle of a bisection"},
		"no identity": {func(d *desk) { d.git("config", "--unset", "user.name"); d.git("config", "user.useConfigOnly", "true") }, "who commits"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, planOf("a"), nil)
			tt.do(d)
			head, check := d.git("rev-parse", "HEAD"), d.untouched()
			done := d.Run(t)
			refused(t, done.Err, tt.want)
			check()
			if d.git("rev-parse", "HEAD") != head || done.Read(t, "a") != "" {
				t.Error("something was done")
			}
		})
	}
}

// TestNoRepository begins nothing where there is no repository, or no commit.
func TestNoRepository(t *testing.T) {
	d := newDesk(t, planOf("a"), nil)
	for _, tt := range [][2]string{{".git/refs/heads/main", "no commit"}, {".git/HEAD", "no repository that git can use"}} {
		if err := os.Remove(filepath.Join(d.Dir, filepath.FromSlash(tt[0]))); err != nil {
			t.Fatal(err)
		}
		done := d.Run(t)
		refused(t, done.Err, tt[1])
	}
}

// TestMoved commits nothing once something moved that git would run or obey, and
// goes on when it is as it was.
func TestMoved(t *testing.T) {
	for name, tt := range map[string]struct {
		do, undo func(d *desk)
		want     string
	}{
		"hook":   {func(d *desk) { d.hook("pre-commit", "true") }, func(d *desk) { os.Remove(d.Dir + "/.git/hooks/pre-commit") }, "hook pre-commit"},
		"config": {func(d *desk) { d.git("config", "gpg.program", "/bin/evil") }, func(d *desk) { d.git("config", "--unset", "gpg.program") }, "gpg.program"},
		"filter": {func(d *desk) { d.git("config", "filter.x.clean", "sh x.sh") }, func(d *desk) { d.git("config", "--unset", "filter.x.clean") }, "filter.x.clean"},
		"included": {func(d *desk) { d.put("../more", "[core]\n\thooksPath = elsewhere\n") }, func(d *desk) { d.put("../more", "") },
			"core.hookspath"},
		"program":    {func(d *desk) { d.put("../clean", "#!/bin/sh\necho evil") }, func(d *desk) { d.put("../clean", "#!/bin/sh\ncat\n") }, "program ../clean"},
		"attributes": {func(d *desk) { d.put(".git/info/attributes", "* filter=x\n") }, func(d *desk) { os.Remove(d.Dir + "/.git/info/attributes") }, "info/attributes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a", "b"), func(d *desk) {
				d.put("../more", "")
				d.put("../clean", "#!/bin/sh\ncat\n")
				d.git("config", "include.path", filepath.Join(d.Dir, "../more"))
				d.git("config", "filter.y.clean", "../clean")
			})
			first, check := d.git("rev-parse", "HEAD"), d.untouched()
			work := d.Controller.Executors[""]
			moves := true
			d.Controller.Executors[""] = planexec.Func(func(ctx context.Context, w planexec.Work) (planexec.Outcome, error) {
				if moves && w.Step.Address == "1.2" {
					moves = false
					tt.do(d)
				}
				return work.Execute(ctx, w)
			})
			locked := d.Lock(t)
			report, err := d.Controller.Run(context.Background(), locked)
			refused(t, err, tt.want)
			d.want(report.Run, first, "Write a: a")
			tt.undo(d)
			report, err = d.Controller.Resume(context.Background(), locked, "")
			if err != nil {
				t.Fatal(err)
			}
			check()
			d.want(report.Run, first, "Write a: a", "Write b: b")
		})
	}
}

// TestAttributesOfAStep commits nothing by attributes that a step made; without
// commits the run goes on.
func TestAttributesOfAStep(t *testing.T) {
	d := newDesk(t, planOf("a", ".gitattributes", "b"), nil)
	first := d.git("rev-parse", "HEAD")
	locked := d.Lock(t)
	report, err := d.Controller.Run(context.Background(), locked)
	refused(t, err, "attributes .gitattributes is not as it was when the run began")
	d.want(report.Run, first, "Write a: a")
	d.Controller.Commits = commit.Off
	report, err = d.Controller.Resume(context.Background(), locked, "")
	if err != nil || report.Status() != history.Achieved {
		t.Fatal(report.Status(), err)
	}
	d.want(report.Run, first, "Write a: a")
}

// TestHooksSayNo lets the run go, and commits once they agree. What a hook adds
// to the commit is not committed.
func TestHooksSayNo(t *testing.T) {
	for name, tt := range map[string]struct{ hook, script, want string }{
		"no":      {"pre-commit", `echo "not today" >&2; test -e ../yes`, "hook pre-commit says no: not today"},
		"adds":    {"pre-commit", "test -e ../yes || git add -f README.tmp", "hook pre-commit changed what is committed"},
		"message": {"commit-msg", `test -e ../yes || echo forged >"$1"`, "took the trailer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a"), nil)
			d.hook(tt.hook, tt.script)
			d.put("README.tmp", "x\n")
			first, check := d.git("rev-parse", "HEAD"), d.untouched()
			locked := d.Lock(t)
			_, err := d.Controller.Run(context.Background(), locked)
			refused(t, err, tt.want)
			if d.git("rev-parse", "HEAD") != first {
				t.Error("HEAD moved")
			}
			d.put("../yes", "")
			report, err := d.Controller.Resume(context.Background(), locked, "")
			if err != nil {
				t.Fatal(err)
			}
			check()
			d.want(report.Run, first, "Write a: a")
		})
	}
}

// TestHookSecrets tells what a hook prints without secrets, and not all of it.
func TestHookSecrets(t *testing.T) {
	t.Setenv("LETTERS_TOKEN", "correct-horse-battery")
	d := newDesk(t, planOf("a"), nil)
	d.hook("pre-commit", `i=0; while [ $i -lt 300 ]; do echo "line $i"; i=$((i+1)); done; echo "no: $LETTERS_TOKEN"; exit 1`)
	done := d.Run(t)
	refused(t, done.Err, "no: [LETTERS_TOKEN]")
	if text := done.Err.Error(); len(text) > 2000 || !strings.Contains(text, "bytes left out") {
		t.Errorf("it is told as\n%s", text)
	}
	runs := os.DirFS(filepath.Join(d.Dir, ".planlock"))
	err := fs.WalkDir(runs, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(runs, name)
		if bytes.Contains(text, []byte("correct-horse")) {
			t.Errorf("%s has the secret", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHookHangs ends a hook that hangs, with what it started, and takes nothing
// of the repository along.
func TestHookHangs(t *testing.T) {
	for name, tt := range map[string]struct{ when, want string }{
		"pre-commit":            {"true", "hook pre-commit: git hook: it took longer than 3s, and was ended: waiting"},
		"reference-transaction": {`test "$1" = prepared && test "$(cut -d' ' -f3)" != 0`, "HEAD could not be moved: git update-ref: it took longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a"), nil)
			d.hook(name, tt.when+" || exit 0; test -e ../yes && exit 0; echo waiting >&2; sleep 600 & echo $! >../sleeper; wait")
			first, check := d.git("rev-parse", "HEAD"), d.untouched()
			d.by.HookLimit = 3 * time.Second
			locked := d.Lock(t)
			_, err := d.Controller.Run(context.Background(), locked)
			refused(t, err, tt.want)
			sleeper, err := os.ReadFile(filepath.Join(d.Dir, "../sleeper"))
			if err != nil {
				t.Fatal(err)
			}
			for exec.Command("kill", "-0", strings.TrimSpace(string(sleeper))).Run() == nil { // until whoever inherits it reaps it
				time.Sleep(10 * time.Millisecond)
			}
			d.by.HookLimit = 0
			d.put("../yes", "")
			report, err := d.Controller.Resume(context.Background(), locked, "")
			if err != nil {
				t.Fatal(err)
			}
			check()
			d.want(report.Run, first, "Write a: a")
		})
	}
}

// TestLocks names the lock of a git that was killed, and what to do.
func TestLocks(t *testing.T) {
	for _, name := range []string{"HEAD.lock", "index.lock"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a"), nil)
			first, at := d.git("rev-parse", "HEAD"), filepath.Join(d.Dir, ".git", filepath.FromSlash(name))
			work := d.Controller.Executors[""]
			d.Controller.Executors[""] = planexec.Func(func(ctx context.Context, w planexec.Work) (planexec.Outcome, error) {
				if err := os.WriteFile(at, nil, 0o644); err != nil {
					return planexec.Outcome{}, err
				}
				return work.Execute(ctx, w)
			})
			locked := d.Lock(t)
			_, err := d.Controller.Run(context.Background(), locked)
			refused(t, err, "left it: remove "+at)
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			report, err := d.Controller.Resume(context.Background(), locked, "")
			if err != nil {
				t.Fatal(err)
			}
			d.want(report.Run, first, "Write a: a")
		})
	}
}

// TestInPlace commits what steps did in the workspace itself.
func TestInPlace(t *testing.T) {
	d := newDesk(t, planOf("a", "b"), nil)
	d.Draft.Plan.Sandbox.Layer = plan.InPlace
	first, check := d.git("rev-parse", "HEAD"), d.untouched()
	done := d.Run(t)
	done.Want(t, history.Partial) // nobody knows whether the gates would hold without the work
	check()
	d.want(done.Run, first, "Write a: a", "Write b: b")
}

// TestLanes commits each step of lanes that run beside each other, once, with its
// own file.
func TestLanes(t *testing.T) {
	text := strings.Replace(planOf("a", "b", "c", "d"), "\n[goal]", "\n[execution]\njobs = 2\n\n[goal]", 1)
	for lane := 1; lane <= 2; lane++ {
		text += fmt.Sprintf("\n[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", lane, lane)
	}
	d := newDesk(t, text, nil)
	first, check := d.git("rev-parse", "HEAD"), d.untouched()
	var both sync.WaitGroup
	both.Add(2)
	work := d.Controller.Executors[""]
	d.Controller.Executors[""] = planexec.Func(func(ctx context.Context, w planexec.Work) (planexec.Outcome, error) {
		if strings.HasSuffix(string(w.Step.Address), ".1") && w.Attempt == 1 {
			both.Done()
			both.Wait()
		}
		return work.Execute(ctx, w)
	})
	done := d.Run(t)
	done.Want(t, history.Achieved)
	check()
	got := d.commits(first)
	var order []string
	for _, c := range done.Run.Commits {
		order = append(order, string(c.Committed.Steps[0]))
	}
	slices.Sort(got)
	if want := []string{"Write a: a", "Write b: b", "Write c: c", "Write d: d"}; !slices.Equal(got, want) {
		t.Errorf("the commits are %q", got)
	}
	if slices.Index(order, "1.1") > slices.Index(order, "1.2") || slices.Index(order, "2.1") > slices.Index(order, "2.2") {
		t.Errorf("the steps were committed as %q", order)
	}
}

// TestMeanwhile leaves out a file that somebody changed between its delivery and
// its commit.
func TestMeanwhile(t *testing.T) {
	d := newDesk(t, planOf("a", "b"), nil)
	first := d.git("rev-parse", "HEAD")
	d.Controller.Committer = &intruder{Committer: d.by, before: func() { d.put("a", "mine\n") }}
	done := d.Run(t)
	if got := d.commits(first); slices.Contains(got, "Write a: a") {
		t.Errorf("the commits are %q", got)
	}
	if c := done.Run.Commits[0]; c.Commit != "" || len(c.Left) != 1 || c.Left[0].Why != "somebody else changed it meanwhile" {
		t.Errorf("%+v", c)
	}
}

// An intruder does something before the first commit is looked into.
type intruder struct {
	*Committer
	before func()
	asked  int
}

func (x *intruder) Settings(ctx context.Context, dir string) (state ledger.GitState, err error) {
	if x.asked++; x.asked == 2 { // the first time is when the run begins
		x.before()
	}
	return x.Committer.Settings(ctx, dir)
}

// TestSetBack commits anew what is carried out once more, on top of what was.
func TestSetBack(t *testing.T) {
	d := newDesk(t, planOf("a", "b", "c"), nil)
	first := d.git("rev-parse", "HEAD")
	work, failing, text := d.Controller.Executors[""], true, ""
	locked := d.Lock(t)
	ctx, stop := context.WithCancelCause(context.Background())
	d.Controller.Executors[""] = planexec.Func(func(c context.Context, w planexec.Work) (planexec.Outcome, error) {
		if w.Step.Address == "2.1" && failing {
			stop(errors.New("enough"))
			return planexec.Outcome{}, errors.New("stopped")
		}
		said, err := work.Execute(c, w)
		if err == nil && text != "" {
			err = os.WriteFile(filepath.Join(w.Dir, w.Step.Artifacts.Create[0]), []byte(text), 0o644)
		}
		return said, err
	})
	report, err := d.Controller.Run(ctx, locked)
	if err == nil {
		t.Fatal("the run was not stopped")
	}
	d.want(report.Run, first, "Write a: a", "Write b: b")
	if _, err := d.Controller.Rollback(context.Background(), "", "1.2", "ana", "again"); err != nil {
		t.Fatal(err)
	}
	failing, text = false, "Dear all\n"
	report, err = d.Controller.Resume(context.Background(), locked, "")
	if err != nil {
		t.Fatal(err)
	}
	d.want(report.Run, first, "Write a: a", "Write b: b", "Write b: b", "Write c: c")
}
