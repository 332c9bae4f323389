package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// escalator is an Escalator made of a function.
type asker func(ask.Question) (ask.Answer, error)

func (f asker) Ask(_ context.Context, q ask.Question) (ask.Answer, error) { return f(q) }

func withPrecondition(check string) string {
	return strings.Replace(twoSteps(), "postconditions = [{ kind = \"file_contains\"", "preconditions = ["+check+"]\npostconditions = [{ kind = \"file_contains\"", 1)
}

func TestAgainIsAskedForEveryRefusal(t *testing.T) {
	asked := 0
	b := exectest.New(t, withPrecondition(`{ kind = "file_exists", path = "never" }`), workspace, goodScript)
	b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
		if asked++; asked > 3 {
			return ask.Answer{}, ask.ErrNoAnswer
		}
		return answer(q, "r"), nil
	})
	b.Run(t).Want(t, history.NotAchieved)
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}

// TestAnEditDuringAQuestionIsExternal lets whoever answers change the tree.
func TestAnEditDuringAQuestionIsExternal(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(2))
	b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
		must(t, exectest.Put(b.Dir, "intruder.txt", "i\n"))
		return answer(q, "r"), nil
	})
	run := b.Run(t)
	var refused *exec.RefusedError
	if !errors.As(run.Err, &refused) || !strings.Contains(run.Err.Error(), "intruder.txt") {
		t.Errorf("got %v, want a refusal that names intruder.txt", run.Err)
	}
}

var evilPreconditions = map[string]string{"that holds": "echo evil > evil.txt", "that does not": "echo evil > evil.txt; false"}

func TestAPreconditionMayNotChangeTheTree(t *testing.T) {
	for name, command := range evilPreconditions {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, inPlace(withPrecondition(fmt.Sprintf(`{ kind = "command", run = %q }`, command))),
				workspace, goodScript)
			before := b.Tree(t).Digest()
			run := b.Run(t)
			run.Want(t, history.NotAchieved)
			if got := b.Tree(t).Digest(); got != before {
				t.Error("what the precondition wrote is still there")
			}
			if failed := run.Failed("1.1"); failed == nil || !strings.Contains(failed.String(), "evil.txt") {
				t.Errorf("failed with %v, want evil.txt named", failed)
			}
		})
	}
}

// TestWhatAPreconditionWritesVanishes: in a layer nobody has to undo it.
func TestWhatAPreconditionWritesVanishes(t *testing.T) {
	for name, command := range evilPreconditions {
		t.Run(name, func(t *testing.T) {
			script := exectest.Script{"1.1": exectest.All(missing("evil.txt"), goodScript["1.1"]), "1.2": exectest.All(missing("evil.txt"), goodScript["1.2"])}
			b := exectest.New(t, withPrecondition(fmt.Sprintf(`{ kind = "command", run = %q }`, command)), workspace, script)
			before := b.Tree(t).Digest()
			run := b.Run(t)
			if name == "that holds" {
				run.Want(t, history.Achieved)
				must(t, os.Remove(filepath.Join(b.Dir, "a.txt")))
			} else {
				run.Want(t, history.NotAchieved)
			}
			if got := b.Tree(t).Digest(); got != before {
				t.Error("what the precondition wrote is in the workspace")
			}
		})
	}
}

// missing fails where a file is there.
func missing(name string) exec.Func {
	return func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		if _, err := os.Lstat(filepath.Join(w.Dir, name)); !errors.Is(err, os.ErrNotExist) {
			return exec.Outcome{}, fmt.Errorf("%s is there: %v", name, err)
		}
		return exec.Outcome{}, nil
	}
}

// TestWhatIsUndoneIsKept lets a person work in the tree while final gates look.
func TestWhatIsUndoneIsKept(t *testing.T) {
	b := exectest.New(t, inPlace(twoSteps()), workspace, goodScript)
	b.Controller.Gates = append(builtin.Gates(), gate.New(gate.Info{Name: "slow", Doc: "takes its time",
		Level: gate.BlocksStep, Phases: []gate.Phase{gate.Final}},
		func(_ context.Context, pass *gate.Pass) error {
			return os.WriteFile(filepath.Join(pass.Dir, "b.txt"), []byte("a person's work\n"), 0o644)
		}))
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if got := run.Read(t, "b.txt"); got != "b\n" {
		t.Errorf("b.txt holds %q", got)
	}
	wantKept(t, run, "a person's work\n")
}

// wantKept fails the test unless a tree that the journal names holds content.
func wantKept(t *testing.T, run *exectest.Result, content string) {
	t.Helper()
	ws := exec.Workspace{Dir: run.Dir}
	records, err := ws.Records(context.Background(), run.Report.Run.Started.Run)
	must(t, err)
	store, shut, err := ws.Store()
	must(t, err)
	defer shut()
	for _, rec := range records {
		fact, err := history.Decode(rec)
		must(t, err)
		for _, snap := range history.Snapshots(fact) {
			tree, err := store.Tree(context.Background(), snap)
			must(t, err)
			for e := range tree.All() {
				if e.Digest == ledger.Sum([]byte(content)) {
					return
				}
			}
		}
	}
	t.Errorf("no tree in the journal holds %q", content)
}

func TestAnExecutorCannotHideATimeOut(t *testing.T) {
	var record exectest.Record
	script := exectest.Script{"1.1": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
		<-ctx.Done()
		return exec.Outcome{}, fmt.Errorf("call the model: %w", ctx.Err())
	}}
	run := exectest.Run(t, twoSteps(`timeout = "10ms"`), workspace, record.Of(script))
	if failed := run.Failed("1.1"); failed == nil || failed.Class != history.TimedOut || len(record.Attempts()) != 1 {
		t.Errorf("failed with %+v after %d attempts, want a time-out after 1", failed, len(record.Attempts()))
	}
}

func TestAStepMayCreateGoMod(t *testing.T) {
	text := strings.ReplaceAll(twoSteps(), "a.txt", "go.mod")
	script := exectest.Script{"1.1": exectest.Write("go.mod", "module one\n"), "1.2": exectest.Write("go.mod", "module one/two\n\ngo 1.25\n")}
	exectest.Run(t, text, workspace, script).Want(t, history.Achieved)
}

func TestAnExecutorCannotWidenItsContract(t *testing.T) {
	widen := func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		w.Step.Artifacts.Create = append(w.Step.Artifacts.Create, "evil.txt")
		*w.Step.Limits.MaxFiles = 99
		return exectest.All(goodScript["1.1"], exectest.Write("evil.txt", "e\n"))(ctx, w)
	}
	run := exectest.Run(t, twoSteps(), workspace, exectest.Script{"1.1": widen, "1.2": goodScript["1.2"]})
	run.Want(t, history.NotAchieved)
}

func TestMetricsThatAreNoNumbers(t *testing.T) {
	zero := 0.0
	script := exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := goodScript["1.1"](ctx, w)
		out.Metrics = map[string]float64{"nan": zero / zero, "one": 1}
		return out, err
	}, "1.2": goodScript["1.2"]}
	run := exectest.Run(t, twoSteps(), workspace, script)
	run.Want(t, history.Achieved)
	if got := run.Report.Run.Step("1.1").Attempts[0].Said.Metrics; len(got) != 1 || got["one"] != 1 {
		t.Errorf("metrics %v, want one alone", got)
	}
}

// TestVeryLargeChanges lets a step change more than a record of the journal can
// list, undeclared, and then declared.
func TestVeryLargeChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs, or many files, of one caller")
	}
	const files = 3000
	litter := func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		dir := filepath.Join(w.Dir, "litter", strings.Repeat("d", 200))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return exec.Outcome{}, err
		}
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(strings.Repeat("n", 200), i)), nil,
				0o644); err != nil {
				return exec.Outcome{}, err
			}
		}
		return exec.Outcome{}, nil
	}
	script := exectest.Script{"1.1": exectest.Attempts(litter, goodScript["1.1"]), "1.2": goodScript["1.2"]}
	run := exectest.Run(t, twoSteps(), workspace, script)
	run.Want(t, history.Achieved)
	entry := run.Report.Run.Step("1.1").Attempts[0].Accounted
	if entry.Total != files+2 || len(entry.Changes) >= files || entry.Whole.IsZero() {
		t.Errorf("total %d, %d listed, whole %q; want %d, fewer, a digest", entry.Total, len(entry.Changes),
			entry.Whole, files+2)
	}
	if got := entry.String(); !strings.HasPrefix(got, "3000 files") || !strings.HasSuffix(got, "extra at least") {
		t.Errorf("the account reads %q", got)
	}
}

// TestRollbackRunsEverythingAgain sets a run back over a completed step and
// over one that failed without a halt.
func TestRollbackRunsEverythingAgain(t *testing.T) {
	first := "critical_flag = false\non_failure = \"retry\"\nmax_retries = 0\n"
	ctx, cancel := context.WithCancelCause(context.Background())
	b := exectest.New(t, threeTasks("", first), nil, nil)
	b.Controller.Preset = "spec" // what needs it goes on
	script := exectest.Script{"1.1": exectest.Fail("not today"), "2.1": threeFiles["2.1"],
		"3.1": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
			cancel(errors.New("stop"))
			return exec.Outcome{}, context.Cause(ctx)
		}}
	var record exectest.Record
	b.Controller.Executors["script"] = record.Of(exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome,
		error) {
		return script.Execute(ctx, w)
	}))
	locked := b.Lock(t)
	if _, err := b.Controller.Run(ctx, locked); err == nil {
		t.Fatal("the run was not stopped")
	}
	if _, err := b.Controller.Rollback(context.Background(), "", "1.1", "", ""); err != nil {
		t.Fatal(err)
	}
	script = exectest.Script{"1.1": exectest.Write("1.txt", "1\n"), "2.1": threeFiles["2.1"], "3.1": threeFiles["3.1"]}
	report, err := b.Controller.Resume(context.Background(), locked, "")
	if err != nil {
		t.Fatalf("resume: %v\n%s", err, report)
	}
	for _, s := range report.Run.Steps {
		if len(s.Undone) != 1 || len(s.Attempts) != 1 || s.Attempts[0].Number != 2 || s.Attempts[0].Failure != nil {
			t.Errorf("step %s: %d undone, attempts %+v; want one undone, and a good second one", s.Address,
				len(s.Undone), s.Attempts)
		}
	}
}

// TestIsolatedRunSurvivesACrashAnywhere cuts the journal of an isolated run
// after every record.
func TestIsolatedRunSurvivesACrashAnywhere(t *testing.T) {
	for cut := 2; ; cut += stride() {
		b := exectest.New(t, twoSteps(), workspace, goodScript)
		b.Controller.Isolate = true
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			return
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatalf("cut %d: %v\n%s", cut, err, report)
		}
		if text, _ := os.ReadFile(filepath.Join(b.Dir, "a.txt")); string(text) != "one\ntwo\n" {
			t.Errorf("cut %d: the workspace holds %q", cut, text)
		}
	}
}

// TestARollbackThatWasCutOff cuts a rollback after every record, and then
// begins another run, or resumes.
//
// In place another run would begin on half a restore; in a layer, on half a
// delivery.
func TestARollbackThatWasCutOff(t *testing.T) {
	for layer, half := range map[plan.Layer]int{plan.InPlace: 1, plan.Clone: 2} {
		t.Run(string(layer), func(t *testing.T) { rollbackThatWasCutOff(t, layer, half) })
	}
}

func rollbackThatWasCutOff(t *testing.T, layer plan.Layer, half int) {
	for cut := range 5 {
		b := exectest.New(t, layered(twoSteps(), layer), workspace, nil)
		ctx, cancel := context.WithCancelCause(context.Background())
		b.Controller.Executors["script"] = exectest.Script{"1.1": goodScript["1.1"],
			"1.2": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
				cancel(errors.New("stop"))
				return exec.Outcome{}, context.Cause(ctx)
			}}
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: 1 << 30}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		locked := b.Lock(t)
		report, _ := b.Controller.Run(ctx, locked)
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), cut
		_, err := b.Controller.Rollback(context.Background(), "", "1.1", "", "")
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		if err != nil {
			fresh, lockErr := plan.Lock(b.Draft, plan.LockOptions{})
			must(t, lockErr)
			var refused *exec.RefusedError
			if _, err := b.Controller.Run(context.Background(), fresh); cut == half && !errors.As(err, &refused) {
				t.Errorf("cut %d: a new run got %v, want a refusal", cut, err)
			}
		}
		b.Controller.Executors["script"] = goodScript
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if carried(report, err) != nil && cut > 0 {
			t.Errorf("cut %d: resume: %v\n%s", cut, err, report)
		}
		if text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); cut > 0 && string(text) != "one\ntwo\n" {
			t.Errorf("cut %d: a.txt holds %q, %v", cut, text, err)
		}
	}
}

func TestABrokenEscalatorIsNoRefusal(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(2))
	broken := errors.New("connection refused")
	b.Controller.Escalator = asker(func(ask.Question) (ask.Answer, error) { return ask.Answer{}, broken })
	locked := b.Lock(t)
	if _, err := b.Controller.Run(context.Background(), locked); !errors.Is(err, broken) {
		t.Fatalf("got %v, want the escalator's error", err)
	}
	b.Controller.Escalator = &person{choices: []string{"r"}}
	if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
		t.Errorf("resume: %v\n%s", err, report)
	}
}

// TestAnEscalatorThatPanicsIsNoRefusal pauses the run; it is resumed with one
// that does not.
func TestAnEscalatorThatPanicsIsNoRefusal(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(2))
	b.Controller.Escalator = asker(func(ask.Question) (ask.Answer, error) { panic("boo") })
	locked := b.Lock(t)
	if _, err := b.Controller.Run(context.Background(), locked); err == nil || !strings.Contains(err.Error(), "the escalator panicked: boo") {
		t.Fatalf("got %v, want that the escalator panicked", err)
	}
	b.Controller.Escalator = &person{choices: []string{"r"}}
	if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
		t.Errorf("resume: %v\n%s", err, report)
	}
}

// TestCompensationSurvivesACrash cuts the journal after every record of a run
// whose first attempt must be compensated.
func TestCompensationSurvivesACrash(t *testing.T) {
	for cut := 2; ; cut += stride() {
		outside := filepath.Join(t.TempDir(), "outside")
		text := twoSteps(`rollback = "compensatable"`, fmt.Sprintf("compensate = %q", "echo undone >> "+outside))
		text = strings.Replace(text, "[defaults]", "[sandbox]\nlevel = \"none\"\n\n[defaults]", 1)
		done := 0
		b := exectest.New(t, text, workspace, exectest.Script{"1.1": func(ctx context.Context,
			w exec.Work) (exec.Outcome, error) {
			done++
			return exectest.Attempts(exectest.Fail("no"), goodScript["1.1"])(ctx, w)
		}, "1.2": goodScript["1.2"]})
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		cutOff := err != nil
		if cutOff {
			log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
			if report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run); err != nil {
				t.Fatalf("cut %d: %v\n%s", cut, err, report)
			}
		}
		text2, _ := os.ReadFile(outside)
		if n := strings.Count(string(text2), "undone"); n < done-1 {
			t.Errorf("cut %d: done %d times, compensated %d times", cut, done, n)
		}
		if !cutOff {
			return
		}
	}
}

// TestWhatCannotBeReadIsUndone lets a step leave what no scan reads.
func TestWhatCannotBeReadIsUndone(t *testing.T) {
	leave := map[string]func(dir string) error{
		"a huge sparse file": func(dir string) error {
			f, err := os.Create(filepath.Join(dir, "huge"))
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(1<<40), f.Close())
		},
		"a locked folder": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "locked", "in"), 0o755),
				os.WriteFile(filepath.Join(dir, "locked", "in", "x"), nil, 0),
				os.Chmod(filepath.Join(dir, "locked"), 0))
		},
		"a locked file of ours": func(dir string) error { return os.Chmod(filepath.Join(dir, "b.txt"), 0) },
	}
	for name, do := range leave {
		t.Run(name, func(t *testing.T) {
			junk := func(_ context.Context, w exec.Work) (exec.Outcome, error) { return exec.Outcome{}, do(w.Dir) }
			script := exectest.Script{"1.1": exectest.Attempts(junk, goodScript["1.1"]), "1.2": goodScript["1.2"]}
			b := exectest.New(t, twoSteps(), workspace, script)
			before, err := os.Stat(filepath.Join(b.Dir, "b.txt"))
			must(t, err)
			b.Run(t).Want(t, history.Achieved)
			after, err := os.Stat(filepath.Join(b.Dir, "b.txt"))
			must(t, err)
			if after.Mode() != before.Mode() {
				t.Errorf("b.txt has mode %s, and had %s", after.Mode(), before.Mode())
			}
			for _, gone := range []string{"huge", "locked"} {
				if _, err := os.Lstat(filepath.Join(b.Dir, gone)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is still there", gone)
				}
			}
		})
	}
}

// TestTheControllersOwnFolderIsWatched lets a step without a sandbox take away
// the lock, the journal, or what is kept.
func TestTheControllersOwnFolderIsWatched(t *testing.T) {
	for name, remove := range map[string]string{"the lock": ".planlock/lock", "the journal": ".planlock/runs", "the contents": ".planlock/objects"} {
		for _, layer := range []plan.Layer{plan.InPlace, plan.Clone} {
			t.Run(name+", "+string(layer), func(t *testing.T) {
				b := exectest.New(t, layered(twoSteps(), layer), workspace, nil)
				b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.All(goodScript["1.1"],
					func(context.Context, exec.Work) (exec.Outcome, error) {
						return exec.Outcome{}, os.RemoveAll(filepath.Join(b.Dir, remove))
					}), "1.2": goodScript["1.2"]}
				run := b.Run(t)
				if run.Err == nil || run.Status() == history.Achieved {
					t.Errorf("the run ended %s, %v: nobody noticed", run.Status(), run.Err)
				}
			})
		}
	}
}

// TestNamesFakeNoLineOfAReport has a step leave a file whose name, shown as it
// is, would be lines of the report.
func TestNamesFakeNoLineOfAReport(t *testing.T) {
	const fake = "ACHIEVED  2 of 2 steps"
	run := exectest.Run(t, twoSteps(), workspace, exectest.Script{
		"1.1": exectest.All(goodScript["1.1"], exectest.Write("a\n\n"+fake+"\n\nb", "x\n")), "1.2": goodScript["1.2"]})
	run.Want(t, history.NotAchieved)
	for line := range strings.Lines(run.Report.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "ACHIEVED") {
			t.Errorf("the report has the line %q:\n%s", line, run.Report)
		}
	}
	if text := fmt.Sprint(run.Err) + strings.Join(run.Report.Run.Step("1.1").Last().Failure.Reasons,
		"; "); strings.Contains(text, "\n"+fake) {
		t.Errorf("the reasons are %q", text)
	}
}
