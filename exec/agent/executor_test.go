package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// fourAgents are the known ones, with a variable that logs each in.
var fourAgents = map[string]string{"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY",
	"opencode": "ANTHROPIC_API_KEY"}

// key is one that nothing but the agent may see.
const key = "sk-0123456789-the-key-of-the-test"

// each runs a test for each known agent, without a terminal, in a home that is
// empty but for a key.
func each(t *testing.T, test func(t *testing.T, name string)) {
	for name, variable := range fourAgents {
		t.Run(name, func(t *testing.T) {
			cleanHome(t)
			t.Setenv(variable, key)
			test(t, name)
		})
	}
}

// cleanHome gives the test a user who has nothing.
func cleanHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, a := range agent.Known() {
		for _, name := range slices.Concat(a.Keys, a.Variables) {
			t.Setenv(name, "")
		}
		for _, f := range a.Files {
			if f.Variable != "" {
				t.Setenv(f.Variable, "")
			}
		}
	}
	return home
}

// worker is an executor of an agent without a terminal.
func worker(t *testing.T, name string, o agent.Options) *agent.Executor {
	t.Helper()
	o.How = agent.Headless
	e, err := agent.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// work is a piece of work, of which everything is told to the log.
func work(t *testing.T, log *bytes.Buffer) exec.Work {
	t.Helper()
	home := t.TempDir()
	dir := t.TempDir()
	return exec.Work{RunID: "run-1", Goal: "a goal", Attempt: 1, Dir: dir, Home: home, Output: log,
		Step:   &plan.Step{Address: "1.1", Description: "Write a.txt"},
		Method: exec.Method{ID: "primary", Prompt: "Write it well."},
		Runner: &process.Runner{Dir: dir, Sandbox: process.Sandbox{Writable: []string{home}}},
	}
}

func TestEachAgentWorks(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		told := fake.Install(t, name, fake.Turn{Write: map[string]string{"a.txt": "a\n"}, Call: "go test ./...",
			Say: "It is written.\nINSIGHT: ink dries\n- DECISION: one line", In: 120, Out: 7, Cost: 0.0125})
		var log bytes.Buffer
		w := work(t, &log)
		var at []string
		var spent exec.Usage
		w.Activity = func(text string) { at = append(at, text) }
		w.Spent = func(u exec.Usage) { spent = u }
		o, err := worker(t, name, agent.Options{Model: "some/model"}).Execute(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(w.Dir, "a.txt")); err != nil || string(text) != "a\n" {
			t.Errorf("a.txt: %q, %v", text, err)
		}
		if !strings.HasPrefix(o.Stdout, "It is written.") || !strings.Contains(log.String(), "It is written.") {
			t.Errorf("word %q, log %q", o.Stdout, log.String())
		}
		if o.Usage.InputTokens != 120 || o.Usage.OutputTokens != 7 {
			t.Errorf("usage %+v", o.Usage)
		}
		if name == "claude" { // it says what it cost in its last line, when it is over
			if spent.Calls != 1 || spent.Cost != 0 {
				t.Errorf("told while it worked %+v", spent)
			}
		} else if spent != o.Usage {
			t.Errorf("usage %+v, told %+v", o.Usage, spent)
		}
		if dear := name == "claude" || name == "opencode"; dear != (o.Usage.Cost == history.Dollar/80) {
			t.Errorf("cost %v", o.Usage.Cost)
		}
		if want := []string{"ink dries"}; !slices.Equal(o.Insights, want) || !slices.Equal(o.Decisions, []string{"one line"}) {
			t.Errorf("insights %q, decisions %q", o.Insights, o.Decisions)
		}
		if all := strings.Join(at, "; "); !strings.Contains(all, "ing a.txt") || !strings.Contains(all, "running go test ./...") {
			t.Errorf("it was at %q", all)
		}
		got := told.Told()[0]
		if args := strings.Join(got.Args, " "); !strings.Contains(args, "some/model") {
			t.Errorf("arguments %q", args)
		}
		for _, want := range []string{"a goal", "Write a.txt", "Write it well.", "NOT DONE:"} {
			if !strings.Contains(got.Prompt, want) {
				t.Errorf("the prompt lacks %q:\n%s", want, got.Prompt)
			}
		}
		if !slices.Contains(got.Env, "HOME="+w.Home) || !strings.Contains(strings.Join(got.Env, "\n"), key) {
			t.Errorf("environment %q", got.Env)
		}
	})
}

// TestKeysStayWithTheAgent: no other variable of its kind is given, and a key that
// it prints is not passed on.
func TestKeysStayWithTheAgent(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		const other = "another-secret-of-the-user"
		t.Setenv("UNRELATED_TOKEN", other)
		told := fake.Install(t, name, fake.Turn{Say: "My key is " + key + ".\nINSIGHT: " + key, Stderr: "using " + key})
		var log bytes.Buffer
		w := work(t, &log)
		w.Activity = func(text string) { log.WriteString(text) }
		o, err := worker(t, name, agent.Options{}).Execute(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		said, err := json.Marshal(o)
		if all := log.String() + string(said); err != nil || strings.Contains(all, key) || !strings.Contains(all, "_API_KEY]") {
			t.Errorf("it shows %q", all)
		}
		if env := strings.Join(told.Told()[0].Env, "\n"); strings.Contains(env, other) {
			t.Error("it was given a variable that is none of its business")
		}
	})
}

// TestFailures are what agents say that cannot go on.
func TestFailures(t *testing.T) {
	var login *agent.LoginError
	var limit *exec.LimitError
	var failed *agent.FailedError
	tests := []struct {
		name string
		turn fake.Turn
		is   func(err error) bool
		says string
	}{
		{"a limit", fake.Turn{Fail: "429 Too Many Requests, try again in 20 minutes"},
			func(err error) bool { return errors.As(err, &limit) && !limit.Until.IsZero() }, "try again"},
		{"a full context", fake.Turn{Say: "half is done", Fail: "prompt is too long: 210000 tokens > 200000 maximum"},
			func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }, "too long"},
		{"a wrong key", fake.Turn{Fail: "401 Unauthorized: invalid api key"},
			func(err error) bool { return errors.As(err, &login) && login.Try != "" }, "not logged in"},
		{"another failure", fake.Turn{Fail: "the model is not there"},
			func(err error) bool { return errors.As(err, &failed) }, "the model is not there"},
		{"a status", fake.Turn{Say: "Done.", Exit: 3},
			func(err error) bool { return errors.As(err, &failed) && failed.Exit == 3 }, "exit status 3"},
		{"a complaint", fake.Turn{Mute: true, Exit: 1, Stderr: "cannot find module"},
			func(err error) bool { return errors.As(err, &failed) }, "cannot find module"},
		{"no end", fake.Turn{Say: "I begin.", Mute: true},
			func(err error) bool { return errors.As(err, &failed) }, "without a last word"},
		{"a word that it is not done", fake.Turn{Say: "I tried.\n**NOT DONE: no compiler**"},
			func(err error) bool { return errors.As(err, &failed) }, "no compiler"},
		{"emphasis", fake.Turn{Say: "**NOT DONE:** the limiter"}, func(err error) bool { return errors.As(err, &failed) && failed.Said == "the limiter" }, ""},
		{"a heading", fake.Turn{Say: "NOT DONE:\n- the limiter"}, func(err error) bool { return errors.As(err, &failed) }, "does not say why"},
		{"a flood", fake.Turn{Flood: 20, Mute: true},
			func(err error) bool { return errors.As(err, &failed) }, "a line of more than"},
		{"binary", fake.Turn{Raw: "\x00\xff{\x01", Mute: true}, func(err error) bool { return errors.As(err, &failed) }, ""},
	}
	each(t, func(t *testing.T, name string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				fake.Install(t, name, test.turn)
				var log bytes.Buffer
				o, err := worker(t, name, agent.Options{}).Execute(t.Context(), work(t, &log))
				if err == nil || !test.is(err) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("error %v", err)
				}
				if test.name == "a full context" && o.Summary != "half is done" {
					t.Errorf("summary %q", o.Summary)
				}
			})
		}
	})
}

// TestSilence: an agent that says nothing is ended, and one that is told to stop
// stops.
func TestSilence(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		fake.Install(t, name, fake.Turn{Hang: true})
		var log bytes.Buffer
		var silent *agent.SilentError
		_, err := worker(t, name, agent.Options{Silence: 500 * time.Millisecond}).Execute(t.Context(), work(t, &log))
		if !errors.As(err, &silent) || silent.Agent != name {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, exec.ErrBudget)
		defer cancel()
		if _, err := worker(t, name, agent.Options{}).Execute(ctx, work(t, &log)); !errors.Is(err, exec.ErrBudget) {
			t.Errorf("error %v", err)
		}
	})
}

// TestConversation: a second attempt goes on with the conversation of the first,
// where the agent finds it, and else begins another.
func TestConversation(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		told := fake.Install(t, name, fake.Turn{Say: "Done."}, fake.Turn{Say: "Done now."},
			fake.Turn{Fail: "no such conversation"}, fake.Turn{Say: "Done at last."})
		var log bytes.Buffer
		w := work(t, &log)
		e := worker(t, name, agent.Options{})
		for attempt := 1; attempt <= 3; attempt++ {
			w.Attempt = attempt
			if attempt > 1 {
				w.Feedback = append(w.Feedback, "a.txt is not there")
			}
			if _, err := e.Execute(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		all := told.Told()
		if len(all) != 4 {
			t.Fatalf("it was told %d times", len(all))
		}
		resumed := func(i int) bool {
			return strings.Contains(strings.Join(all[i].Args, " "), "ses_1") ||
				strings.Contains(strings.Join(all[i].Args, " "), "5e551011")
		}
		if resumed(0) || !resumed(1) || !resumed(2) || resumed(3) {
			t.Errorf("resumed: %v %v %v %v", resumed(0), resumed(1), resumed(2), resumed(3))
		}
		if !strings.Contains(all[1].Prompt, "a.txt is not there") || strings.Contains(all[1].Prompt, "a goal") {
			t.Errorf("it was told again: %s", all[1].Prompt)
		}
		if !strings.Contains(all[3].Prompt, "a goal") || !strings.Contains(all[3].Prompt, "a.txt is not there") {
			t.Errorf("it was told from the beginning: %s", all[3].Prompt)
		}
	})
}

// TestConforms: the executor keeps what executors promise.
func TestConforms(t *testing.T) {
	cleanHome(t)
	t.Setenv("ANTHROPIC_API_KEY", key)
	fake.Install(t, "claude", fake.Turn{Say: "Done."})
	exectest.RunExecutor(t, worker(t, "claude", agent.Options{}), func() exec.Work {
		return work(t, new(bytes.Buffer))
	})
}

func TestRefusals(t *testing.T) {
	home := cleanHome(t)
	var log bytes.Buffer
	var missing *agent.MissingError
	var login *agent.LoginError
	t.Setenv("PATH", home)
	if _, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), work(t, &log)); !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), "npm install -g @anthropic-ai/claude-code") {
		t.Errorf("error %v", err)
	}
	fake.Install(t, "claude")
	if _, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), work(t, &log)); !errors.As(err, &login) ||
		!strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
		t.Errorf("error %v", err)
	}
	w := work(t, &log)
	w.Home = ""
	if _, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), w); !errors.Is(err, agent.ErrNoHome) {
		t.Errorf("error %v", err)
	}
	if _, err := agent.New("clod", agent.Options{}); !errors.Is(err, agent.ErrUnknown) ||
		!strings.Contains(err.Error(), "claude, codex, gemini, opencode") {
		t.Errorf("error %v", err)
	}
	for _, bad := range []agent.Custom{{}, {Args: []string{"x"}, Reads: []string{"../other"}}, {Args: []string{"x"}, Reads: []string{"/etc"}}} {
		if _, err := agent.New("mine", agent.Options{Custom: &bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestObeysWhatWasAccepted starts nothing where a file that the agent obeys is
// another one than in the workspace, or is new.
func TestObeysWhatWasAccepted(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-no-secret")
	told := fake.Install(t, "claude", fake.Turn{Say: "Done."})
	var log bytes.Buffer
	w := work(t, &log)
	put := func(dir, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	workspace := t.TempDir()
	fresh := worker(t, "claude", agent.Options{Workspace: workspace})
	put(workspace, "{}")
	e := worker(t, "claude", agent.Options{Workspace: workspace})
	put(w.Dir, `{"mcpServers": {}}`)
	var obeys *agent.ObeysError
	for _, one := range []*agent.Executor{e, fresh} {
		if _, err := one.Execute(t.Context(), w); !errors.As(err, &obeys) || obeys.File != ".mcp.json" || !errors.Is(err, exec.ErrDeclined) {
			t.Errorf("it says %v", err)
		}
	}
	if n := len(told.Told()); n != 0 {
		t.Errorf("it was started %d times", n)
	}
	put(w.Dir, "{}")
	if _, err := e.Execute(t.Context(), w); err != nil {
		t.Errorf("it says %v", err)
	}
}

// TestCustomStartsWhatWasAccepted starts nothing where a file of the workspace that
// the arguments of a described agent name is another one, or is new.
func TestCustomStartsWhatWasAccepted(t *testing.T) {
	var log bytes.Buffer
	w, workspace := work(t, &log), t.TempDir()
	put := func(dir, name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "tools"), 0o700),
			os.WriteFile(filepath.Join(dir, "tools", name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put(workspace, "agent.sh", "a")
	for name, args := range map[string][]string{"relative": {"sh", "tools/agent.sh"},
		"absolute": {"sh", filepath.Join(workspace, "tools/agent.sh")}, "new": {"sh", "tools/new.sh"}} {
		e, err := agent.New("mine", agent.Options{Workspace: workspace, Custom: &agent.Custom{Args: args}})
		if err != nil {
			t.Fatal(err)
		}
		put(w.Dir, "agent.sh", "b")
		put(w.Dir, "new.sh", "c")
		var obeys *agent.ObeysError
		if _, err := e.Execute(t.Context(), w); !errors.As(err, &obeys) || obeys.File != "tools/"+filepath.Base(args[1]) {
			t.Errorf("%s: it says %v", name, err)
		}
	}
}
