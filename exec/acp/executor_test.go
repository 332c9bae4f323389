package acp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp"
	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

func TestMain(m *testing.M) {
	acptest.Main()
	os.Exit(m.Run())
}

var (
	_ exec.Executor     = (*acp.Executor)(nil)
	_ exec.Versioned    = (*acp.Executor)(nil)
	_ exec.Named        = (*acp.Executor)(nil)
	_ exec.CommandsOnly = (*acp.Executor)(nil)
)

// A watched work is one whose output and activity are kept.
type watched struct {
	exec.Work
	mu     sync.Mutex
	out    bytes.Buffer
	doing  []string
	spent  []exec.Usage
	spends func(exec.Usage)
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// work is a step that creates a.txt and modifies b.txt.
func work(t *testing.T) *watched {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.txt"), []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := &watched{}
	w.Work = exec.Work{RunID: "run-1", Goal: "a goal", Attempt: 1, Dir: dir, Bound: true,
		Task:     &plan.Task{ID: "1", Title: "A task"},
		Step:     &plan.Step{Address: "1.1", Description: "Write it", Artifacts: &plan.Artifacts{Create: []string{"a.txt"}, Modify: []string{"b.txt"}}},
		NonGoals: []plan.NonGoal{{ID: "N1", Text: "keep auth", Paths: []string{"auth/**"}}},
		Output:   w, Runner: &process.Runner{},
		Activity: func(text string) { w.mu.Lock(); w.doing = append(w.doing, text); w.mu.Unlock() },
		Spent: func(u exec.Usage) {
			w.mu.Lock()
			w.spent = append(w.spent, u)
			w.mu.Unlock()
			if w.spends != nil {
				w.spends(u)
			}
		},
	}
	w.Method.ID = "primary"
	return w
}

// one is a script of one turn.
func one(acts ...acptest.Act) acptest.Script {
	return acptest.Script{Turns: []acptest.Turn{{Acts: acts}}}
}

func TestExecute(t *testing.T) {
	tests := []struct {
		name   string
		script acptest.Script
		files  map[string]string // "" is none
		out    []string          // each is a part of the output
		stdout string
		err    string // part of the text; "" none
		is     func(error) bool
	}{
		{name: "write and edit", script: one(acptest.Act{Say: "I begin."}, acptest.Act{Write: "a.txt", Text: "a\n"},
			acptest.Act{Write: "b.txt", Text: "new\n", Ask: true}, acptest.Act{Say: "Done, ünd well."}),
			files: map[string]string{"a.txt": "a\n", "b.txt": "new\n"}, stdout: "Done, ünd well.",
			out: []string{"I begin.\n[edit] a.txt (edit a.txt)\n[edit] b.txt (edit b.txt)\nDone, ünd well.\n"}},
		{name: "undeclared is refused before", script: one(acptest.Act{Write: "c.txt", Text: "c\n", Ask: true}, acptest.Act{Say: "Well."}),
			files: map[string]string{"c.txt": ""}, stdout: "Well.",
			out: []string{`[edit] refused: the step does not declare "c.txt"; it may create a.txt; modify b.txt`, "[edit] failed: c.txt"}},
		{name: "non-goal", script: one(acptest.Act{Write: "auth/token.go", Ask: true}, acptest.Act{Say: "Well."}),
			files: map[string]string{"auth/token.go": ""}, stdout: "Well.", out: []string{"non-goal N1 (keep auth) protects"}},
		{name: "a turn that ends at a refusal goes on", script: acptest.Script{Turns: []acptest.Turn{
			{Acts: []acptest.Act{{Write: "c.txt", Ask: true}}},
			{If: "was refused by the plan", Acts: []acptest.Act{{Write: "a.txt", Text: "a\n", Ask: true}, {Say: "So be it."}}}}},
			files: map[string]string{"c.txt": "", "a.txt": "a\n"}, stdout: "So be it."},
		{name: "a turn that is cancelled at a refusal goes on", script: acptest.Script{Turns: []acptest.Turn{
			{Acts: []acptest.Act{{Write: "c.txt", Ask: true}}, Stop: "cancelled"},
			{If: "was refused by the plan", Acts: []acptest.Act{{Write: "a.txt", Text: "a\n", Ask: true}, {Say: "So be it."}}}}},
			files: map[string]string{"c.txt": "", "a.txt": "a\n"}, stdout: "So be it."},
		{name: "a lie", script: one(acptest.Act{Write: "a.txt", Tell: true}, acptest.Act{Say: "Done."}),
			files: map[string]string{"a.txt": ""}, stdout: "Done."},
		{name: "its plan", script: one(acptest.Act{Think: "hm", Plan: []string{"look", "do"}}, acptest.Act{Say: "ok"}), stdout: "ok",
			out: []string{"its plan:\n  [>] look\n  [ ] do\n"}},
		{name: "exhausted", script: acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: "half way"}}, Stop: "max_tokens"}}},
			stdout: "half way", err: "max_tokens", is: func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }},
		{name: "exhausted by requests", script: acptest.Script{Turns: []acptest.Turn{{Stop: "max_turn_requests"}}},
			err: "max_turn_requests", is: func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }},
		{name: "exhausted as an error", script: one(acptest.Act{Fail: "prompt is too long: 210000 tokens > 200000 maximum"}),
			err: "too long", is: func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }},
		{name: "exhausted, with the word limit", script: one(acptest.Act{Fail: "you have exceeded the context length limit"}),
			err: "context length", is: func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }},
		{name: "a quota of tokens", script: one(acptest.Act{Code: 429, Fail: "too many tokens in a minute"}),
			err: "not served", is: as[*exec.LimitError]},
		{name: "a wrong key", script: one(acptest.Act{Fail: "API key not valid. Please pass a valid API key."}),
			err: "is not logged in", is: as[*acp.LoginError]},
		{name: "refusal", script: acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: "I will not."}}, Stop: "refusal"}}},
			stdout: "I will not.", err: `fake refuses the step: "I will not."`, is: as[*acp.RefusalError]},
		{name: "cancelled by itself", script: acptest.Script{Turns: []acptest.Turn{{Stop: "cancelled"}}},
			err: "it cancelled its turn, and nobody asked it to", is: as[*acp.AnswerError]},
		{name: "another reason", script: acptest.Script{Turns: []acptest.Turn{{Stop: "fish"}}}, err: `"fish"`, is: as[*acp.ProtocolError]},
		{name: "an error", script: one(acptest.Act{Fail: "kaputt", Code: -32603}), err: `answered session/prompt with an error: "kaputt" (code -32603)`,
			is: as[*acp.AnswerError]},
		{name: "a limit", script: one(acptest.Act{Fail: "API Error: 429 rate limit exceeded, try again in 20s"}), err: "not served until",
			is: as[*exec.LimitError]},
		{name: "a limit as a message", script: one(acptest.Act{Say: "Claude AI usage limit reached|1999999999"}), err: "not served",
			stdout: "Claude AI usage limit reached|1999999999", is: as[*exec.LimitError]},
		{name: "logged out", script: acptest.Script{LoggedOut: true}, err: "start fake in a terminal and log in", is: as[*acp.LoginError]},
		{name: "another version", script: acptest.Script{Protocol: 7}, err: "it speaks version 7 of the protocol, and planlock version 1",
			is: as[*acp.ProtocolError]},
		{name: "garbage", script: acptest.Script{First: []acptest.Act{{Raw: []byte("hello\n"), Times: 100}, {Hang: true}}},
			err: `writes lines that are no messages to its standard output, as in "hello"`, is: as[*acp.ProtocolError]},
		{name: "a little garbage", script: acptest.Script{First: []acptest.Act{{Raw: []byte("npm warn\n[1]\n{}\n"), Times: 2}}}, out: []string{"npm warn\n"}},
		{name: "binary", script: acptest.Script{First: []acptest.Act{{Raw: []byte("\x7fELF\x00\x01\n")}, {Hang: true}}},
			err: "bytes that are no text", is: as[*acp.ProtocolError]},
		{name: "a flood without a line", script: one(acptest.Act{Raw: bytes.Repeat([]byte("x"), 10000), Times: 1000}),
			err: "a line of more than 65536 bytes", is: as[*acp.ProtocolError]},
		{name: "a flood of messages", script: one(acptest.Act{Raw: []byte(`{"jsonrpc":"2.0","method":"x"}` + "\n"), Times: 100000}),
			err: "more than 2000 messages", is: as[*acp.ProtocolError]},
		{name: "a flood of bytes", script: one(acptest.Act{Raw: append(bytes.Repeat([]byte(" "), 60000), '\n'), Times: 1000}),
			err: "more than 4 MiB", is: as[*acp.ProtocolError]},
		{name: "it ends at once", script: acptest.Script{First: []acptest.Act{{Exit: 3}}}, err: "it ended with exit status 3 and without an answer",
			is: as[*acp.ProtocolError]},
		{name: "it ends midway", script: one(acptest.Act{Say: "now"}, acptest.Act{Exit: 4}), err: "ended in the middle of its work with exit status 4",
			stdout: "now", is: as[*acp.EndedError]},
		{name: "it asks for ever", script: one(acptest.Act{Write: "a.txt", Asks: 1000}), err: "asked for permission 51 times and does not stop",
			is: as[*acp.AskingError]},
		{name: "it asks for the refused", script: one(acptest.Act{Write: "c.txt", Asks: 1000}), err: `"c.txt"`, is: as[*acp.AskingError]},
		{name: "unknown methods", script: one(acptest.Act{Raw: []byte(`{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"path":"/x"}}` + "\n" +
			`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":7}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"session/update","params":[]}` + "\n" + `{"id":77,"result":{}}` + "\n" +
			`{"method":"$/cancel_request"}` + "\n" + `{"method":"session/request_permission","id":5}` + "\n")}, acptest.Act{Say: "ok"}), stdout: "ok"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := work(t)
			o, err := acp.Quick(test.script.Executor(t)).Execute(context.Background(), w.Work)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Fatalf("error %v, want %q; output:\n%s", err, test.err, w.out.String())
			}
			if test.is != nil && !test.is(err) {
				t.Errorf("error is %T: %v", err, err)
			}
			if o.Stdout != test.stdout {
				t.Errorf("last message %q, want %q", o.Stdout, test.stdout)
			}
			for _, want := range test.out {
				if !strings.Contains(w.out.String(), want) {
					t.Errorf("output:\n%s\nwant:\n%s", w.out.String(), want)
				}
			}
			for name, want := range test.files {
				if got, _ := os.ReadFile(filepath.Join(w.Dir, name)); string(got) != want {
					t.Errorf("%s holds %q, want %q", name, got, want)
				}
			}
		})
	}
}

// as reports whether there is an error of a type in a chain.
func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// What an agent is at is shown, and what it cost is told while it works.
func TestTold(t *testing.T) {
	w := work(t)
	script := one(acptest.Act{Think: "hm"}, acptest.Act{Write: "b.txt", Text: "x"}, acptest.Act{Cost: 0.25}, acptest.Act{Cost: 0.5},
		acptest.Act{Input: 100, Output: 20}, acptest.Act{Say: "ok"})
	o, err := script.Executor(t).Execute(context.Background(), w.Work)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.doing, "|"); got != "thinking|editing b.txt|answering" {
		t.Errorf("activity %q", got)
	}
	want := exec.Usage{InputTokens: 100, OutputTokens: 20, Calls: 1, Cost: 750_000}
	if o.Usage != want || len(w.spent) != 3 || w.spent[0].Cost != 250_000 || w.spent[2] != want {
		t.Errorf("usage %+v, told %+v, want %+v", o.Usage, w.spent, want)
	}
}

// An agent that is to stop is asked to, and is ended where it does not.
func TestStopped(t *testing.T) {
	reason := errors.New("the time is over")
	for name, act := range map[string]acptest.Act{"obeys": {UntilStopped: true}, "hangs": {Hang: true}} {
		t.Run(name, func(t *testing.T) {
			w := work(t)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			w.Activity = func(text string) {
				if text == "answering" {
					time.AfterFunc(50*time.Millisecond, func() { cancel(reason) })
				}
			}
			script := one(acptest.Act{Say: "I begin"}, act, acptest.Act{Write: "a.txt", Text: "late"})
			begin := time.Now()
			_, err := acp.Quick(script.Executor(t)).Execute(ctx, w.Work)
			if !errors.Is(err, reason) {
				t.Errorf("error %v", err)
			}
			if asked := strings.Contains(w.out.String(), "I stop."); asked != (name == "obeys") {
				t.Errorf("output:\n%s", w.out.String())
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if _, err := os.Stat(filepath.Join(w.Dir, "a.txt")); err == nil {
				t.Error("it went on")
			}
		})
	}
}

// A budget that is spent ends the attempt while it works.
func TestBudget(t *testing.T) {
	w := work(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w.spends = func(u exec.Usage) {
		if u.Cost > exec.Money(1_000_000) {
			cancel(exec.ErrBudget)
		}
	}
	script := one(acptest.Act{Cost: 0.9}, acptest.Act{Cost: 0.9}, acptest.Act{UntilStopped: true}, acptest.Act{Say: "late"})
	o, err := acp.Quick(script.Executor(t)).Execute(ctx, w.Work)
	if !errors.Is(err, exec.ErrBudget) || o.Usage.Cost != 1_800_000 {
		t.Errorf("error %v, usage %+v", err, o.Usage)
	}
}

// An agent that says nothing for too long is ended, and told apart from one that
// takes its time.
func TestSilence(t *testing.T) {
	w := work(t)
	x := acp.Quick(one(acptest.Act{Write: "a.txt", Text: "a"}, acptest.Act{Hang: true}).Executor(t))
	x.Silence = 500 * time.Millisecond
	_, err := x.Execute(context.Background(), w.Work)
	var silence *acp.SilenceError
	if !errors.As(err, &silence) || silence.Doing != "editing a.txt" {
		t.Errorf("error %v", err)
	}
	slow := acptest.Act{Say: "x", Wait: 200 * time.Millisecond}
	x = acp.Quick(one(slow, slow, slow, slow, slow).Executor(t))
	x.Silence = 700 * time.Millisecond
	if _, err := x.Execute(context.Background(), work(t).Work); err != nil {
		t.Errorf("a slow agent: %v", err)
	}
}

// An agent that does not answer the first message is given up.
func TestNeverAnswers(t *testing.T) {
	x := acp.Quick(acptest.Script{First: []acptest.Act{{Hang: true}}}.Executor(t))
	_, err := x.Execute(context.Background(), work(t).Work)
	if !as[*acp.ProtocolError](err) || !strings.Contains(err.Error(), `did not answer "initialize" within 3s`) ||
		!strings.Contains(err.Error(), "its command for the protocol?") {
		t.Errorf("error %v", err)
	}
}

// What an agent forks does not outlive it.
func TestForks(t *testing.T) {
	w := work(t)
	if _, err := one(acptest.Act{Fork: "late.txt"}, acptest.Act{Say: "ok"}).Executor(t).Execute(context.Background(), w.Work); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(w.Dir, "late.txt")); err == nil {
		t.Error("a process of the agent went on")
	}
}

// The key of the environment is used where the agent takes one, and is shown to
// nobody.
func TestKey(t *testing.T) {
	w := work(t)
	x := acptest.Script{LoggedOut: true, Key: "FAKE_API_KEY", Turns: []acptest.Turn{{Acts: []acptest.Act{{Show: "FAKE_API_KEY"}}}}}.Executor(t)
	if _, err := acp.Quick(x).Execute(context.Background(), w.Work); !as[*acp.LoginError](err) {
		t.Errorf("without a key: %v", err)
	}
	x.Env = append(x.Env, "FAKE_API_KEY=sk-very-secret-12345")
	o, err := x.Execute(context.Background(), w.Work)
	if err != nil || o.Stdout != "FAKE_API_KEY=[FAKE_API_KEY]" || strings.Contains(w.out.String(), "very-secret") {
		t.Errorf("error %v, it said %q, output:\n%s", err, o.Stdout, w.out.String())
	}
}

// What an agent prints besides messages stands on lines of its own, short ones,
// without colours.
func TestPrints(t *testing.T) {
	w := work(t)
	script := one(acptest.Act{Say: "One"}, acptest.Act{Print: "\x1b[2mwarn\x1b[0m: \x07x\n\n" + strings.Repeat("y", 5000) + "\n"},
		acptest.Act{Print: "z\n", Times: 100000},
		acptest.Act{Wait: 300 * time.Millisecond, Say: " two"})
	o, err := script.Executor(t).Execute(context.Background(), w.Work)
	if err != nil || o.Stdout != "One two" {
		t.Fatalf("%q %v", o.Stdout, err)
	}
	out := "\n" + w.out.String() // what it says and what it prints come by ways of their own: either may be first
	if !strings.Contains(out, "\nwarn: \\x07x\n") || !strings.Contains(out, "\n"+strings.Repeat("y", 300)+"…\n") || len(out) > 200<<10 ||
		!strings.Contains(out, "\n(what else the agent prints is not shown: it is too much)\n") {
		t.Errorf("output of %d bytes: %.200q … %.200q", len(out), out, out[max(0, len(out)-200):])
	}
}

func TestChoice(t *testing.T) {
	script := acptest.Script{Models: []string{"small-1", "large-1", "large-2"}, Modes: []string{"auto", "default"},
		Turns: []acptest.Turn{{Acts: []acptest.Act{{Show: "model"}}}, {}}}
	for _, test := range []struct{ model, mode, said, err string }{
		{"large-2", "", "model=large-2", ""}, {"LARGE-1", "default", "model=large-1", ""}, {"small", "", "model=", ""},
		{"large", "", "", `has no model "large"; it has "small-1, large-1, large-2"`}, {"", "yolo", "", `has no mode "yolo"; it has "auto, default"`},
	} {
		x := script.Executor(t)
		x.Model, x.Mode = test.model, test.mode
		o, err := x.Execute(context.Background(), work(t).Work)
		if test.err == "" && (err != nil || o.Stdout != test.said) || test.err != "" && (!as[*acp.ChoiceError](err) || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s %s: %q, %v", test.model, test.mode, o.Stdout, err)
		}
	}
	x := one().Executor(t)
	x.Model = "any"
	if _, err := x.Execute(context.Background(), work(t).Work); err == nil || !strings.Contains(err.Error(), `lets nobody choose its model; leave "any" out`) {
		t.Errorf("no models: %v", err)
	}
}

// The next attempt goes on with the agent's conversation where it can, and is
// told what is new.
func TestFeedback(t *testing.T) {
	for _, loads := range []bool{true, false} {
		w := work(t)
		w.Home = t.TempDir()
		script := acptest.Script{Loads: loads, Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: "first"}}},
			{If: "Earlier attempts failed", Acts: []acptest.Act{{Say: "anew"}}},
			{If: "not accepted", Acts: []acptest.Act{{Say: "again"}}}}}
		run := func(want string) {
			t.Helper()
			x := script.Executor(t)
			x.Env = append(x.Env, "HOME="+w.Home)
			o, err := x.Execute(context.Background(), w.Work)
			if err != nil || o.Stdout != want {
				t.Errorf("loads %v: %q, %v, want %q", loads, o.Stdout, err, want)
			}
			if strings.Contains(w.out.String(), "told again") {
				t.Error("what was told again is shown again")
			}
		}
		run("first")
		w.Attempt, w.Feedback = 2, []string{"the test fails:\nno limit"}
		if loads {
			run("again")
		} else {
			run("anew")
		}
		w.Attempt, w.Method.ID = 3, "backup_1"
		run("anew")
		if loads && !strings.Contains(w.out.String(), "goes on with its conversation") {
			t.Errorf("output:\n%s", w.out.String())
		}
	}
}

// What is exhausted is not gone on with.
func TestFeedbackExhausted(t *testing.T) {
	w := work(t)
	w.Home = t.TempDir()
	x := acptest.Script{Loads: true, Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: "first"}}, Stop: "max_tokens"}}}.Executor(t)
	x.Env = append(x.Env, "HOME="+w.Home)
	for range 2 {
		o, err := x.Execute(context.Background(), w.Work)
		if !errors.Is(err, exec.ErrContextExhausted) || o.Summary != "An earlier attempt was cut off: its context was full. The last that it said: first" {
			t.Errorf("%q, %v", o.Summary, err)
		}
	}
	if strings.Contains(w.out.String(), "goes on with its conversation") {
		t.Errorf("output:\n%s", w.out.String())
	}
}

func TestVersion(t *testing.T) {
	x := acptest.Script{Name: "gemini", Version: "0.61.0"}.Executor(t)
	if v, err := x.Version(context.Background()); v != "gemini 0.61.0" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if id, err := x.Identity(context.Background()); !strings.HasPrefix(id, "sha256:") || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	x.Args = []string{"planlock-no-such-agent"}
	if _, err := x.Version(context.Background()); err == nil {
		t.Error("a program that is not there has a version")
	}
	if _, err := x.Execute(context.Background(), work(t).Work); err == nil || !strings.Contains(err.Error(), "planlock-no-such-agent") {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestConforms(t *testing.T) {
	x := one(acptest.Act{Say: "I begin"}, acptest.Act{Write: "a.txt", Text: "a", Ask: true}).Executor(t)
	exectest.RunExecutor(t, x, func() exec.Work {
		w := work(t).Work
		w.Output = io.Discard
		return w
	})
}

// Two agents at a time do not meet.
func TestTwoAtATime(t *testing.T) {
	x := one(acptest.Act{Wait: 100 * time.Millisecond}, acptest.Act{Write: "a.txt", Text: "a"}).Executor(t)
	var both sync.WaitGroup
	for range 2 {
		w := work(t)
		both.Go(func() {
			if _, err := x.Execute(context.Background(), w.Work); err != nil {
				t.Error(err)
			}
			if text, _ := os.ReadFile(filepath.Join(w.Dir, "a.txt")); string(text) != "a" {
				t.Errorf("a.txt holds %q", text)
			}
		})
	}
	both.Wait()
}
