package agenttest_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

func TestMain(m *testing.M) {
	agenttest.Main()
	os.Exit(m.Run())
}

// A scene is a user with an agent, a model and a workspace.
type scene struct {
	kind
	model *agenttest.Model
	bench *exectest.Bench
	home  string
}

// declared is a plan of one step that may create and modify what is named.
const declared = `schema = 1
profile = "scoped"
[goal]
description = "A greeting"
[[tasks]]
id = 1
description = "Greet"
[[tasks.steps]]
id = 1
description = "Write the greeting"
prompt = "Write hello.txt and change old.txt."
critical_flag = true
on_failure = "block"
postconditions = [{ kind = "file_contains", path = "hello.txt", text = "hello" }]
artifacts = { create = ["hello.txt"], modify = ["old.txt"] }
`

// user is somebody with an empty home, one key, and the agent on PATH.
func user(t *testing.T, k kind, m *agenttest.Model) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, a := range agent.Known() {
		for _, names := range [][]string{a.Keys, a.Variables} {
			for _, name := range names {
				t.Setenv(name, "")
			}
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	t.Setenv("PATH", k.path(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{k.name, k.other} {
		for variable, value := range m.Login(name) {
			t.Setenv(variable, value)
		}
	}
	return home
}

// executor is the agent of a kind.
func executor(t *testing.T, k kind, silence time.Duration) *agent.Executor {
	t.Helper()
	x, err := agent.New(k.name, agent.Options{How: k.how, Model: k.model, Silence: silence})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// begin sets a scene up, with a plan that the agent carries out.
func begin(t *testing.T, k kind, text string, silence time.Duration, turns ...agenttest.Turn) *scene {
	t.Helper()
	s := &scene{kind: k, model: agenttest.Serve(t, turns...)}
	s.home = user(t, k, s.model)
	s.bench = exectest.New(t, text, exectest.Files{"old.txt": "old\n", "other.txt": "mine\n"}, executor(t, k, silence))
	return s
}

// wanted checks how a run ended, what the files are, and that the key is nowhere.
func (s *scene) wanted(t *testing.T, r *exectest.Result, status history.Status, files map[string]string) {
	t.Helper()
	r.Want(t, status)
	for name, want := range files {
		if got := r.Read(t, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.keyless(t)
}

// keyless fails the test where the key is in any file of the workspace.
func (s *scene) keyless(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(s.bench.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), s.model.Key) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// done is what a model does that keeps to the plan.
func done() []agenttest.Turn {
	return []agenttest.Turn{
		{Say: "I write it.", Calls: []agenttest.Call{agenttest.Write("hello.txt", "hello\n")}},
		agenttest.Do(agenttest.Read("old.txt")),
		agenttest.Do(agenttest.Edit("old.txt", "old", "new")),
		agenttest.Say("Both files are as they should be."),
	}
}

// A play is one case, for each kind of agent.
type play struct {
	name string
	what string // that it shows, for people
	full bool   // only where all is run
	run  func(t *testing.T, k kind)
	// lacks says why an agent cannot show it, or ""; nil: each can.
	lacks func(k kind) string
}

// plays are the cases.
var plays = []play{
	{"write and edit", "it writes one file and edits another, and both are kept", false, writeAndEdit, nil},
	{"undeclared", "it edits what is not declared: refused before it is written where the agent asks, else undone", false, undeclared, nil},
	{"lie", "it says that it is done, and did nothing: the step fails", true, lie, nil},
	{"hang", "nothing is heard of it: it is ended, and what it wrote is undone", true, hang, nil},
	{"killed", "its processes are killed: the attempt fails, and what it wrote is undone", true, killed, nil},
	{"cancelled", "the run is cancelled while it works: it ends, and what it wrote is undone", true, cancelled, nil},
	{"full context", "its conversation is too long: it goes on, in a fresh attempt or by itself", true, fullContext, nil},
	{"limit", "its server serves nobody (429): the run waits, is stopped and resumed meanwhile, and no attempt counts", true, limit, nil},
	{"limit until a time", "\"resets 14:00\": the run waits until then", true, limitUntil, func(k kind) string {
		switch {
		case k.silent:
			return "it waits by itself, and says nothing"
		case k.name == "gemini":
			return "it adds the seconds that its server's header says, and these count"
		case k.vague:
			return "it does not pass on what its server says"
		}
		return ""
	}},
	{"wrong key", "its key is not valid: it is said that it is not logged in", true, wrongKey, nil},
	{"feedback", "a file was forgotten: it is told, in the same conversation, and mends it", true, feedback, nil},
	{"validator", "it judges what a shell did: it rejects once, and passes what was mended", true, validator, func(k kind) string {
		if k.alone && k.how == agent.ACP {
			return "the same program is asked without a terminal"
		}
		return ""
	}},
	{"two agents", "it and another agent carry out a step each of one plan", true, two, nil},
	{"budget", "the first step spends the budget of the run, in dollars or, without a price, in tokens: the second is not begun", true, budget, func(k kind) string {
		if !k.costs && !k.counts {
			return "it names neither its price nor its tokens"
		}
		return ""
	}},
}

// play plays a case, or skips it by name.
func (p *play) play(t *testing.T, k kind) {
	if p.lacks != nil {
		if why := p.lacks(k); why != "" {
			t.Skip(why)
		}
	}
	p.run(t, k)
}

func TestSmallAgents(t *testing.T) {
	for _, k := range small() {
		t.Run(k.label, func(t *testing.T) {
			for _, p := range plays {
				t.Run(p.name, func(t *testing.T) { p.play(t, k) })
			}
		})
	}
}

func writeAndEdit(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, done()...)
	r := s.bench.Run(t)
	s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n", "other.txt": "mine\n"})
	asked := s.model.Conversation()
	if len(asked) < 4 || !strings.Contains(asked[0].Body, "Write hello.txt and change old.txt.") ||
		!strings.Contains(asked[0].Body, "A greeting") {
		t.Errorf("what it was told: %d requests", len(asked))
	}
	usage := r.Run.Step("1.1").Attempts[0].Said
	t.Logf("%+v", usage)
	for _, name := range []string{".claude", ".claude.json", ".codex", ".gemini", ".config", ".local"} {
		if _, err := os.Stat(filepath.Join(s.home, name)); err == nil {
			t.Errorf("the user's own home has %s now", name)
		}
	}
}

// undeclared has the agent write what the plan does not declare: it is refused
// before where the agent asks, and undone where it does not.
func undeclared(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, agenttest.Do(agenttest.Write("hello.txt", "hello\n")),
		agenttest.Do(agenttest.Read("other.txt")), agenttest.Do(agenttest.Edit("other.txt", "mine", "yours")),
		agenttest.Do(agenttest.Read("old.txt")), agenttest.Do(agenttest.Edit("old.txt", "old", "new")),
		agenttest.Say("All is done."))
	r := s.bench.Run(t)
	if !k.asks {
		s.wanted(t, r, history.NotAchieved, map[string]string{"hello.txt": "", "old.txt": "old\n", "other.txt": "mine\n"})
		if f := r.Failed("1.1"); f == nil || !strings.Contains(r.Report.String(), "other.txt") {
			t.Errorf("nothing is said of other.txt:\n%s", r.Report)
		}
		return
	}
	s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n", "other.txt": "mine\n"})
}

// lie has the agent say that it is done, and do nothing.
func lie(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, agenttest.Say("Done. Both files are written."))
	s.wanted(t, s.bench.Run(t), history.NotAchieved, map[string]string{"hello.txt": "", "old.txt": "old\n"})
}

// hang has the model say nothing, for longer than the agent may be silent.
func hang(t *testing.T, k kind) {
	began := time.Now()
	s := begin(t, k, declared, k.slow, agenttest.Turn{Hang: true})
	r := s.bench.Run(t)
	s.wanted(t, r, history.NotAchieved, map[string]string{"hello.txt": "", "old.txt": "old\n"})
	if took := time.Since(began); took > 4*k.slow+30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// killed has all processes of the agent killed while it is at work.
func killed(t *testing.T, k kind) {
	if runtime.GOOS != "linux" {
		t.Skip("how its processes are found is for Linux")
	}
	s := begin(t, k, declared, 0, agenttest.Do(agenttest.Write("hello.txt", "hello\n")), agenttest.Turn{Hang: true})
	over := make(chan struct{})
	defer close(over)
	go func() {
		for len(s.model.Conversation()) < 2 {
			select {
			case <-over:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
		killThose(s.model.URL)
	}()
	r := s.bench.Run(t)
	s.wanted(t, r, history.NotAchieved, map[string]string{"hello.txt": "", "old.txt": "old\n"})
}

// killThose kills all other processes that have a text in their environment.
func killThose(text string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		env, err := os.ReadFile(path)
		if err != nil || pid == os.Getpid() || !strings.Contains(string(env), text) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// cancelled has somebody stop the run while the agent is at work.
func cancelled(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, agenttest.Do(agenttest.Write("hello.txt", "hello\n")), agenttest.Turn{Hang: true})
	locked := s.bench.Lock(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if len(s.model.Conversation()) >= 2 {
				cancel()
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	report, err := s.bench.Controller.Run(ctx, locked)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v\n%s", err, report)
	}
	if text, err := os.ReadFile(filepath.Join(s.bench.Dir, "hello.txt")); err == nil {
		t.Errorf("hello.txt is there: %q", text)
	}
	s.keyless(t)
}

// fullContext has the model say that the conversation is too long for it. A fresh
// attempt does the step, or the agent does, which makes the conversation shorter.
func fullContext(t *testing.T, k kind) {
	text := strings.Replace(declared, `on_failure = "block"`, "on_failure = \"retry\"\nmax_retries = 1", 1)
	s := begin(t, k, text, 0, append([]agenttest.Turn{{TooLong: true}}, done()...)...)
	r := s.bench.Run(t)
	s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n"})
}

// limit has the server serve nobody for a moment. The run is stopped while it
// waits, and resumed by somebody who knows nothing of the agent: it waits for what
// is left, and the attempt does not count.
func limit(t *testing.T, k kind) {
	if k.silent { // it waits by itself
		s := begin(t, k, declared, 0, append([]agenttest.Turn{{Status: http.StatusTooManyRequests, RetryAfter: time.Second,
			Say: "rate limit"}}, done()...)...)
		r := s.bench.Run(t)
		s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n"})
		if n := len(r.Run.Step("1.1").Attempts); n != 1 {
			t.Errorf("%d attempts", n)
		}
		return
	}
	s := begin(t, k, declared, 0, append([]agenttest.Turn{{Status: http.StatusTooManyRequests, RetryAfter: 2 * time.Hour,
		Say: "You have hit your usage limit, try again in 1 second"}}, done()...)...)
	locked, report := s.unserved(t)
	if k.vague {
		failed := report.Run.Step("1.1").Attempts[0].Failure
		if left := time.Until(failed.Until); left < 3*time.Minute {
			t.Errorf("it waits for %v, after %q", left, failed.Reasons)
		}
		return
	}
	for name := range s.bench.Controller.Executors {
		s.bench.Controller.Executors[name] = executor(t, k, 0)
	}
	report, err := s.bench.Controller.Resume(t.Context(), locked, "")
	r := &exectest.Result{Report: report, Err: err, Dir: s.bench.Dir}
	s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n"})
	if said := r.Report.String(); !strings.Contains(said, "0 retries") {
		t.Errorf("an attempt counts that was not served:\n%s", said)
	}
}

// limitUntil has the server say until what time of the day it serves nobody.
func limitUntil(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, agenttest.Turn{Status: http.StatusTooManyRequests, RetryAfter: 2 * time.Hour,
		Say: "You've hit your session limit · resets 14:00"})
	_, report := s.unserved(t)
	until := report.Run.Step("1.1").Attempts[0].Failure.Until.Local()
	if until.Hour() != 14 || until.Minute() != 0 || time.Until(until) > 24*time.Hour {
		t.Errorf("it waits until %v", until)
	}
}

// unserved runs a plan until it waits for whoever serves the agent, and stops it
// then.
func (s *scene) unserved(t *testing.T) (*plan.Locked, *exec.Report) {
	t.Helper()
	locked := s.bench.Lock(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.bench.Controller.Observe = func(_ context.Context, e event.Event) {
		if e.Kind == event.Warning && strings.Contains(e.Text, "waits until") {
			cancel()
		}
	}
	report, err := s.bench.Controller.Run(ctx, locked)
	s.bench.Controller.Observe = nil
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("it does not wait: %v\n%s", err, report)
	}
	attempts := report.Run.Step("1.1").Attempts
	if len(attempts) != 1 || attempts[0].Failure == nil || attempts[0].Failure.Class != history.NotServed {
		t.Fatalf("%d attempts\n%s", len(attempts), report)
	}
	return locked, report
}

// wrongKey has a key that the server does not know.
func wrongKey(t *testing.T, k kind) {
	s := begin(t, k, declared, 0, done()...)
	s.model.Key = "sk-planlock-stub-another-key-000000"
	r := s.bench.Run(t)
	s.wanted(t, r, history.NotAchieved, map[string]string{"hello.txt": ""})
	if !strings.Contains(r.Report.String(), "not logged in") {
		t.Errorf("it is not said that nobody is logged in:\n%s", r.Report)
	}
}

// feedback has the first attempt forget a file. The second is told, in the same
// conversation where that can be gone on with.
func feedback(t *testing.T, k kind) {
	text := strings.Replace(declared, `on_failure = "block"`, "on_failure = \"retry\"\nmax_retries = 1", 1)
	s := begin(t, k, text, 0, agenttest.Say("Done."), done()[0], done()[1], done()[2], agenttest.Say("Now it is done."))
	s.wanted(t, s.bench.Run(t), history.Achieved, map[string]string{"hello.txt": "hello\n", "old.txt": "new\n"})
	asked := s.model.Conversation()
	if len(asked) < 2 || !strings.Contains(asked[1].Body, "hello.txt") {
		t.Errorf("what it was told: %d requests", len(asked))
	}
}

// reviewed is a plan that a shell carries out, with something to judge.
const reviewed = `schema = 1
profile = "observe"
[goal]
description = "A greeting"
[[tasks]]
id = 1
description = "Greet"
acceptance_criteria = ["hello.txt greets"]
[[tasks.steps]]
id = 1
description = "Write the greeting"
run = "echo hello >>hello.txt"
on_failure = "retry"
max_retries = 1
`

// validator has the agent judge what a shell did: it rejects the first time, and
// passes the second.
func validator(t *testing.T, k kind) {
	m := agenttest.Serve(t)
	home := user(t, k, m)
	m.WhenAsked(func(r agenttest.Request) bool { // some ask for a title of the conversation besides
		return agenttest.Says("hello.txt greets")(r) && !agenttest.Says("You are a title generator")(r)
	},
		agenttest.Say(`{"digest": "{digest}", "verdict": "fail", "criteria": [{"criterion": 1, "met": false, "citations": []}], `+
			`"findings": ["it greets nobody"]}`),
		agenttest.Say(`{"digest": "{digest}", "verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["hello.txt:1: hello"]}], "findings": []}`))
	gates := append(builtin.Gates(), review.Work(executor(t, k, 0).Validator()))
	b := exectest.Around(t, reviewed, exectest.Files{"old.txt": "old\n"},
		exec.Controller{Executors: exec.Default(&shell.Executor{}), Gates: gates})
	s := &scene{kind: k, model: m, bench: b, home: home}
	r := b.Run(t)
	s.wanted(t, r, history.Achieved, map[string]string{"hello.txt": "hello\n"})
	if n := len(r.Run.Step("1.1").Attempts); n != 2 {
		t.Errorf("%d attempts\n%s", n, r.Report)
	}
}

// twice is a plan of two steps, of which each names who is to carry it out.
var twice = strings.Replace(declared, `prompt = "Write`, "executor = \"first\"\nprompt = \"Write", 1) + `
[[tasks.steps]]
id = 2
description = "Write more"
executor = "second"
prompt = "Write more.txt."
on_failure = "block"
postconditions = [{ kind = "file_contains", path = "more.txt", text = "more" }]
artifacts = { create = ["more.txt"] }
`

// two has two agents carry out a step each, of which neither is the other.
func two(t *testing.T, k kind) {
	s := begin(t, k, twice, 0, done()...)
	s.model.When(agenttest.Says("Write more.txt."), agenttest.Do(agenttest.Write("more.txt", "more\n")), agenttest.Say("More is written."))
	other, err := agent.New(k.other, agent.Options{How: agent.Headless})
	if err != nil {
		t.Fatal(err)
	}
	s.bench.Controller.Executors["second"] = other
	s.wanted(t, s.bench.Run(t), history.Achieved,
		map[string]string{"hello.txt": "hello\n", "old.txt": "new\n", "more.txt": "more\n"})
}

// budget has the first step spend more than the run may: nothing is spent on the
// second.
func budget(t *testing.T, k kind) {
	dear, spent := done(), agenttest.Usage{Input: 500_000, Output: 10_000}
	if !k.costs { // few enough for each to go on with its conversation
		spent = agenttest.Usage{Input: 20_000, Output: 1000}
	}
	for i := range dear {
		dear[i].Usage = spent
	}
	s := begin(t, k, twice, 0, dear...)
	if k.costs {
		s.bench.Controller.Budget = history.Dollar / 10
	} else {
		s.bench.Controller.TokenBudget = 50_000
	}
	r := s.bench.Run(t)
	if !errors.Is(r.Err, exec.ErrHandoff) || r.Status() != history.Waiting {
		t.Errorf("%v\n%s", r.Err, r.Report)
	}
	// What it costs may be said before the tokens are, and ends the turn.
	if f := r.Run.Flow; k.costs && f.Cost < history.Dollar/10 || !k.costs && f.Tokens < 50_000 {
		t.Errorf("it is said to have spent %s, %d tokens", f.Cost, f.Tokens)
	}
	if text := r.Read(t, "more.txt"); text != "" {
		t.Errorf("more.txt is %q", text)
	}
	s.keyless(t)
}
