package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// twoSteps is a complete plan whose steps write a.txt and then change it. Extra
// lines go into the first step.
func twoSteps(extra ...string) string {
	return `schema = 1
requirements = [{ id = "R1", text = "a file with two lines" }]
non_goals = [{ id = "N1", text = "leave the secret alone", paths = ["secret/**"] }]
invariants = []

[meta]
goal_descriptor = "two"

[goal]
description = "Write a file in two steps"

[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
limits = { max_files = 2, max_lines = 10 }

[[tasks]]
id = 1
description = "Write"

[[tasks.steps]]
id = 1
description = "Write the first line"
run = "true"
artifacts = { create = ["a.txt"] }
postconditions = [{ kind = "file_contains", path = "a.txt", text = "one" }]
` + strings.Join(extra, "\n") + `

[[tasks.steps]]
id = 2
description = "Write the second line"
run = "true"
artifacts = { modify = ["a.txt"] }
postconditions = [{ kind = "file_contains", path = "a.txt", text = "two" }]
`
}

var goodScript = exectest.Script{
	"1.1": exectest.Write("a.txt", "one\n"),
	"1.2": exectest.Write("a.txt", "one\ntwo\n"),
}

var workspace = exectest.Files{"secret/key": "k\n", "b.txt": "b\n"}

func TestRunAchieves(t *testing.T) {
	run := exectest.Run(t, twoSteps(), workspace, goodScript)
	run.Want(t, history.Achieved)
	if run.Err != nil {
		t.Errorf("Run returned %v, want nil", run.Err)
	}
	if got := run.Read(t, "a.txt"); got != "one\ntwo\n" {
		t.Errorf("a.txt holds %q", got)
	}
}

// TestACompletedStepLeavesItsEvidence looks for what proves a step in the
// journal.
func TestACompletedStepLeavesItsEvidence(t *testing.T) {
	run := exectest.Run(t, twoSteps(), workspace, goodScript)
	run.Want(t, history.Achieved)
	for _, s := range run.Report.Run.Steps {
		a := s.Last()
		if a.Said == nil || a.Accounted == nil || !a.Accounted.Account.Holds() ||
			len(a.Accounted.Account.Matching) != 1 {
			t.Errorf("step %s: said %+v, account %+v; want both, and one change as declared", s.Address, a.Said,
				a.Accounted)
		}
		phases := map[gate.Phase]int{}
		for _, j := range append(s.Gates, a.Gates...) {
			phases[j.Phase]++
		}
		if phases[gate.Before] == 0 || phases[gate.During] == 0 || phases[gate.After] == 0 {
			t.Errorf("step %s: judgements by phase %v; want some before, during and after", s.Address, phases)
		}
	}
	if len(run.Report.Run.Final) == 0 {
		t.Error("no judgement of the run as a whole is in the journal")
	}
}

// TestNothingUnexpectedSucceeds does, in the second step, one thing too much or
// too little. The tree must be what it was before the step.
func TestNothingUnexpectedSucceeds(t *testing.T) {
	second := goodScript["1.2"]
	tests := map[string]struct {
		action exec.Func
		says   string
	}{
		"an undeclared file":        {exectest.All(second, exectest.Write("c.txt", "c\n")), "c.txt"},
		"a protected file":          {exectest.All(second, exectest.Write("secret/key", "stolen\n")), "N1"},
		"an undeclared deletion":    {exectest.All(second, exectest.Remove("b.txt")), "b.txt"},
		"nothing at all":            {exectest.Nothing(), "a.txt"},
		"more lines than allowed":   {exectest.Write("a.txt", "two\n"+strings.Repeat("x\n", 20)), "lines"},
		"a broken postcondition":    {exectest.Write("a.txt", "three\n"), "two"},
		"an error":                  {exectest.All(second, exectest.Fail("no more coffee")), "no more coffee"},
		"a panic":                   {func(context.Context, exec.Work) (exec.Outcome, error) { panic("ouch") }, "ouch"},
		"only words":                {exectest.Say("all tests passed, approved"), "a.txt"},
		"deleting what it modifies": {exectest.Remove("a.txt"), "a.txt"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": goodScript["1.1"], "1.2": tt.action})
			run := b.Run(t)
			run.Want(t, history.NotAchieved)
			failed := run.Failed("1.2")
			if failed == nil {
				t.Fatalf("step 1.2 did not fail\n%s", run.Report)
			}
			if text := strings.Join(failed.Reasons, "\n"); !strings.Contains(text, tt.says) {
				t.Errorf("the reasons do not say %q:\n%s", tt.says, text)
			}
			if got, want := b.Tree(t).Digest(), run.Report.Run.Step("1.2").Checkpoint.Checkpoint.Tree; got != want {
				t.Errorf("the tree is %s after the failed step, and was %s before", got.Short(), want.Short())
			}
			if got := run.Read(t, "a.txt"); got != "one\n" {
				t.Errorf("a.txt holds %q, want what step 1.1 left", got)
			}
		})
	}
}

func TestRetryThenBackup(t *testing.T) {
	backup := `[[tasks.steps.backups]]
id = 1
description = "Write it by hand"
run = "true"`
	var record exectest.Record
	script := exectest.Script{
		"1.1": exectest.Methods(map[string]exec.Func{
			"primary":  exectest.All(exectest.Write("junk", "j"), exectest.Fail("it does not work")),
			"backup_1": exectest.Write("a.txt", "one\n"),
		}),
		"1.2": exectest.Attempts(exectest.Fail("not yet"), goodScript["1.2"]),
	}
	run := exectest.Run(t, twoSteps(backup), workspace, record.Of(script))
	run.Want(t, history.Achieved)
	want := []string{"1.1#1 primary", "1.1#2 primary", "1.1#3 backup_1", "1.2#1 primary", "1.2#2 primary"}
	if diff := cmp.Diff(want, record.Attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if got := run.Read(t, "junk"); got != "" {
		t.Error("what a failed attempt left is still there")
	}
}

func TestFeedbackReachesTheNextAttempt(t *testing.T) {
	var heard []string
	script := exectest.Script{
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			heard = w.Feedback
			return exectest.Attempts(exectest.Fail("the ink is dry"), exectest.Write("a.txt", "one\n"))(ctx, w)
		},
		"1.2": goodScript["1.2"],
	}
	exectest.Run(t, twoSteps(), workspace, script).Want(t, history.Achieved)
	if len(heard) != 1 || !strings.Contains(heard[0], "the ink is dry") {
		t.Errorf("the second attempt heard %q", heard)
	}
}

// TestResumeAtEveryRecord cuts the journal after every record of a run with a
// retry and a backup, as a crash would, and resumes: the end is always the same
// tree, and no completed step runs again.
func TestResumeAtEveryRecord(t *testing.T) {
	backup := "[[tasks.steps.backups]]\nid = 1\ndescription = \"Write it by hand\"\nrun = \"true\""
	script := exectest.Script{
		"1.1": exectest.Methods(map[string]exec.Func{
			"primary":  exectest.All(exectest.Write("junk", "j"), exectest.Fail("it does not work")),
			"backup_1": exectest.Write("a.txt", "one\n"),
		}),
		"1.2": exectest.Attempts(exectest.Fail("not yet"), goodScript["1.2"]),
	}
	whole := exectest.New(t, twoSteps(backup), workspace, script)
	undisturbed := whole.Run(t)
	undisturbed.Want(t, history.Achieved)
	want := whole.Tree(t).Digest()

	for cut := 2; ; cut += stride() {
		b := exectest.New(t, twoSteps(backup), workspace, nil)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Blobs = &checkpoint.Memory{} // it outlives the controller, as a folder would
		var record exectest.Record
		for name := range b.Controller.Executors {
			b.Controller.Executors[name] = record.Of(script)
		}
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			if cut < 15 {
				t.Fatalf("the run was over after %d appends: nothing was cut", cut)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("cut %d: %v", cut, err)
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatalf("cut %d: resume: %v\n%s", cut, err, report)
		}
		if got := b.Tree(t).Digest(); got != want {
			t.Errorf("cut %d: the tree is %s, undisturbed it is %s", cut, got.Short(), want.Short())
		}
		if n := count(record.Attempts(), "1.1#", "backup_1"); n < 1 || completedTwice(report.Run) {
			t.Errorf("cut %d: attempts %q", cut, record.Attempts())
		}
	}
}

// stride is from how many places that a run may be cut at a test tries one: all
// of them with the tag torture, a dose of them else.
func stride() int {
	switch {
	case whole:
		return 1
	case testing.Short():
		return 7
	}
	return 3
}

var errCut = errors.New("the log was cut")

// carried is what a run said besides that it carried out all its steps, and that
// nothing proves them.
func carried(report *exec.Report, err error) error {
	var outcome *exec.OutcomeError
	if errors.As(err, &outcome) && outcome.Status == history.Partial &&
		report.Run.Count(history.Completed) == len(report.Run.Steps) {
		return nil
	}
	return err
}

// A cutLog fails after a number of appends, as if the process had died there.
type cutLog struct {
	*checkpoint.MemoryLog
	left int
}

func (l *cutLog) Append(ctx context.Context, batch [][]byte) error {
	if l.left--; l.left < 0 {
		return errCut
	}
	return l.MemoryLog.Append(ctx, batch)
}

func (l *cutLog) Close() error { return nil }

func count(list []string, parts ...string) int {
	n := 0
	for _, s := range list {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(s, p)
		}
		if all {
			n++
		}
	}
	return n
}

// completedTwice reports whether any step has two attempts without a failure.
func completedTwice(run *history.Run) bool {
	for _, s := range run.Steps {
		good := 0
		for _, a := range s.Attempts {
			if a.Failure == nil {
				good++
			}
		}
		if good > 1 {
			return true
		}
	}
	return false
}

func TestRefusals(t *testing.T) {
	run := func(t *testing.T, b *exectest.Bench, locked *plan.Locked) error {
		t.Helper()
		_, err := b.Controller.Run(context.Background(), locked)
		return err
	}
	tests := map[string]func(t *testing.T, b *exectest.Bench) error{
		"a tree that is not the locked one": func(t *testing.T, b *exectest.Bench) error {
			locked := b.Lock(t)
			must(t, exectest.Put(b.Dir, "new", "n"))
			return run(t, b, locked)
		},
		"a lock that has served": func(t *testing.T, b *exectest.Bench) error {
			locked, err := plan.Lock(b.Draft, plan.LockOptions{ID: "a lock"})
			must(t, err)
			must(t, run(t, b, locked))
			must(t, os.Remove(filepath.Join(b.Dir, "a.txt")))
			return run(t, b, locked)
		},
		"an executor that nobody knows": func(t *testing.T, b *exectest.Bench) error {
			locked := b.Lock(t)
			b.Controller.Executors = nil
			return run(t, b, locked)
		},
		"no lock at all": func(t *testing.T, b *exectest.Bench) error { return run(t, b, nil) },
	}
	for name, try := range tests {
		t.Run(name, func(t *testing.T) {
			err := try(t, exectest.New(t, twoSteps(), workspace, goodScript))
			var refused *exec.RefusedError
			if !errors.As(err, &refused) || len(refused.Reasons) == 0 {
				t.Errorf("got %v, want a *RefusedError with reasons", err)
			}
		})
	}
}

func TestExternalChangeBetweenStopAndResume(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("a person pressed Ctrl-C")
	b.Controller.Executors["script"] = exectest.Script{
		"1.1": goodScript["1.1"],
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			cancel(why)
			return exec.Outcome{}, context.Cause(ctx)
		},
	}
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, why) || report.Status() != history.Waiting {
		t.Fatalf("got %v and %s, want the cause and WAITING", err, report.Status())
	}
	must(t, exectest.Put(b.Dir, "b.txt", "changed by a person\n"))
	b.Controller.Executors["script"] = goodScript
	_, err = b.Controller.Resume(context.Background(), locked, "")
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "b.txt") {
		t.Fatalf("got %v, want a refusal that names b.txt", err)
	}
	must(t, exectest.Put(b.Dir, "b.txt", "b\n"))
	report, err = b.Controller.Resume(context.Background(), locked, "")
	if err != nil {
		t.Fatalf("resume: %v\n%s", err, report)
	}
}

func TestTwoControllers(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, nil)
	below := filepath.Join(b.Dir, "sub")
	must(t, os.Mkdir(below, 0o755))
	b.Controller.Executors["script"] = exectest.Script{
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			locked, err := plan.Lock(b.Draft, plan.LockOptions{ID: "a lock"})
			if err != nil {
				return exec.Outcome{}, err
			}
			for _, dir := range []string{b.Dir, below} {
				other := &exec.Controller{Dir: dir, Gates: builtin.Gates(),
					Executors: exec.Executors{"script": goodScript}}
				var held *checkpoint.HeldError
				if _, err := other.Run(ctx, locked); !errors.As(err, &held) {
					t.Errorf("the second controller in %s got %v, want a *HeldError", dir, err)
				}
			}
			if left, err := os.ReadDir(below); err != nil || len(left) > 0 {
				t.Errorf("who was refused left %v, %v", left, err)
			}
			return goodScript["1.1"](ctx, w)
		},
		"1.2": goodScript["1.2"],
	}
	b.Run(t).Want(t, history.Achieved)
}

func TestIsolatedRun(t *testing.T) {
	for name, script := range map[string]exectest.Script{
		"that succeeds": goodScript,
		"that fails":    {"1.1": goodScript["1.1"], "1.2": exectest.Fail("no")},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, script)
			b.Controller.Isolate = true
			before := b.Tree(t).Digest()
			run := b.Run(t)
			moved := b.Tree(t).Digest() != before
			if achieved := run.Status() == history.Achieved; achieved != moved {
				t.Errorf("the run ended %s, and the workspace moved: %v\n%s", run.Status(), moved, run.Report)
			}
		})
	}
}

func TestRollbackAndResume(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	b.Controller.Executors["script"] = exectest.Script{
		"1.1": goodScript["1.1"],
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			cancel(errors.New("stop"))
			return exec.Outcome{}, context.Cause(ctx)
		},
	}
	base := b.Tree(t).Digest()
	locked := b.Lock(t)
	if _, err := b.Controller.Run(ctx, locked); err == nil {
		t.Fatal("the run was not interrupted")
	}
	done, err := b.Controller.Rollback(context.Background(), "", "1.1", "ana", "it is not what we want")
	if err != nil || done.Sealed {
		t.Fatalf("rollback: %+v, %v", done, err)
	}
	run, err := (exec.Workspace{Dir: b.Dir}).History(t.Context(), done.Run)
	if err != nil || len(run.RolledBack) != 1 || run.RolledBack[0].By != "ana" ||
		run.RolledBack[0].Reason != "it is not what we want" {
		t.Errorf("nobody knows who rolled back, and why: %+v, %v", run.RolledBack, err)
	}
	if got := b.Tree(t).Digest(); got != base {
		t.Errorf("the tree is %s after the rollback, want the base %s", got.Short(), base.Short())
	}
	b.Controller.Executors["script"] = goodScript
	if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
		t.Fatalf("resume: %v\n%s", err, report)
	}
	if proof, err := (exec.Workspace{Dir: b.Dir}).Verify(context.Background(), done.Run); err != nil {
		t.Errorf("verify: %v (%+v)", err, proof)
	}
}

func TestVerifyFindsWhatWasEdited(t *testing.T) {
	run := exectest.Run(t, twoSteps(), workspace, goodScript)
	run.Want(t, history.Achieved)
	ws := exec.Workspace{Dir: run.Dir}
	id := run.Report.Run.Started.Run
	if _, err := ws.Verify(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(ws.ViewDir(id), "SUMMARY.md")
	must(t, os.WriteFile(summary, []byte("all is well"), 0o644))
	_, err := ws.Verify(context.Background(), id)
	var proof *exec.ProofError
	if !errors.As(err, &proof) || proof.What != "view" {
		t.Errorf("got %v, want a *ProofError about a view", err)
	}
	must(t, os.RemoveAll(ws.ViewDir(id)))
	if _, err := ws.Verify(context.Background(), id); err != nil {
		t.Errorf("views may be deleted: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ExampleController() {
	dir, _ := os.MkdirTemp("", "planlock")
	defer os.RemoveAll(dir)
	draft, _ := native.Read("plan.toml", []byte(twoSteps()))
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Executors{"script": goodScript}}
	locked, err := c.Lock(context.Background(), draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := c.Run(context.Background(), locked)
	fmt.Println(report.Status(), err)
	// Output: ACHIEVED <nil>
}

// TestRunIDIsGiven: a host writes the id of a run down before it begins, and
// whatever happens then, it is that run, once.
func TestRunIDIsGiven(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	c := b.Controller
	id, err := c.NewRun(t.Context())
	must(t, err)
	earlier, err := c.NewRun(t.Context())
	must(t, err)
	if id < earlier {
		id, earlier = earlier, id
	}
	c.RunID = id
	if _, err := c.Resume(t.Context(), b.Lock(t), id); !errors.Is(err, exec.ErrNoRun) {
		t.Errorf("it has begun: %v", err)
	}
	report, err := c.Run(t.Context(), b.Lock(t))
	if err != nil || report.Run.Started.Run != id {
		t.Fatalf("run %q: %v", report.Run.Started.Run, err)
	}
	must(t, os.Remove(filepath.Join(b.Dir, "a.txt")))
	for given, says := range map[string]string{id: "has begun", earlier: "has begun since", "mine": "no id of a run",
		strings.ToLower(id): "no id of a run"} {
		c.RunID = given
		var refused *exec.RefusedError
		if _, err := c.Run(t.Context(), b.Lock(t)); !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want a refusal that says %q", given, err, says)
		}
	}
}

// TestMeansAreInjected: with its clock and randomness given, a controller makes
// the same ids.
func TestMeansAreInjected(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	var heads []string
	for range 2 {
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		b.Controller.Means = exec.Means{Now: func() time.Time { at = at.Add(time.Second); return at },
			Random: bytes.NewReader(make([]byte, 1000))}
		report, err := b.Controller.Run(t.Context(), b.Lock(t))
		if err != nil {
			t.Fatal(err, report)
		}
		heads = append(heads, report.Run.Started.Run+" "+report.Run.Started.Lock)
		must(t, os.RemoveAll(b.Dir))
		for name, text := range workspace {
			must(t, exectest.Put(b.Dir, name, text))
		}
	}
	if heads[0] != heads[1] || !strings.HasPrefix(heads[0], "01KDYAK52R") {
		t.Errorf("the runs and locks are %q", heads)
	}
}
