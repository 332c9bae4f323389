package agent_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
)

// secretSettings puts secrets where agents are given them other than by a key, and
// returns them.
func secretSettings(t *testing.T) []string {
	t.Helper()
	user := cleanHome(t)
	put(t, filepath.Join(user, ".claude", ".credentials.json"), `{"claudeAiOauth": {"accessToken": "`+token+`"}}`)
	put(t, filepath.Join(user, ".claude", "settings.json"), `{"env": {"ANTHROPIC_AUTH_TOKEN": "auth-of-the-settings",
		"ANTHROPIC_BASE_URL": "https://me:pass-of-the-settings@example.org"}, "model": "a-model-with-a-long-name"}`)
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Tenant: tenant-of-the-user\nProxy-Authorization: Basic bearer-of-the-user")
	t.Setenv("ANTHROPIC_BASE_URL", "https://me:pass-of%2Dthe-user@example.org/?api_key=query-of-the-user")
	return []string{token, "auth-of-the-settings", "pass-of-the-settings", "tenant-of-the-user", "bearer-of-the-user",
		"pass-of%2Dthe-user", "pass-of-the-user", "query-of-the-user"}
}

// shows reports secrets in a text that begin as they should not, and what is no
// secret and is not there.
func shows(t *testing.T, text string, secrets []string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s[:len(s)-2]) {
			t.Errorf("%q is shown in %s", s, text)
		}
	}
	if !strings.Contains(text, "a-model-with-a-long-name") || !strings.Contains(text, "[login]") {
		t.Errorf("it shows %s", text)
	}
}

// TestHiddenByProtocol: what logs an agent in stands in no error of the protocol,
// also where a message is cut in the middle of it.
func TestHiddenByProtocol(t *testing.T) {
	secrets := secretSettings(t)
	all := "fatal a-model-with-a-long-name " + strings.Join(secrets, " ")
	cut := strings.Repeat("x", 1<<10-len("a-model-with-a-long-name ")-10) // a message is cut at 1 KiB
	for name, act := range map[string]acptest.Act{
		"ends":           {Print: all + "\n", Exit: 3},
		"ends, cut":      {Print: token + cut + "\na-model-with-a-long-name " + token + "\n", Exit: 3},
		"fails":          {Fail: all},
		"fails, cut":     {Fail: "a-model-with-a-long-name " + token + " " + cut[:len(cut)-len("[login] ")] + token},
		"is no message":  {Raw: []byte(all + "\n"), Exit: 3},
		"is not text":    {Raw: []byte("a-model-with-a-long-name " + token + "\x00\n"), Exit: 3},
		"not logged in":  {Fail: "Not logged in: " + all},
		"reached limits": {Fail: "429 Too Many Requests: " + all},
	} {
		t.Run(name, func(t *testing.T) {
			speaking(t, "claude-agent-acp", acptest.Script{Modes: []string{"default"}, Turns: []acptest.Turn{{Acts: []acptest.Act{act}}}})
			e, err := agent.New("claude", agent.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			o, err := e.Execute(t.Context(), work(t, &log))
			if err == nil {
				t.Fatal("no error")
			}
			shows(t, err.Error()+log.String()+o.Output+o.Stdout, secrets)
		})
	}
}

// TestHidden is the same without the protocol.
func TestHidden(t *testing.T) {
	secrets := secretSettings(t)
	all := "a-model-with-a-long-name " + strings.Join(secrets, " ")
	for name, turn := range map[string]fake.Turn{
		"says":      {Say: all},
		"calls":     {Call: "echo a-model-with-a-long-name " + strings.Repeat("x", 30) + token, Say: token},
		"fails":     {Fail: all},
		"complains": {Stderr: token + strings.Repeat("x", 8<<10-100) + "\n" + all + "\n", Mute: true, Exit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			fake.Install(t, "claude", turn)
			var log, doing bytes.Buffer
			w := work(t, &log)
			w.Activity = func(text string) { doing.WriteString(text) }
			o, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), w)
			said := log.String() + doing.String() + o.Output + o.Stdout
			if err != nil {
				said += err.Error()
			}
			shows(t, said, secrets)
		})
	}
}

// TestHiddenSettings: settings that are no JSON are looked through too.
func TestHiddenSettings(t *testing.T) {
	user := cleanHome(t)
	t.Setenv("OPENAI_API_KEY", key)
	put(t, filepath.Join(user, ".codex", "config.toml"), "model = \"a-model-with-a-long-name\"\n"+
		"experimental_bearer_token = \"bearer-of-the-settings\"\nhttp_headers = { \"Authorization\" = 'Basic basic-of-the-settings' }\n")
	fake.Install(t, "codex", fake.Turn{Say: "a-model-with-a-long-name [login] bearer-of-the-settings basic-of-the-settings"})
	var log bytes.Buffer
	o, err := worker(t, "codex", agent.Options{}).Execute(t.Context(), work(t, &log))
	if err != nil {
		t.Fatal(err)
	}
	shows(t, log.String()+o.Stdout, []string{"bearer-of-the-settings", "basic-of-the-settings"})
}
