package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// threeTasks is a plan of three tasks with one step each; the second depends on
// the first, the third on nothing. header goes to the top, first into step 1.1.
func threeTasks(header, first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `schema = 1
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "three files" }]
goal = { description = "Write three files" }
%s
[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 1 }
`, header)
	for i, depends := range []string{"[]", "[1]", "[]"} {
		fmt.Fprintf(&b, `
[[tasks]]
id = %[1]d
description = "File %[1]d"
depends_on = %[2]s
[[tasks.steps]]
id = 1
description = "Write file %[1]d"
run = "true"
artifacts = { create = ["%[1]d.txt"] }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", matches = "." }]
`, i+1, depends)
		if i == 0 {
			b.WriteString(first + "\n")
		} else {
			b.WriteString("on_failure = \"retry\"\nmax_retries = 0\n")
		}
	}
	return b.String()
}

var threeFiles = exectest.Script{
	"1.1": exectest.Fail("the first file cannot be written"),
	"2.1": exectest.Write("2.txt", "2\n"),
	"3.1": exectest.Write("3.txt", "3\n"),
}

func TestWhatFollowsAFailure(t *testing.T) {
	const (
		retry       = "on_failure = \"retry\"\nmax_retries = 0\n"
		block       = "on_failure = \"block\"\n"
		ask         = "on_failure = \"ask\"\n"
		notCritical = "critical_flag = false\n"
		spec        = "execution = { preset = \"spec\" }\n"
	)
	strategy := func(s plan.Propagation) string {
		return fmt.Sprintf(
			"[error_propagation]\nenabled = true\nread_prior_steps = true\npropagation_strategy = %q\n", s)
	}
	tests := map[string]struct {
		header, first string
		choices       []string
		want          history.Status
		statuses      string // of the three steps
	}{
		"a critical step halts":               {"", retry, nil, history.NotAchieved, "failed pending pending"},
		"block halts":                         {"", block + notCritical, nil, history.NotAchieved, "failed pending pending"},
		"what is not critical halts nothing":  {"", retry + notCritical, nil, history.Partial, "failed blocked completed"},
		"what is not critical is logged":      {spec, retry + notCritical, nil, history.Partial, "failed completed completed"},
		"continue and log blocks dependents":  {strategy(plan.ContinueAndLog), retry, []string{"k"}, history.Partial, "skipped blocked completed"},
		"not critical, left out":              {"", ask + notCritical, []string{"k"}, history.Partial, "skipped blocked completed"},
		"not critical, left out, and lenient": {spec, ask + notCritical, []string{"k"}, history.Partial, "skipped completed completed"},
		"failed, said by a person":            {"", retry, []string{"w"}, history.Partial, "failed blocked completed"},
		"failed, said about a block":          {"", ask + notCritical, []string{"w"}, history.Partial, "failed blocked completed"},
		"review, and go on": {strategy(plan.CollaborativeReview), retry + notCritical, nil,
			history.Partial, "failed blocked completed"},
		"given up, whatever the strategy": {strategy(plan.ContinueAndLog), retry, []string{"x"}, history.NotAchieved, "failed pending pending"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, threeTasks(tt.header, tt.first), nil, threeFiles)
			b.Controller.Escalator = &person{choices: tt.choices}
			run := b.Run(t)
			run.Want(t, tt.want)
			var statuses []string
			for _, s := range run.Report.Run.Steps {
				statuses = append(statuses, string(s.Status))
			}
			if got := strings.Join(statuses, " "); got != tt.statuses {
				t.Errorf("steps are %s, want %s\n%s", got, tt.statuses, run.Report)
			}
		})
	}
}

// TestReviewAfterACriticalFailure lets a critical step fail without a halt, and
// the person lets what does not depend on it go on.
func TestReviewAfterACriticalFailure(t *testing.T) {
	header := "[error_propagation]\nenabled = true\nread_prior_steps = true\npropagation_strategy = \"collaborative_review\"\n"
	b := exectest.New(t, threeTasks(header, "on_failure = \"retry\"\nmax_retries = 0\n"), nil, threeFiles)
	// A ladder that never asks leaves the failure to the strategy.
	b.Controller.Ladder = recovery.Ladder{recovery.Retry{}, recovery.Backup{}}
	p := &person{choices: []string{"g"}}
	b.Controller.Escalator = p
	run := b.Run(t)
	run.Want(t, history.Partial)
	if len(p.asked) != 1 || p.asked[0].Kind != ask.Propagation || p.asked[0].Step != "3.1" {
		t.Errorf("asked %+v, want one review before 3.1", p.asked)
	}
	if s := run.Report.Run.Step("2.1"); s.Status != history.Blocked || s.Blocked.By != "1.1" {
		t.Errorf("step 2.1 is %s, want blocked by 1.1", s.Status)
	}
	if got := run.Report.Run.Step("3.1").Checkpoint.Decision; got != "reviewed" {
		t.Errorf("the decision before 3.1 was %q, want reviewed", got)
	}
}

// TestNothingIsReviewedUnasked: where nobody was asked about a failure, since
// it was not critical, no document says that it was reviewed.
func TestNothingIsReviewedUnasked(t *testing.T) {
	header := "[error_propagation]\nenabled = true\nread_prior_steps = true\npropagation_strategy = \"collaborative_review\"\n"
	b := exectest.New(t, threeTasks(header, "critical_flag = false\non_failure = \"retry\"\nmax_retries = 0\n"), nil,
		threeFiles)
	p := &person{}
	b.Controller.Escalator = p
	run := b.Run(t)
	run.Want(t, history.Partial)
	if c := run.Report.Run.Step("3.1").Checkpoint; len(p.asked) > 0 || c.Decision != "proceed with concern" {
		t.Errorf("asked %d times, and the decision before 3.1 was %q", len(p.asked), c.Decision)
	} else if want := []plan.Address{"1.1", "2.1"}; !slices.Equal(c.Prior, want) {
		t.Errorf("the outcomes read before 3.1 are those of %q, want %q: what failed, and the step right before", c.Prior, want)
	}
}

func TestDynamicModeAsksWhenFailuresPileUp(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.Split(threeTasks("", ""), "[[tasks]]")[0])
	script := exectest.Script{}
	for i := 1; i <= 4; i++ {
		fmt.Fprintf(&text, "\n[[tasks]]\nid = %d\ndescription = \"t\"\n[[tasks.steps]]\nid = 1\ndescription = \"s\"\nrun = \"true\"\n"+
			"critical_flag = false\non_failure = \"retry\"\nmax_retries = 0\nartifacts = { create = [\"%d\"] }\n"+
			"postconditions = [{ kind = \"file_contains\", path = \"%d\", matches = \".\" }]\n", i, i, i)
		script[plan.Address(fmt.Sprintf("%d.1", i))] = exectest.Fail("no")
	}
	p := &person{choices: []string{"k", "k"}}
	b := exectest.New(t, text.String(), nil, script)
	b.Controller.Escalator = p
	run := b.Run(t)
	if len(p.asked) == 0 || p.asked[0].Step != "3.1" {
		t.Fatalf("asked %v; want the first question about 3.1, the third failure in a row", p.asked)
	}
	if modes := run.Report.Run.Modes; len(modes) != 1 || modes[0].To != plan.Collaborative ||
		len(modes[0].Measurements) == 0 {
		t.Errorf("modes %+v, want one switch to collaborative with its measurements", modes)
	}
}

func TestCompensation(t *testing.T) {
	text := strings.Replace(twoSteps(`rollback = "compensatable"`, `compensate = "echo undone >> ../undone"`, `sandbox_note = ""`), "\nsandbox_note = \"\"", "", 1)
	dir := t.TempDir()
	text = strings.Replace(text, "../undone", filepath.Join(dir, "undone"), 1)
	text = strings.Replace(text, "[defaults]", "[sandbox]\nlevel = \"none\"\n\n[defaults]", 1)
	script := exectest.Script{"1.1": exectest.Attempts(exectest.Fail("no"), goodScript["1.1"]),
		"1.2": goodScript["1.2"]}
	run := exectest.Run(t, text, workspace, script)
	run.Want(t, history.Achieved)
	drawn, err := os.ReadFile(filepath.Join(run.Dir, ".planlock", "runs", run.Report.Run.Started.Run, "views", "report.md"))
	if err != nil || strings.Count(string(drawn), "its compensation") != 1 {
		t.Errorf("the report does not tell of the compensation once: %v\n%s", err, drawn)
	}
	got, err := os.ReadFile(filepath.Join(dir, "undone"))
	if err != nil || string(got) != "undone\n" {
		t.Errorf("the compensation left %q, %v; want it to have run once", got, err)
	}
}

func TestTimeOutIsNoReasonToRetry(t *testing.T) {
	text := twoSteps(`timeout = "10ms"`)
	var record exectest.Record
	script := exectest.Script{"1.1": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
		<-ctx.Done()
		return exec.Outcome{}, context.Cause(ctx)
	}}
	run := exectest.Run(t, text, workspace, record.Of(script))
	failed := run.Failed("1.1")
	if failed == nil || failed.Class != history.TimedOut {
		t.Fatalf("failed with %+v, want a time-out", failed)
	}
	if n := len(record.Attempts()); n != 1 {
		t.Errorf("%d attempts, want 1", n)
	}
}

// An agent has a version.
type versioned struct {
	exec.Executor
	version string
}

func (v *versioned) Version(context.Context) (string, error) { return v.version, nil }

// TestWhatMovesIsNamed stops a run inside step 1.2, moves one thing, and
// resumes: the refusal names it, and the run goes on when it is moved back.
// runes are a language whose parser has a version.
type runes struct{ version string }

func (*runes) Name() string                                                { return "Runes" }
func (*runes) Reads(path string) bool                                      { return strings.HasSuffix(path, ".rune") }
func (*runes) Places(string) []string                                      { return nil }
func (*runes) Read(context.Context, []source.Input) ([]source.File, error) { return nil, nil }
func (l *runes) ParserVersion(context.Context) (string, error)             { return l.version, nil }

func TestWhatMovesIsNamed(t *testing.T) {
	agent, parser := &versioned{version: "1"}, &runes{version: "runes 1"}
	rewrite := func(t *testing.T, path, from, to string) {
		t.Helper()
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644))
	}
	tests := map[string]struct {
		move func(t *testing.T, dir string)
		back func(t *testing.T, dir string)
		says string
	}{
		"the plan": {
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "plan.toml"), "two steps", "2 steps") },
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "plan.toml"), "2 steps", "two steps") }, "plan",
		},
		"the agent": {
			func(*testing.T, string) { agent.version = "2" },
			func(*testing.T, string) { agent.version = "1" }, "script",
		},
		"a parser": {
			func(*testing.T, string) { parser.version = "runes 2" },
			func(*testing.T, string) { parser.version = "runes 1" }, `parser Runes moved from "runes 1" `,
		},
		"a context file": {
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "guide.md"), "g", "h") },
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "guide.md"), "h", "g") }, "guide.md",
		},
		"the tree": {
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "b.txt"), "b", "c") },
			func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "b.txt"), "c", "b") }, "b.txt",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			agent.version = "1"
			text := strings.Replace(twoSteps(), "[defaults]", "[envelope]\ncontext = [\"guide.md\"]\n\n[defaults]", 1)
			plans := t.TempDir()
			must(t, exectest.Put(plans, "plan.toml", text))
			b := exectest.New(t, filepath.Join(plans, "plan.toml"), exectest.Files{"b.txt": "b\n", "guide.md": "g\n",
				"a.rune": "r\n"}, nil)
			b.Controller.Languages = []source.Language{parser}
			ctx, cancel := context.WithCancelCause(context.Background())
			agent.Executor = exectest.Script{"1.1": goodScript["1.1"],
				"1.2": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
					cancel(errors.New("stop"))
					return exec.Outcome{}, context.Cause(ctx)
				}}
			b.Controller.Executors = exec.Executors{"script": agent}
			locked := b.Lock(t)
			if _, err := b.Controller.Run(ctx, locked); err == nil {
				t.Fatal("the run was not stopped")
			}
			agent.Executor = goodScript
			where := b.Dir
			if name == "the plan" {
				where = plans
			}
			tt.move(t, where)
			_, err := b.Controller.Resume(context.Background(), locked, "")
			var refused *exec.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v, want a refusal that names %s", err, tt.says)
			}
			tt.back(t, where)
			if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
				t.Fatalf("resume: %v\n%s", err, report)
			}
		})
	}
}

func TestAStepMayNotMoveTheRepository(t *testing.T) {
	files := exectest.Files{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n"}
	script := exectest.Script{"1.1": exectest.All(goodScript["1.1"], exectest.Write(".git/hooks/post-commit", "#!/bin/sh\n"))}
	run := exectest.Run(t, inPlace(twoSteps()), files, script)
	failed := run.Failed("1.1")
	if failed == nil || failed.Class != history.Unrestorable || !strings.Contains(failed.String(), "post-commit") {
		t.Errorf("failed with %+v, want the hook named", failed)
	}
}

// TestWhatAStepDoesToTheRepositoryIsDropped: in a layer it has one of its own,
// and the next step another.
func TestWhatAStepDoesToTheRepositoryIsDropped(t *testing.T) {
	files := exectest.Files{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n", ".git/refs/heads/main": strings.Repeat("0", 39) + "1\n"}
	tests := map[string]struct {
		do    exec.Func
		names string
	}{
		"a hook":         {exectest.Write(".git/hooks/post-commit", "#!/bin/sh\n"), "post-commit"},
		"another branch": {exectest.Write(".git/HEAD", "ref: refs/heads/other\n"), "HEAD"},
		"a commit":       {exectest.Write(".git/refs/heads/main", strings.Repeat("0", 39)+"2\n"), "main"},
		"settings":       {exectest.Write(".git/config", "[core]\nfsmonitor = evil\n"), "config"},
		"no repository":  {exectest.Remove(".git"), "HEAD"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var b *exectest.Bench
			repository := func(dir string) string {
				var list []string
				must(t, fs.WalkDir(os.DirFS(filepath.Join(dir, ".git")), ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					text, err := os.ReadFile(filepath.Join(dir, ".git", path))
					list = append(list, path+": "+string(text))
					return err
				}))
				return strings.Join(list, "")
			}
			b = exectest.New(t, twoSteps(), files, exectest.Script{"1.1": exectest.All(goodScript["1.1"], tt.do),
				"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
					if got, want := repository(w.Dir), repository(b.Dir); got != want {
						t.Errorf("the next step has the repository %q, want %q", got, want)
					}
					return goodScript["1.2"](ctx, w)
				}})
			before := repository(b.Dir)
			run := b.Run(t)
			run.Want(t, history.Achieved)
			if got := run.Report.Run.Step("1.1").Last().Accounted.Git; !strings.Contains(strings.Join(got, "\n"), tt.names) {
				t.Errorf("the account names %q, want %q among it", got, tt.names)
			}
			if got := run.Report.Run.Step("1.2").Last().Accounted.Git; len(got) > 0 {
				t.Errorf("the account of the next step names %q", got)
			}
			if got := repository(b.Dir); got != before {
				t.Errorf("the repository of the workspace is %q, and was %q", got, before)
			}
		})
	}
}

func TestAGateMayNotChangeTheTree(t *testing.T) {
	messy := gate.New(gate.Info{Name: "messy", Doc: "leaves files about", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.After}},
		func(_ context.Context, pass *gate.Pass) error {
			return os.WriteFile(filepath.Join(pass.Dir, "coverage.out"), nil, 0o644)
		})
	b := exectest.New(t, inPlace(twoSteps()), workspace, goodScript)
	b.Controller.Gates = append(builtin.Gates(), messy)
	before := b.Tree(t).Digest()
	run := b.Run(t)
	if failed := run.Failed("1.1"); failed == nil || !strings.Contains(failed.String(), "coverage.out") {
		t.Errorf("failed with %+v, want coverage.out named", failed)
	}
	if b.Tree(t).Digest() != before {
		t.Error("what the gate left is still there")
	}
}

// TestWhatGatesWriteVanishes: in a layer the next step does not see it, nor does
// the workspace ever.
func TestWhatGatesWriteVanishes(t *testing.T) {
	messy := gate.New(gate.Info{Name: "messy", Doc: "leaves files about", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.Before, gate.During, gate.After, gate.Final}},
		func(_ context.Context, pass *gate.Pass) error {
			return errors.Join(os.WriteFile(filepath.Join(pass.Dir, "coverage."+string(pass.Phase)), nil, 0o644),
				os.WriteFile(filepath.Join(pass.Dir, "b.txt"), []byte("messy\n"), 0o644))
		})
	text := strings.ReplaceAll(twoSteps(), "postconditions = [", "postconditions = [{ kind = \"command\", run = \"echo x > coverage.check; echo x > b.txt\" }, ")
	var b *exectest.Bench
	clean := func(do exec.Func) exec.Func {
		return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			left, err := filepath.Glob(filepath.Join(w.Dir, "coverage.*"))
			if text, err2 := os.ReadFile(filepath.Join(w.Dir, "b.txt")); string(text) != "b\n" || len(left) > 0 {
				t.Errorf("step %s finds %q and %q, %v, %v", w.Step.Address, left, text, err, err2)
			}
			return do(ctx, w)
		}
	}
	b = exectest.New(t, text, workspace, exectest.Script{"1.1": clean(goodScript["1.1"]), "1.2": exectest.Attempts(
		exectest.Fail("once more"), clean(goodScript["1.2"]))})
	b.Controller.Gates = append(builtin.Gates(), messy)
	before := b.Tree(t).Digest()
	b.Run(t).Want(t, history.Achieved)
	must(t, os.Remove(filepath.Join(b.Dir, "a.txt")))
	if b.Tree(t).Digest() != before {
		t.Error("what the gate left is in the workspace")
	}
}

func TestObserverHearsInOrder(t *testing.T) {
	var heard []string
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{
		"1.1": goodScript["1.1"], "1.2": exectest.Attempts(exectest.Fail("no"), goodScript["1.2"])})
	var seq uint64
	b.Controller.Observe = func(_ context.Context, e event.Event) {
		switch f := e.Fact.(type) {
		case nil:
			if e.Kind != event.Judging || e.Phase != gate.Before {
				return
			}
			heard = append(heard, "start "+string(e.Step))
		case *history.Judged, *history.Accounted, *history.Telemetry, *history.AttemptEnded, *history.RestoreBegun,
			*history.TaskOver, *history.TaskOutcome, *history.PhaseOver, *history.StrategySet:
		default:
			heard = append(heard, strings.TrimSpace(f.Type()+" "+string(e.Step)))
		}
		if e.Fact != nil {
			if seq++; e.Seq != seq || e.Record.Seq != seq || e.State.Head.Seq < seq {
				t.Errorf("%s has number %d, want %d", e.Fact, e.Seq, seq)
			}
		}
		if (e.Kind == event.Ended) != (e.State.Sealed != nil) {
			t.Errorf("%s is told of a run that ended: %v", e.Kind, e.State.Sealed)
		}
	}
	b.Run(t).Want(t, history.Achieved)
	want := "run-started,start 1.1,step-started 1.1,attempt-started 1.1,controlled 1.1,step-completed 1.1,delivered,start 1.2,step-started 1.2,attempt-started 1.2," +
		"attempt-failed 1.2,restored 1.2,recovery 1.2,attempt-started 1.2,controlled 1.2,step-completed 1.2,delivered,run-ended,run-sealed"
	if got := strings.Join(heard, ","); got != want {
		t.Errorf("heard %s\nwant  %s", got, want)
	}
}

// TestGatesMustBeChosen: silence does not mean that nothing is judged, while
// whoever wants that can say so.
func TestGatesMustBeChosen(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Controller.Gates = nil
	if _, err := b.Controller.Lock(t.Context(), b.Draft); !errors.Is(err, exec.ErrNoGates) {
		t.Errorf("lock: %v", err)
	}
	locked, err := plan.Lock(b.Draft, plan.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Controller.Run(t.Context(), locked); !errors.Is(err, exec.ErrNoGates) {
		t.Errorf("run: %v", err)
	}
	b.Controller.Gates = []gate.Gate{}
	report, err := b.Controller.Run(t.Context(), locked)
	if err != nil || report.Run.Status != history.Achieved {
		t.Errorf("without gates: %v, %v", report, err)
	}
}
