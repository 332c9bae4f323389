package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// boundPlan is twoSteps with an envelope and an invariant.
func boundPlan() string {
	text := strings.Replace(twoSteps(), "invariants = []",
		`invariants = [{ id = "I1", text = "b stays", check = { kind = "file_exists", path = "b.txt" } }]`, 1)
	return strings.Replace(text, "[defaults]",
		"[envelope]\nmodel = \"m-1\"\nprompt_template = [\"prompt.md\"]\nconfig = [\"conf.toml\"]\ncontext = [\"guide.md\"]\ntools = [\"go\"]\n\n[defaults]", 1)
}

// boundFiles are a workspace for boundPlan.
func boundFiles() exectest.Files {
	return exectest.Files{"b.txt": "b\n", "prompt.md": "p\n", "conf.toml": "c = 1\n", "guide.md": "g\n", "go.mod": "module m\n"}
}

// stopped is a run of a plan, stopped inside step 1.2.
func stopped(t *testing.T, b *exectest.Bench, agent *versioned) (locked *plan.Locked) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	agent.Executor = exectest.Script{
		"1.1": exectest.All(goodScript["1.1"], exectest.Say("the line is written")),
		"1.2": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
			cancel(errors.New("stop"))
			return exec.Outcome{}, context.Cause(ctx)
		},
	}
	b.Controller.Executors = exec.Executors{"script": agent}
	locked = b.Lock(t)
	if _, err := b.Controller.Run(ctx, locked); err == nil {
		t.Fatal("the run was not stopped")
	}
	return locked
}

// TestWhatTheJournalKeeps stops a run inside its second step and reads its
// journal from the disk: all that a controller needs to go on, and whoever
// looks at it later, is there.
func TestWhatTheJournalKeeps(t *testing.T) {
	agent := &versioned{version: "7"}
	b := exectest.New(t, boundPlan(), boundFiles(), nil)
	locked := stopped(t, b, agent)
	ws := exec.Workspace{Dir: b.Dir}
	ids, err := ws.IDs(t.Context())
	must(t, err)
	run, err := ws.History(context.Background(), ids[0])
	must(t, err)
	component := func(name string) envelope.Component {
		for _, c := range run.Started.Envelope.Components {
			if c.Name == name {
				return c
			}
		}
		return envelope.Component{}
	}
	there := func(name, text string) bool {
		c := component(name)
		return !c.Digest.IsZero() && strings.Contains(c.Text, text)
	}
	judged := func(s *history.Step, phase gate.Phase, name string) bool {
		for _, j := range append(s.Gates, s.Last().Gates...) {
			if j.Phase == phase && j.Gate == name {
				return j.Verdict != nil && j.Verdict.Result == gate.Passed
			}
		}
		return false
	}
	first, second := run.Step("1.1"), run.Step("1.2")
	last := first.Last()
	for name, holds := range map[string]bool{
		"current step": len(run.UnderWay()) == 1 && run.UnderWay()[0] == second,
		"plan hash":    run.Started.Plan == locked.Digest() && run.Started.Lock == locked.ID(),
		"envelope": run.Started.Envelope.Digest() == locked.Options().Envelope &&
			there("model", "m-1") && there("prompt:prompt.md", "") && there("context:guide.md", ""),
		"toolchain":          there("toolchain:go", "go1."),
		"tools":              there("tool:go", "go1."),
		"rules":              there("rules", "rules"),
		"configuration":      there("config:conf.toml", ""),
		"versions of agents": there("agent:executor script", "7"),
		"checkpoint": second.At > first.At &&
			second.Checkpoint.Checkpoint == first.Completed.Snapshot && !second.Checkpoint.Checkpoint.Manifest.IsZero(),
		"envelope of the checkpoint": second.Checkpoint.Envelope == locked.Options().Envelope,
		"agents that have finished": last.Said != nil && judged(first, gate.Before, "preconditions") &&
			second.Status == history.InFlight,
		"results of validation": judged(first, gate.During, "types") && judged(first, gate.After, "artifacts"),
		"state of invariants":   judged(first, gate.Before, "invariants") && judged(first, gate.During, "invariants"),
		"ledger": last.Accounted.Account.Holds() && len(last.Accounted.Account.Matching) == 1 &&
			last.Accounted.Tree == first.Completed.Snapshot.Tree,
		"inputs": !last.Method.Inputs.IsZero() && last.Method.Method == "primary" &&
			last.Method.Executor == "script",
		"outputs": strings.Contains(last.Said.Output, "the line is written"),
		"decisions": second.Checkpoint.Decision == "proceed" && len(second.Checkpoint.Prior) == 1 &&
			second.Checkpoint.Prior[0] == "1.1",
	} {
		t.Run(name, func(t *testing.T) {
			if !holds {
				t.Errorf("the journal does not keep it\n%+v\n%+v\n%+v", run.Started, first, second)
			}
		})
	}
}

// TestTheWholeEnvelopeIsWatched moves one thing after another while a run is
// stopped; the refusal names it, and the run goes on when it is as it was.
func TestTheWholeEnvelopeIsWatched(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool of this test is a shell script")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	put := func(dir, name, text string, mode os.FileMode) func(*testing.T, *exectest.Bench) {
		return func(t *testing.T, b *exectest.Bench) {
			if dir == "" {
				must(t, os.WriteFile(filepath.Join(b.Dir, name), []byte(text), mode))
				return
			}
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
		}
	}
	tool := func(version string) func(*testing.T, *exectest.Bench) {
		return put(bin, "planlock-test-tool", "#!/bin/sh\necho tool "+version+"\n", 0o755)
	}
	tests := map[string]struct {
		move, back func(*testing.T, *exectest.Bench)
		says       string
	}{
		"prompt template": {put("", "prompt.md", "q\n", 0o644), put("", "prompt.md", "p\n", 0o644), "prompt prompt.md"},
		"configuration":   {put("", "conf.toml", "c = 2\n", 0o644), put("", "conf.toml", "c = 1\n", 0o644), "config conf.toml"},
		"tool":            {tool("2.0"), tool("1.0"), "tool planlock-test-tool"},
		"rules": {
			func(_ *testing.T, b *exectest.Bench) {
				b.Controller.Gates = append(builtin.Gates(),
					gate.New(gate.Info{Name: "new", Doc: "Came later.", Phases: []gate.Phase{gate.After}},
						func(context.Context, *gate.Pass) error { return nil }))
			},
			func(_ *testing.T, b *exectest.Bench) { b.Controller.Gates = builtin.Gates() }, "rules",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			agent := &versioned{version: "7"}
			b := exectest.New(t, strings.Replace(boundPlan(), `"go"`, `"planlock-test-tool"`, 1), boundFiles(), nil)
			tool("1.0")(t, b)
			locked := stopped(t, b, agent)
			agent.Executor = goodScript
			tt.move(t, b)
			_, err := b.Controller.Resume(context.Background(), locked, "")
			var refused *exec.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v, want a refusal that names %s", err, tt.says)
			}
			tt.back(t, b)
			if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
				t.Fatalf("resume: %v\n%s", err, report)
			}
		})
	}
}

// TestEditedBetweenSteps edits what the run is bound to when the first step is
// done: the second does not begin.
func TestEditedBetweenSteps(t *testing.T) {
	for name, tt := range map[string]struct{ file, says string }{
		"the plan":       {"plan.toml", "the plan"},
		"a context file": {"guide.md", "guide.md"},
	} {
		t.Run(name, func(t *testing.T) {
			plans := t.TempDir()
			must(t, exectest.Put(plans, "plan.toml", boundPlan()))
			var record exectest.Record
			b := exectest.New(t, filepath.Join(plans, "plan.toml"), boundFiles(), record.Of(goodScript))
			b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
				dir, text := b.Dir, "h\n"
				if tt.file == "plan.toml" {
					dir, text = plans, strings.Replace(boundPlan(), "in two steps", "in 2 steps", 1)
				}
				if e.Step == "1.1" {
					must(t, exectest.Put(dir, tt.file, text))
				}
			})
			run := b.Run(t)
			var refused *exec.RefusedError
			if !errors.As(run.Err, &refused) || !strings.Contains(run.Err.Error(), tt.says) ||
				run.Status() != history.Waiting {
				t.Errorf("ended %s with %v, want a refusal that names %s", run.Status(), run.Err, tt.says)
			}
			if got := record.Attempts(); len(got) != 1 {
				t.Errorf("attempts %q, want none of 1.2", got)
			}
		})
	}
}

// TestIrreversibleStepInFlightIsAsked lets the controller die inside a step
// that cannot be undone: whoever takes the run up asks before anything is
// attempted.
func TestIrreversibleStepInFlightIsAsked(t *testing.T) {
	text := strings.Replace(twoSteps(), "id = 1\ndescription = \"Write the first line\"",
		"id = 1\nrollback = \"irreversible\"\ndescription = \"Write the first line\"", 1)
	b := exectest.New(t, text, workspace, nil)
	log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: 1 << 30}
	b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
	b.Controller.Executors["script"] = exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome,
		error) {
		log.left = 0 // nothing of what follows is known to anybody
		return goodScript["1.1"](ctx, w)
	}}
	locked := b.Lock(t)
	report, err := b.Controller.Run(context.Background(), locked)
	if !errors.Is(err, errCut) {
		t.Fatalf("the run ended with %v", err)
	}
	log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
	var record exectest.Record
	b.Controller.Executors["script"] = record.Of(goodScript)
	p := &person{}
	b.Controller.Escalator = p
	report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
	if len(p.asked) != 1 || p.asked[0].Kind != ask.InFlight || p.asked[0].Step != "1.1" {
		t.Errorf("asked %+v, want one question about the step that was in flight: %v", p.asked, err)
	}
	if report.Status() != history.NotAchieved || len(record.Attempts()) != 0 {
		t.Errorf("ended %s after %q; want nothing attempted", report.Status(), record.Attempts())
	}
}

// TestPreconditionsAreLookedAtAgainWhenResumed stops a run inside a step, and
// takes from it what the step needs.
func TestPreconditionsAreLookedAtAgainWhenResumed(t *testing.T) {
	t.Setenv("PLANLOCK_TEST_READY", "yes")
	b := exectest.New(t, withPrecondition(`{ kind = "env_set", name = "PLANLOCK_TEST_READY" }`), workspace, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	b.Controller.Executors["script"] = exectest.Script{"1.1": func(ctx context.Context, _ exec.Work) (exec.Outcome,
		error) {
		cancel(errors.New("stop"))
		return exec.Outcome{}, context.Cause(ctx)
	}}
	locked := b.Lock(t)
	if _, err := b.Controller.Run(ctx, locked); err == nil {
		t.Fatal("the run was not stopped")
	}
	must(t, os.Unsetenv("PLANLOCK_TEST_READY"))
	var record exectest.Record
	b.Controller.Executors["script"] = record.Of(goodScript)
	p := &person{choices: []string{"s"}}
	b.Controller.Escalator = p
	_, err := b.Controller.Resume(context.Background(), locked, "")
	if len(p.asked) != 1 || p.asked[0].Kind != ask.Precondition || len(record.Attempts()) != 0 {
		t.Errorf("asked %+v, attempted %q; want one question about the precondition, and nothing attempted: %v",
			p.asked, record.Attempts(), err)
	}
	must(t, os.Setenv("PLANLOCK_TEST_READY", "yes"))
	p.choices = []string{"r", "r"}
	report, err := b.Controller.Resume(context.Background(), locked, "")
	if err != nil || report.Status() != history.Achieved {
		t.Errorf("resumed, it ended with %v\n%s", err, report)
	}
}
