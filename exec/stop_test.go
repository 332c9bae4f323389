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
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
)

// TestCancelledAnywhere cancels a run at each of its records: wherever that is,
// the run waits, says who wanted it, and goes on to the same end.
func TestCancelledAnywhere(t *testing.T) {
	script := exectest.Script{"1.1": goodScript["1.1"],
		"1.2": exectest.Attempts(exectest.Fail("not yet"), goodScript["1.2"])}
	for at := uint64(1); ; at += uint64(stride()) {
		b := exectest.New(t, twoSteps(), workspace, script)
		for name := range b.Controller.Executors {
			b.Controller.Executors[name] = exectest.Script{"1.1": goodScript["1.1"],
				"1.2": exectest.Attempts(exectest.Fail("not yet"), goodScript["1.2"])}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := &exec.Stop{By: "anna", Why: "the machine is needed"}
		var last event.Kind
		b.Controller.Observe = func(_ context.Context, e event.Event) {
			if last = e.Kind; e.Seq == at && e.Fact != nil {
				cancel(stop)
			}
		}
		locked := b.Lock(t)
		report, err := b.Controller.Run(ctx, locked)
		if err == nil || report.Run.Ended != nil {
			break // it was over
		}
		if !errors.Is(err, stop) || report.Status() != history.Waiting || report.Run.Paused == nil ||
			report.Run.Stopping == nil || report.Run.Stopping.By != "anna" || last != event.Cancelled {
			t.Fatalf("cancelled at record %d the run is %s (%+v), %s: %v", at, report.Status(), report.Run.Stopping,
				last, err)
		}
		if report, err = b.Controller.Resume(t.Context(), locked,
			""); err != nil || report.Status() != history.Achieved ||
			report.Run.Stopping != nil {
			t.Fatalf("cancelled at record %d, and then: %v\n%s", at, err, report)
		}
	}
}

// TestCancelledByAnyPort: also a run that is cut off in the middle of a
// question, of a version, or of a gate waits.
func TestCancelledByAnyPort(t *testing.T) {
	stop := errors.New("stop")
	for name, set := range map[string]func(c *exec.Controller, cut func()){
		"escalator": func(c *exec.Controller, cut func()) {
			c.Executors = exec.Default(exectest.Script{"1.1": exectest.Fail("no")})
			c.Ladder = recovery.Ladder{recovery.Ask{}}
			c.Escalator = asking(func(ctx context.Context, _ ask.Question) (ask.Answer, error) {
				cut()
				return ask.Answer{}, fmt.Errorf("nobody: %w", context.Cause(ctx))
			})
		},
		"executor": func(c *exec.Controller, cut func()) {
			inner := c.Executors[""]
			c.Executors[""] = exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				cut()
				return inner.Execute(ctx, w)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, strings.ReplaceAll(twoSteps(), "executor = \"script\"\n", ""), workspace, goodScript)
			ctx, cancel := context.WithCancelCause(t.Context())
			set(b.Controller, func() { cancel(stop) })
			report, err := b.Controller.Run(ctx, b.Lock(t))
			if !errors.Is(err, stop) || report.Status() != history.Waiting || report.Run.Stopping.By != "host" {
				t.Errorf("the run is %s: %v", report.Status(), err)
			}
		})
	}
}

type asking func(context.Context, ask.Question) (ask.Answer, error)

func (a asking) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) { return a(ctx, q) }

// TestUnknownWordsAreRefused: what a host misspells, and what a plan wants that
// was locked elsewhere, is refused before anything happens.
func TestUnknownWordsAreRefused(t *testing.T) {
	for says, set := range map[string]func(b *exectest.Bench){
		`mode "loud"`:      func(b *exectest.Bench) { b.Controller.Mode = "loud" },
		`"heroic" is none`: func(b *exectest.Bench) { b.Controller.Preset = "heroic" },
		`strategy "hasty"`: func(b *exectest.Bench) { b.Controller.Strategy = "hasty" },
		`advice of the kind "luck"`: func(b *exectest.Bench) {
			b.Controller.Advisors = exec.Advisors{advice.Kind("luck"): nil}
		},
	} {
		b := exectest.New(t, twoSteps(), workspace, goodScript)
		locked := b.Lock(t)
		set(b)
		report, err := b.Controller.Run(t.Context(), locked)
		var refused *exec.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) || report.Run.Head.Seq != 0 {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestAbandon ends a run that waits, was interrupted, or lost its controller in
// the middle of a step; then it is over for good.
func TestAbandon(t *testing.T) {
	lost := errors.New("power")
	for name, action := range map[string]exec.Func{
		"interrupted": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, exectest.Put(w.Dir, "a.txt", "half")
		},
		"killed": func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, errors.Join(exectest.Put(w.Dir, "b.txt", "half"), lost)
		},
	} {
		for _, isolated := range []bool{false, true} {
			t.Run(fmt.Sprint(name, isolated), func(t *testing.T) {
				b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": goodScript["1.1"], "1.2": action})
				b.Controller.Isolate = isolated
				log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: 1 << 30}
				b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
				ctx, cancel := context.WithCancelCause(t.Context())
				b.Controller.Observe = event.On(func(e event.Event, _ *history.AttemptStarted) {
					if e.Step != "1.2" {
						return
					}
					if name == "killed" {
						log.left = 0
					} else {
						cancel(errors.New("stop"))
					}
				})
				report, err := b.Controller.Run(ctx, b.Lock(t))
				if err == nil {
					t.Fatal("it was not stopped")
				}
				run := report.Run.Started.Run
				log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
				c := *b.Controller
				c.Executors, c.Gates, c.Observe = nil, nil, nil // it needs neither
				var refused *exec.RefusedError
				if _, err := c.Abandon(t.Context(), run, "", "why"); !errors.As(err, &refused) {
					t.Errorf("nobody abandoned it: %v", err)
				}
				report, err = c.Abandon(t.Context(), run, "anna", "another way was found")
				if err != nil || report.Status() != history.NotAchieved || report.Run.Sealed == nil ||
					!strings.Contains(report.String(), "abandoned by anna: another way was found") {
					t.Fatalf("%v\n%s", err, report)
				}
				if r := report.Run; len(r.UnderWay())+len(r.Open()) > 0 || r.Step("1.2").Status != history.Pending ||
					strings.Contains(report.String(), "▸") || strings.Contains(report.String(), " yet") {
					t.Errorf("it is under way still:\n%s", report)
				}
				if got, err := os.ReadFile(filepath.Join(b.Dir, "b.txt")); err != nil || string(got) != workspace["b.txt"] {
					t.Errorf("b.txt is %q: %v", got, err)
				}
				if _, err := c.Abandon(t.Context(), run, "anna", "again"); !errors.As(err, &refused) {
					t.Errorf("it was abandoned twice: %v", err)
				}
				var outcome *exec.OutcomeError
				if _, err := b.Controller.Resume(t.Context(), b.Lock(t), run); !errors.As(err, &outcome) {
					t.Errorf("it goes on: %v", err)
				}
			})
		}
	}
}

// TestAbandonClosesWhatIsOpen: once a run has ended that waited for an answer,
// nothing asks for one, and nobody can give it; answers of other runs stay.
func TestAbandonClosesWhatIsOpen(t *testing.T) {
	b := exectest.New(t, strings.Replace(twoSteps(), `on_failure = "retry"`, `on_failure = "ask"`, 1), workspace,
		exectest.Script{"1.1": exectest.Fail("no")})
	ws := exec.Workspace{Dir: b.Dir}
	folder := &escalator.Folder{Dir: ws.QuestionDir()}
	b.Controller.Escalator = folder
	report, err := b.Controller.Run(t.Context(), b.Lock(t))
	if !errors.Is(err, exec.ErrWaiting) || len(report.Run.Questions()) != 1 {
		t.Fatalf("it asks nothing: %v", err)
	}
	q := *report.Run.Questions()[0]
	other := q
	other.Run += "-2"
	if _, err := folder.Ask(t.Context(), other); !errors.Is(err, ask.ErrLater) {
		t.Fatal(err)
	}
	report, err = b.Controller.Abandon(t.Context(), q.Run[:len(q.Run)-1], "anna", "")
	if err != nil {
		t.Fatal(err)
	}
	run, err := ws.History(t.Context(), q.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*history.Run{report.Run, run} {
		s := r.Step(q.Step)
		if len(r.Questions())+len(r.Open())+len(r.UnderWay()) > 0 || s.Status != history.Failed ||
			s.Questions[0].Open() {
			t.Errorf("open after the end: %v, %v, %v, step %s", r.Questions(), r.Open(), r.UnderWay(), s.Status)
		}
	}
	left, err := folder.Questions()
	if err != nil || len(left) != 1 || left[0].Run != other.Run {
		t.Errorf("the folder asks %v: %v", left, err)
	}
	var refused *ask.RefusedError
	late := ask.Answer{Run: q.Run, Question: q.ID, Choice: q.Choices[0].Key}
	if err := folder.Answer(late); !errors.As(err, &refused) {
		t.Errorf("it was answered: %v", err)
	}
	for file, want := range map[string]string{
		"SUMMARY.md": "tasks_failed: 1\n", "stuck-report.md": "nothing more was tried: the run was abandoned by anna",
		"checkpoint-1.json": `"status": "failed"`, "checkpoint.yaml": `reason: "error"`,
		"pending_actions.json": `"reason": "step 1.1: no; nothing more was tried`,
	} {
		text, err := os.ReadFile(filepath.Join(ws.ViewDir(q.Run), file))
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "Next: step") {
			t.Errorf("%s does not say %q: %v\n%s", file, want, err, text)
		}
	}
	views, err := filepath.Glob(filepath.Join(ws.ViewDir(q.Run), "*.md"))
	if err != nil || len(views) == 0 {
		t.Fatalf("no views: %v", err)
	}
	for _, name := range views {
		text, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(text), "waits for") || strings.Contains(string(text), " yet") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestDocumentsForWhoeverGoesOn: while a run waits, and where a person stopped
// it, there is a summary; once a question has its answer, no document speaks of
// it any more, also while the run works, or after it was killed.
func TestDocumentsForWhoeverGoesOn(t *testing.T) {
	b := exectest.New(t, strings.Replace(twoSteps(), `on_failure = "retry"`, `on_failure = "ask"`, 1), workspace, nil)
	ws := exec.Workspace{Dir: b.Dir}
	folder := &escalator.Folder{Dir: ws.QuestionDir()}
	b.Controller.Escalator = folder
	run, later := "", ""
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(ws.ViewDir(run), name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return string(text)
	}
	b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Attempts(exectest.Fail("no"), goodScript["1.1"]),
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			later = read("next-session.md") + read("stuck-report.md")
			return goodScript["1.2"](ctx, w)
		}}
	locked := b.Lock(t)
	report, err := b.Controller.Run(t.Context(), locked)
	run = report.Run.Started.Run
	for _, choice := range []string{"s", "r", ""} {
		if choice != "s" {
			report, err = b.Controller.Resume(t.Context(), locked, run)
		}
		if choice == "" {
			if err != nil || later == "" || strings.Contains(later, "Question q") ||
				strings.Contains(later, "WAITING") {
				t.Errorf("%v; while it worked, the documents said\n%s", err, later)
			}
			continue
		}
		if summary := read("SUMMARY.md"); !strings.Contains(summary, "status: waiting\n") ||
			!strings.Contains(read("next-session.md"), "**Question q") {
			t.Errorf("%v: the summary of a run that waits is\n%s", err, summary)
		}
		q := report.Run.Questions()[0]
		if err := folder.Answer(ask.Answer{Run: run, Question: q.ID, Attempt: q.Attempt, Choice: choice, By: "anna",
			Reason: "the machine is needed"}); err != nil {
			t.Fatal(err)
		}
		if choice == "s" {
			report, err = b.Controller.Resume(t.Context(), locked, run)
			want := "stopped by anna at step 1.1: the machine is needed"
			if report.Run.Paused == nil || report.Run.Paused.Why != want ||
				!strings.Contains(read("next-session.md"), want) || strings.Contains(read("next-session.md"), "Question "+q.ID) {
				t.Errorf("%v: it was let go because %+v\n%s", err, report.Run.Paused, read("next-session.md"))
			}
		}
	}
}

// TestResumeAccepting: a person lets a run go on under another version of a
// gate, by name; nothing else is accepted with it.
func TestResumeAccepting(t *testing.T) {
	version := "1"
	polite := func() gate.Gate {
		return gate.New(gate.Info{Name: "polite", Doc: "says yes", Version: version, Level: gate.BlocksStep,
			Phases: []gate.Phase{gate.After}}, func(context.Context, *gate.Pass) error { return nil })
	}
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.Controller.Gates = append(builtin.Gates(), polite())
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { cancel(errors.New("deploy")) })
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if err == nil {
		t.Fatal("it was not stopped")
	}
	run := report.Run.Started.Run
	version = "2"
	b.Controller.Gates, b.Controller.Observe = append(builtin.Gates(), polite()), nil
	const gateMoved, rulesMoved = "agent gate polite", "rules"
	for says, moved := range map[string][]string{
		`agent gate polite moved from "1"`: nil,
		"rules moved":                      {gateMoved},
		`"model" did not move`:             {gateMoved, rulesMoved, "model"},
	} {
		var refused *exec.RefusedError
		report, err := b.Controller.ResumeAccepting(t.Context(), locked, run, "anna", moved...)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) || report.Status() != history.Waiting {
			t.Errorf("%q: %s, %v, want a refusal that says %s", moved, report.Status(), err, says)
		}
	}
	report, err = b.Controller.ResumeAccepting(t.Context(), locked, run, "anna", rulesMoved, gateMoved)
	if err != nil || report.Status() != history.Achieved {
		t.Fatalf("%v\n%s", err, report)
	}
}
