package agent_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
)

// TestWordOfItsOwn: what an agent quotes of others, and of what it was told, is not
// its word, whether it speaks the protocol, prints a stream or plain text.
func TestWordOfItsOwn(t *testing.T) {
	const ours = "Write it well.\nNOT DONE: the first half\nINSIGHT: halves are small\n"
	for name, test := range map[string]struct{ says, not, insight string }{
		"quotes":     {"`NOT DONE: why`\n> NOT DONE: a\n- NOT DONE: b\n* NOT DONE: c\n  NOT DONE: d\n\"NOT DONE: e\"\nNOT DONE: why", "", ""},
		"none":       {"NOT DONE: none\n**NOT DONE: Nothing.**\nNOT DONE: N/A", "", ""},
		"the step":   {"NOT DONE: the first half\nINSIGHT: halves are small\n`INSIGHT: what`\n> DECISION: a", "", ""},
		"its own":    {"NOT DONE: the first half and more\nINSIGHT: ink dries", "the first half and more", "ink dries"},
		"emphasis":   {"**NOT DONE: the second half**\n- **INSIGHT:** ink dries", "the second half", "ink dries"},
		"said again": {"NOT DONE: no compiler", "no compiler", ""}, // as an attempt before it
		"its prompt": {"PROMPT", "", ""},
	} {
		for _, how := range []string{"plain", "stream", "protocol"} {
			t.Run(name+" "+how, func(t *testing.T) {
				cleanHome(t)
				t.Setenv("ANTHROPIC_API_KEY", key)
				var log bytes.Buffer
				w := work(t, &log)
				w.Method.Prompt, w.Feedback = ours, []string{"agent: claude failed: it said\nNOT DONE: no compiler"}
				says := test.says
				if says == "PROMPT" {
					told := fake.Install(t, "claude", fake.Turn{Say: "Done."})
					before := w
					before.RunID, before.Home, before.Feedback = "another", t.TempDir(), nil
					if _, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), before); err != nil {
						t.Fatal(err)
					}
					prompt := told.Told()[0].Prompt
					says = prompt + strings.NewReplacer("`", "", "- ", "", "> ", "", "\n  ", "\n", ": a line ", ":\n").Replace(prompt)
				}
				o, err := wordBy(t, how, says).Execute(t.Context(), w)
				var failed *agent.FailedError
				if (test.not == "") != (err == nil) || err != nil && (!errors.As(err, &failed) || failed.Said != test.not) {
					t.Errorf("error %v, want %q", err, test.not)
				}
				insights := slices.DeleteFunc([]string{test.insight}, func(s string) bool { return s == "" })
				if !slices.Equal(o.Insights, insights) || len(o.Decisions) > 0 {
					t.Errorf("insights %q, decisions %q", o.Insights, o.Decisions)
				}
			})
		}
	}
}

// wordBy is an agent that says something in one of three ways.
func wordBy(t *testing.T, how, says string) exec.Executor {
	t.Helper()
	o := agent.Options{How: agent.Headless}
	switch how {
	case "plain":
		fake.Install(t, "mine", fake.Turn{Say: says})
		o.Custom = &agent.Custom{Args: []string{"mine"}}
	case "stream":
		fake.Install(t, "claude", fake.Turn{Say: says})
	case "protocol":
		speaking(t, "claude-agent-acp", acptest.Script{Modes: []string{"default"}, Turns: []acptest.Turn{{Acts: []acptest.Act{{Say: says}}}}})
		o.How = agent.ACP
	}
	e, err := agent.New("claude", o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
