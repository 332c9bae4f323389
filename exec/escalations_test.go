package exec_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// A policy answers every question by what stands in it alone, so that it says
// the same when it is asked again.
type policy func(ask.Question) ask.Answer

func (p policy) Ask(_ context.Context, q ask.Question) (ask.Answer, error) { return p(q), nil }

// choose answers questions of some kinds with a choice each, and all others
// with "give up".
func choose(byKind map[ask.Kind]string) policy {
	return func(q ask.Question) ask.Answer {
		key, ok := byKind[q.Kind]
		if !ok {
			key = "x"
		}
		a := answer(q, key)
		a.Reason = "because"
		return a
	}
}

// afterEveryRecord runs a bench as often as its journal has appends, dies after
// each of them, resumes, and wants the run to end as the uninterrupted one did.
func afterEveryRecord(t *testing.T, want history.Status, set func(t *testing.T) *exectest.Bench,
	check func(t *testing.T, r *exec.Report)) {
	t.Helper()
	for cut := 2; ; cut += stride() {
		b := set(t)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Blobs = &checkpoint.Memory{} // it outlives the controller, as a folder would
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		whole := !errors.Is(err, errCut)
		if !whole {
			log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
			report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		}
		if report.Status() != want {
			t.Fatalf("cut %d: ended %q, want %q: %v\n%s", cut, report.Status(), want, err, report)
		}
		check(t, report)
		if t.Failed() {
			t.Fatalf("cut %d\n%s", cut, report)
		}
		if whole {
			return
		}
	}
}

// straying is a plan whose first step also writes extra.txt.
var straying = exectest.Script{
	"1.1": exectest.All(goodScript["1.1"], exectest.Write("extra.txt", "e\n")),
	"1.2": goodScript["1.2"],
}

func TestAcceptADeviation(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		b := exectest.New(t, twoSteps(), workspace, straying)
		b.Controller.Escalator = choose(map[ask.Kind]string{ask.Deviation: "a"})
		return b
	}, func(t *testing.T, r *exec.Report) {
		s := r.Run.Step("1.1")
		if len(s.Addenda) != 1 || s.Addenda[0].Artifacts == nil || !cmp.Equal(s.Addenda[0].Artifacts.Create, []string{"extra.txt"}) {
			t.Errorf("addenda %+v, want extra.txt declared", s.Addenda)
		}
		last := s.Last()
		if last.Method.Reinstates == 0 || last.Failure != nil {
			t.Errorf("the last attempt %+v; want what was done before put back, and judged well", last.Method)
		}
	})
}

func TestAcceptADeviationKeepsTheFiles(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, straying)
	b.Controller.Escalator = choose(map[ask.Kind]string{ask.Deviation: "a"})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if got := run.Read(t, "extra.txt"); got != "e\n" {
		t.Errorf("extra.txt holds %q, want what the accepted attempt wrote", got)
	}
}

func TestRevertADeviation(t *testing.T) {
	script := exectest.Script{"1.1": exectest.Attempts(straying["1.1"], straying["1.1"], goodScript["1.1"]),
		"1.2": goodScript["1.2"]}
	b := exectest.New(t, twoSteps(), workspace, script)
	p := &person{choices: []string{"r"}}
	b.Controller.Escalator = p
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if run.Read(t, "extra.txt") != "" {
		t.Error("what was reverted is still there")
	}
	if len(p.asked) != 1 || p.asked[0].Kind != ask.Deviation {
		t.Errorf("asked %+v, want one question about a deviation", p.asked)
	}
}

// What a step did too much is reverted alone, wherever the run was cut off.
func TestRevertADeviationAlone(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		b := exectest.New(t, twoSteps(), workspace, straying)
		b.Controller.Escalator = choose(map[ask.Kind]string{ask.Deviation: "v"})
		return b
	}, func(t *testing.T, r *exec.Report) {
		s := r.Run.Step("1.1")
		last := s.Last()
		if last.Method.Reinstates == 0 || last.Failure != nil || !cmp.Equal(last.Method.Reverted, []string{"extra.txt"}) {
			t.Errorf("the last attempt %+v; want what was done before put back without extra.txt", last.Method)
		}
		if !last.Accounted.Account.Holds() || len(last.Accounted.Changes) == 0 {
			t.Errorf("it changed %+v; want what was declared", last.Accounted.Changes)
		}
	})
}

func TestHaltAtADeviation(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, straying)
	b.Controller.Escalator = &person{choices: []string{"x"}}
	b.Run(t).Want(t, history.NotAchieved)
}

// What no word makes a step's business cannot be accepted.
func TestWhatCannotBeAccepted(t *testing.T) {
	limits := strings.Replace(twoSteps(), "max_files = 2, max_lines = 10", "max_files = 1, max_lines = 10", 1)
	tests := map[string]struct {
		text   string
		action exec.Func
		words  string // "": it cannot be accepted
	}{
		"a file":                {twoSteps(), exectest.Write("extra.txt", "e\n"), "accept extra.txt"},
		"a file over the limit": {limits, exectest.Write("extra.txt", "e\n"), "accept extra.txt and 2 files"},
		"a non-goal":            {twoSteps(), exectest.Write("secret/key", "other\n"), ""},
		"a repository inside":   {twoSteps(), exectest.Write("sub/.git/config", "x\n"), ""},
		"a missing artifact": {twoSteps(), exectest.All(exectest.Remove("a.txt"),
			exectest.Write("extra.txt", "e\n")), ""},
		"a name that is no name": {twoSteps(), exectest.Write("ex[t]ra.txt", "e\n"), ""},
		"four files and a folder": {twoSteps(), exectest.All(exectest.Write("p/1", ""), exectest.Write("p/2", ""),
			exectest.Write("p/3", "")), "accept 4 changes and 4 files"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, tt.text, workspace,
				exectest.Script{"1.1": exectest.All(goodScript["1.1"], tt.action), "1.2": goodScript["1.2"]})
			p := &person{}
			b.Controller.Escalator = p
			b.Run(t)
			if len(p.asked) != 1 {
				t.Fatalf("%d questions, want 1", len(p.asked))
			}
			c, ok := p.asked[0].Choice("a")
			if ok != (tt.words != "") || c.Acknowledge != tt.words {
				t.Errorf("accepting is offered: %t, with the words %q; want %q", ok, c.Acknowledge, tt.words)
			}
		})
	}
}

// Every answer continues the chain, and a record that was edited is refused.
func TestAnswersAreChained(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(4))
	b.Controller.Escalator = &person{choices: []string{"r", "r", "r"}}
	run := b.Run(t)
	run.Want(t, history.Achieved)
	prev := run.Report.Run.Started.Plan
	for i, a := range run.Report.Run.Addenda {
		if a.Number != i+1 || a.Prev != prev || a.Digest == "" {
			t.Errorf("addendum %d is %+v, want it to follow %s", i+1, a, prev)
		}
		prev = a.Digest
	}
	if n := len(run.Report.Run.Addenda); n != 3 || run.Report.Run.RecordDigest() != prev {
		t.Errorf("%d addenda, and the record is %s; want 3 and %s", n, run.Report.Run.RecordDigest(), prev)
	}
}

func TestDetailsAndProposals(t *testing.T) {
	var feedback []string
	script := exectest.Script{"1.1": goodScript["1.1"],
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if w.Attempt <= 2 {
				return exec.Outcome{Output: "a trace\n"}, errors.New("no")
			}
			feedback = w.Feedback
			return goodScript["1.2"](ctx, w)
		}}
	b := exectest.New(t, twoSteps(), workspace, script)
	var asked []ask.Question
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		asked = append(asked, q)
		if _, ok := q.Choice("d"); ok {
			return answer(q, "d")
		}
		a := answer(q, "p")
		a.Reason = "use the other file"
		return a
	})
	b.Run(t).Want(t, history.Achieved)
	if len(asked) != 2 {
		t.Fatalf("%d questions, want the one and the one with details", len(asked))
	}
	for _, want := range []string{"attempt 1 (primary)", "| a trace", "suggestion: "} {
		if !strings.Contains(strings.Join(asked[1].Evidence, "\n"), want) {
			t.Errorf("the details do not say %q:\n%s", want, strings.Join(asked[1].Evidence, "\n"))
		}
	}
	if !strings.Contains(strings.Join(feedback, "\n"), "use the other file") {
		t.Errorf("the attempt got the feedback %q, want the proposal in it", feedback)
	}
	empty := answer(asked[1], "p")
	if err := asked[1].Check(empty); err == nil {
		t.Error("a proposal without words was taken")
	}
}

// calledShell is a script under the name of the shell.
type calledShell struct{ exectest.Script }

func (calledShell) Name() string { return "shell" }

// TestCommandsReadNoFeedback asks about a step whose command nobody can tell
// anything, and about others.
func TestCommandsReadNoFeedback(t *testing.T) {
	told := "run 1.2 again with this report as feedback"
	tests := []struct {
		name    string
		by      func(exectest.Script) exec.Executor
		prompt  bool
		label   string
		propose bool
	}{
		{"a command of the shell", func(s exectest.Script) exec.Executor { return calledShell{s} }, false, "run 1.2 again", false},
		{"a prompt", func(s exectest.Script) exec.Executor { return calledShell{s} }, true, told, true},
		{"an executor of the host", func(s exectest.Script) exec.Executor { return s }, false, told, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := twoSteps()
			if tt.prompt {
				text = strings.ReplaceAll(text, `run = "true"`, `prompt = "write it"`)
			}
			b := exectest.New(t, text, workspace, failing(2))
			b.Controller.Executors["script"] = tt.by(failing(2))
			var asked ask.Question
			b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
				asked = q
				return answer(q, "r")
			})
			b.Run(t).Want(t, history.Achieved)
			c, _ := asked.Choice("r")
			if _, propose := asked.Choice("p"); c.Label != tt.label || propose != tt.propose {
				t.Errorf("it offers %q, and a proposal: %v; want %q, %v", c.Label, propose, tt.label, tt.propose)
			}
			if evidence := strings.Join(asked.Evidence, "\n"); strings.Contains(evidence, "propose") != tt.propose {
				t.Errorf("the suggestion does not fit:\n%s", evidence)
			}
		})
	}
}

func TestContextExhausted(t *testing.T) {
	set := func(times int, got *[]string) func(t *testing.T) *exectest.Bench {
		return func(t *testing.T) *exectest.Bench {
			done := 0
			return exectest.New(t, twoSteps(), workspace,
				exectest.Script{"1.1": goodScript["1.1"],
					"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
						if done++; done <= times {
							return exec.Outcome{Summary: "half of it is read"}, exec.ErrContextExhausted
						}
						*got = w.Feedback
						return goodScript["1.2"](ctx, w)
					}})
		}
	}
	var got []string
	afterEveryRecord(t, history.Achieved, set(1, &got), func(*testing.T, *exec.Report) {})
	if !strings.Contains(strings.Join(got, "\n"), "half of it is read") {
		t.Errorf("the fresh attempt got %q, want the summary", got)
	}
	for times, fresh := range map[int]bool{3: true, 4: false} {
		b := set(times, &got)(t)
		run := b.Run(t)
		if achieved := run.Status() == history.Achieved; achieved != fresh {
			t.Errorf("exhausted %d times: ended %q; want three fresh attempts, and no more", times, run.Status())
		}
	}
}

// rowOf is a plan of n tasks with one step each that is not critical; header
// goes into the plan's top.
func rowOf(n int, header, step string) string {
	text := strings.Split(threeTasks(header, ""), "[[tasks]]")[0]
	for i := 1; i <= n; i++ {
		text += strings.NewReplacer("%d", string(rune('0'+i)), "%s", step).Replace("\n[[tasks]]\nid = %d\ndescription = \"t\"\n[[tasks.steps]]\nid = 1\ndescription = \"s%d\"\nrun = \"true\"\n" +
			"critical_flag = false\non_failure = \"retry\"\nmax_retries = 0\nartifacts = { create = [\"%d\"] }\n" +
			"postconditions = [{ kind = \"file_contains\", path = \"%d\", matches = \".\" }]\n%s\n")
	}
	return text
}

func TestRollbackAfterThreeFailures(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		script, mended := exectest.Script{}, false
		for i := 1; i <= 4; i++ {
			name := string(rune('0' + i))
			script[plan.Address(name+".1")] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if name != "1" && !mended {
					return exec.Outcome{}, errors.New("no")
				}
				return exectest.Write(name, name)(ctx, w)
			}
		}
		b := exectest.New(t, rowOf(4, "", ""), nil, script)
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
			mended = true
			return answer(q, "b")
		})
		return b
	}, func(t *testing.T, r *exec.Report) {
		if len(r.Run.RolledBack) != 1 || r.Run.RolledBack[0].To != "2.1" || r.Run.RolledBack[0].By != "a person" {
			t.Errorf("rolled back %+v, want once to before 2.1, the first of the three", r.Run.RolledBack)
		}
		for _, s := range r.Run.Steps {
			if s.Status != history.Completed {
				t.Errorf("step %s is %s", s.Address, s.Status)
			}
		}
	})
}

func TestRollbackAfterACriticalValidationFailure(t *testing.T) {
	for level, offered := range map[gate.Level]bool{gate.BlocksApproval: true, gate.BlocksStep: false} {
		b := exectest.New(t, twoSteps(), workspace, goodScript)
		b.Controller.Gates = append(builtin.Gates(), gate.New(gate.Info{Name: "critic", Doc: "says no to the second step", Level: level, Phases: []gate.Phase{gate.After}},
			func(_ context.Context, pass *gate.Pass) error {
				if pass.Step.Address == "1.2" {
					pass.Report(gate.Finding{Message: "no"})
				}
				return nil
			}))
		p := &person{}
		b.Controller.Escalator = p
		b.Run(t)
		if len(p.asked) != 1 {
			t.Fatalf("%d questions, want 1", len(p.asked))
		}
		if _, ok := p.asked[0].Choice("b"); ok != offered || offered && p.asked[0].Target != "1.1" {
			t.Errorf("gate of level %d: rolling back is offered: %t, to before %q", level, ok, p.asked[0].Target)
		}
	}
}

func TestObsoletePlan(t *testing.T) {
	tests := map[string]struct {
		choice string
		want   history.Status
	}{
		"plan again": {"n", history.Waiting},
		"go on":      {"g", history.Achieved},
		"abort":      {"x", history.NotAchieved},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			asked := 0
			var b *exectest.Bench
			script := exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				ws := exec.Workspace{Dir: b.Dir}
				if err := ws.Request(ctx, ask.Request{Run: w.RunID, Kind: ask.Obsolete, Reason: "the API changed", By: "alice"}); err != nil {
					return exec.Outcome{}, err
				}
				return goodScript["1.1"](ctx, w)
			}, "1.2": goodScript["1.2"]}
			b = exectest.New(t, twoSteps(), workspace, script)
			b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
				asked++
				if q.Kind != ask.Obsolete || !strings.Contains(q.Why, "the API changed") {
					t.Errorf("question %+v; want the one about the plan", q)
				}
				return answer(q, tt.choice)
			})
			locked := b.Lock(t)
			report, err := b.Controller.Run(context.Background(), locked)
			if report.Status() != tt.want || asked != 1 {
				t.Fatalf("ended %q after %d questions, want %q after one: %v", report.Status(), asked, tt.want, err)
			}
			if tt.want != history.Waiting {
				return
			}
			// Whoever resumes it all the same is asked again.
			b.Controller.Escalator = choose(map[ask.Kind]string{ask.Obsolete: "g"})
			report, err = b.Controller.Resume(context.Background(), locked, "")
			if report.Status() != history.Achieved || len(report.Run.Addenda) != 2 {
				t.Errorf("resumed: %q with %d answers, want it achieved with both: %v", report.Status(),
					len(report.Run.Addenda), err)
			}
		})
	}
}

// A request is for a run that goes on, and stays until it has become a
// question.
func TestRequests(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	run := b.Run(t).Report.Run.Started.Run
	ws := exec.Workspace{Dir: b.Dir}
	if err := ws.Request(context.Background(),
		ask.Request{Run: run, Kind: ask.Obsolete, Reason: "r", By: "b"}); err == nil {
		t.Error("a run that has ended took a request")
	}
	if err := ws.Request(context.Background(),
		ask.Request{Run: "another", Kind: ask.Obsolete, Reason: "r", By: "b"}); err == nil {
		t.Error("a run that does not exist took a request")
	}
	folder := &escalator.Folder{Dir: ws.QuestionDir()}
	if err := folder.Request(context.Background(),
		ask.Request{Run: run, Kind: ask.StepFailed, Reason: "r"}); err == nil {
		t.Error("a step can be requested to fail")
	}
	if _, err := folder.Requested(context.Background(), run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no request", err)
	}
}

func TestDependencyFailure(t *testing.T) {
	const soft = "on_failure = \"retry\"\nmax_retries = 0\n"
	for choice, want := range map[string]history.StepStatus{"w": history.Blocked, "g": history.Completed} {
		afterEveryRecord(t, history.Partial, func(t *testing.T) *exectest.Bench {
			header := "error_propagation = { propagation_strategy = \"continue_and_log\" }\nexecution = { default_mode = \"collaborative\" }"
			b := exectest.New(t, threeTasks(header, soft), nil, threeFiles)
			b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
				switch q.Kind {
				case ask.Dependency:
					return answer(q, choice)
				case ask.Confirmation:
					return answer(q, "y")
				}
				a := answer(q, "?") // nonsense, three times: nobody decides, and the step has failed
				return a
			})
			return b
		}, func(t *testing.T, r *exec.Report) {
			s := r.Run.Step("2.1")
			if s.Status != want {
				t.Errorf("answer %s: 2.1 is %s, want %s", choice, s.Status, want)
			}
			if s.Blocked != nil && len(s.Blocked.Unblock) != 3 {
				t.Errorf("2.1 is blocked, and %q would let it run", s.Blocked.Unblock)
			}
			if r.Run.Step("3.1").Status != history.Completed {
				t.Error("what does not need it did not go on")
			}
		})
	}
}

// What nobody decides is refused, recorded, and nothing is lost of what is
// complete.
func TestNobodyDecides(t *testing.T) {
	const soft = "on_failure = \"retry\"\nmax_retries = 0\n"
	header := "error_propagation = { propagation_strategy = \"continue_and_log\" }\nexecution = { default_mode = \"collaborative\" }"
	b := exectest.New(t, threeTasks(header, soft), nil, threeFiles)
	b.Controller.Escalator = &person{}
	run := b.Run(t)
	run.Want(t, history.Partial)
	if s := run.Report.Run.Step("2.1"); s.Status != history.Blocked || len(s.Questions) != 1 ||
		s.Questions[0].Unanswered == nil {
		t.Errorf("2.1 is %s; want it blocked, with a question that nobody answered", s.Status)
	}
	if s := run.Report.Run.Step("3.1"); s.Status != history.Completed {
		t.Errorf("3.1 is %s, want completed", s.Status)
	}
}

// Requests, and what was answered to them, survive a crash at every record.
func TestRequestsSurviveACrash(t *testing.T) {
	for kind, key := range map[ask.Kind]string{ask.Obsolete: "g", ask.Rollback: "b"} {
		// In a bubble, because an attempt looks for requests by the clock only.
		synctest.Test(t, func(t *testing.T) {
			afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
				var b *exectest.Bench
				left := false
				script := exectest.Script{"1.1": goodScript["1.1"],
					"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
						if !left {
							left = true
							// The journal is elsewhere in this test, so the request
							// is left by hand.
							folder := &escalator.Folder{Dir: (exec.Workspace{Dir: b.Dir}).QuestionDir()}
							wanted := ask.Request{Run: w.RunID, Kind: kind, Step: "1.1", Reason: "r", By: "alice"}
							if err := folder.Request(ctx, wanted); err != nil {
								return exec.Outcome{}, err
							}
							<-ctx.Done() // the attempt is cut off
							return exec.Outcome{}, context.Cause(ctx)
						}
						return goodScript["1.2"](ctx, w)
					}}
				b = exectest.New(t, twoSteps(), workspace, script)
				b.Controller.Escalator = choose(map[ask.Kind]string{kind: key})
				return b
			}, func(t *testing.T, r *exec.Report) {
				if back := len(r.Run.RolledBack); back != map[ask.Kind]int{ask.Obsolete: 0, ask.Rollback: 1}[kind] {
					t.Errorf("%s: set back %d times", kind, back)
				}
				if n := len(r.Run.Addenda); n != 1 {
					t.Errorf("%s: %d answers, want 1", kind, n)
				}
			})
		})
	}
}
