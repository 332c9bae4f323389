package agent_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// speaking puts an agent that speaks the protocol into the PATH of the test.
func speaking(t *testing.T, name string, s acptest.Script) {
	t.Helper()
	dir := t.TempDir()
	s.Program(t, dir, name)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestProtocol: an agent whose adapter is installed is driven by it, with the
// prompts, the home and the keys of the agent.
func TestProtocol(t *testing.T) {
	cleanHome(t)
	t.Setenv("ANTHROPIC_API_KEY", key)
	speaking(t, "claude-agent-acp", acptest.Script{Modes: []string{"auto", "default"}, Turns: []acptest.Turn{{
		If: "NOT DONE:", Acts: []acptest.Act{{Show: "ANTHROPIC_API_KEY"}, {Show: "CLAUDE_CONFIG_DIR"}, {Show: "mode"},
			{Write: "a.txt", Text: "a\n", Ask: true}, {Write: "b.txt", Text: "b\n", Ask: true},
			{Input: 100, Output: 10, Cost: 0.25}, {Say: "\n\nIt is written.\nINSIGHT: ink dries\n"}}}}})
	e, err := agent.New("claude", agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	w := work(t, &log)
	w.Bound = true
	w.Step.Artifacts = &plan.Artifacts{Create: []string{"a.txt"}}
	o, err := e.Execute(t.Context(), w)
	if err != nil {
		t.Fatal(err, log.String())
	}
	if get(t, filepath.Join(w.Dir, "a.txt")) != "a\n" || get(t, filepath.Join(w.Dir, "b.txt")) != "" {
		t.Error("it may write what is declared, and nothing else")
	}
	if len(o.Insights) != 1 || o.Usage.InputTokens != 100 || o.Usage.Cost == 0 {
		t.Errorf("%+v", o)
	}
	all := log.String() + o.Stdout
	if strings.Contains(all, key) || !strings.Contains(all, "[ANTHROPIC_API_KEY]") || !strings.Contains(all, filepath.Join(w.Home, ".claude")) ||
		!strings.Contains(all, "default") {
		t.Errorf("it shows %s", all)
	}
}

// TestProtocolFailures: what comes of them is as without the protocol.
func TestProtocolFailures(t *testing.T) {
	var login *agent.LoginError
	var limit *exec.LimitError
	var failed *agent.FailedError
	var silent *agent.SilentError
	for _, test := range []struct {
		name string
		s    acptest.Script
		is   func(error) bool
	}{
		{"login", acptest.Script{LoggedOut: true},
			func(err error) bool {
				return errors.As(err, &login) && login.Said != "" && strings.Count(err.Error(), "not logged in") == 1
			}},
		{"limit", acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{{Fail: "429 Too Many Requests, try again in 20 minutes"}}}}},
			func(err error) bool { return errors.As(err, &limit) }},
		{"full", acptest.Script{Turns: []acptest.Turn{{Stop: "max_tokens"}}},
			func(err error) bool { return errors.Is(err, exec.ErrContextExhausted) }},
		{"not done", acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: "NOT DONE: no compiler"}}}}},
			func(err error) bool { return errors.As(err, &failed) && failed.Said == "no compiler" }},
		{"silence", acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{{Think: "hm"}, {Hang: true}}}}},
			func(err error) bool {
				return errors.As(err, &silent) && err.Error() == `agent: nothing was heard of gemini for 3s, while it was "thinking"`
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cleanHome(t)
			t.Setenv("GEMINI_API_KEY", key)
			test.s.Modes = []string{"default"}
			speaking(t, "gemini", test.s)
			e, err := agent.New("gemini", agent.Options{Silence: 3 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			if _, err := e.Execute(t.Context(), work(t, &log)); !test.is(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestAskedByProtocol: an agent of which only the adapter is installed gives its
// word as well.
func TestAskedByProtocol(t *testing.T) {
	user := cleanHome(t)
	t.Setenv("ANTHROPIC_API_KEY", key)
	t.Setenv("PATH", "/usr/bin:/bin")
	speaking(t, "claude-agent-acp", acptest.Script{Modes: []string{"default"}, Turns: []acptest.Turn{{If: "it counts",
		Acts: []acptest.Act{{Write: "a.txt", Text: "a\n", Ask: true}, {Say: judgement}}}}})
	e, err := agent.New("claude", agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Validator().Review(t.Context(), review.Request{About: review.AboutWork, Title: "The limiter",
		Acceptance: []string{"it counts"}})
	if err != nil || got.Verdict != "pass" {
		t.Errorf("%+v, %v (home %s)", got, err, user)
	}
}
