package agenttest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/agent/agenttest"
)

// The tools that requests of these tests name, in the form of each API.
const (
	anthropicTools = `"tools":[{"name":"Write"},{"name":"Edit"},{"name":"Bash"}]`
	responsesTools = `"tools":[{"type":"custom","name":"apply_patch"},{"type":"function","name":"exec_command"}]`
	chatTools      = `"tools":[{"type":"function","function":{"name":"write"}},{"type":"function","function":{"name":"bash"}}]`
	geminiTools    = `"tools":[{"functionDeclarations":[{"name":"write_file"},{"name":"run_shell_command"}]}]`
)

var asks = map[string]struct{ path, body string }{
	"anthropic": {"/v1/messages?beta=true",
		`{"model":"m","stream":true,"system":"Working directory: /w\nnext",` + anthropicTools + `}`},
	"responses": {"/v1/responses",
		`{"model":"m","stream":true,"input":[{"role":"user","content":"<cwd>/w</cwd>"}],` + responsesTools + `}`},
	"chat":   {"/v1/chat/completions", `{"model":"m","stream":true,"messages":["Working directory: /w\n"],` + chatTools + `}`},
	"gemini": {"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":["**Workspace Directories:**\n  - /w\n"],` + geminiTools + `}`},
}

// ask makes a request with a key and returns the status and the text of the answer.
func ask(t *testing.T, m *agenttest.Model, api, key string) (int, string) {
	t.Helper()
	status, body, err := try(t.Context(), m, api, key)
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

func try(ctx context.Context, m *agenttest.Model, api, key string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+asks[api].path, strings.NewReader(asks[api].body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b), err
}

// TestEachAPI has a file written, a command run and something said by each API,
// with the names that the agent has for its tools.
func TestEachAPI(t *testing.T) {
	want := map[string][]string{
		"anthropic": {`"name":"Write"`, `\"file_path\":\"/w/a.txt\"`, `"stop_reason":"tool_use"`, `"input_tokens":7`},
		"responses": {`"name":"apply_patch"`, `*** Add File: /w/a.txt`, `response.completed`, `"input_tokens":7`},
		"chat":      {`"name":"write"`, `\"filePath\":\"/w/a.txt\"`, `"finish_reason":"tool_calls"`, `"prompt_tokens":7`},
		"gemini":    {`"name":"write_file"`, `"file_path":"/w/a.txt"`, `"promptTokenCount":7`},
	}
	for api, parts := range want {
		m := agenttest.Serve(t,
			agenttest.Turn{Calls: []agenttest.Call{agenttest.Write("a.txt", "one\n")}, Usage: agenttest.Usage{Input: 7, Output: 3}},
			agenttest.Do(agenttest.Shell("echo hi")), agenttest.Say("Done."))
		_, first := ask(t, m, api, m.Key)
		_, second := ask(t, m, api, m.Key)
		_, third := ask(t, m, api, m.Key)
		for _, part := range parts {
			if !strings.Contains(first, part) {
				t.Errorf("%s: no %s in\n%s", api, part, first)
			}
		}
		if !strings.Contains(second, "echo hi") || !strings.Contains(third, "Done.") {
			t.Errorf("%s: the second and third turn are\n%s\n%s", api, second, third)
		}
		asked := m.Conversation()
		if len(asked) != 3 || asked[0].API != api || asked[0].Dir != "/w" || asked[0].Model != "m" {
			t.Errorf("%s: the requests are %+v", api, asked)
		}
		for line := range strings.Lines(first) {
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "[DONE]\n" && !json.Valid([]byte(data)) {
				t.Errorf("%s: no JSON: %s", api, data)
			}
		}
	}
}

// TestAgentsWithAShellOnly has files written and edited by commands, and by
// programs of an agent that runs nothing but programs.
func TestAgentsWithAShellOnly(t *testing.T) {
	m := agenttest.Serve(t, agenttest.Do(agenttest.Edit("a.txt", "one", "two")))
	if _, body := ask(t, m, "gemini", m.Key); !strings.Contains(body, `"name":"run_shell_command"`) ||
		!strings.Contains(body, "/w/a.txt") {
		t.Errorf("no command that edits: %s", body)
	}
}

func TestKeyIsChecked(t *testing.T) {
	m := agenttest.Serve(t, agenttest.Say("Done."))
	for api := range asks {
		if status, body := ask(t, m, api, "another"); status != http.StatusUnauthorized || strings.Contains(body, "Done.") {
			t.Errorf("%s with a wrong key: %d %s", api, status, body)
		}
	}
	if len(m.Requests()) != len(asks) {
		t.Errorf("%d requests are kept, of %d", len(m.Requests()), len(asks))
	}
	if status, _ := ask(t, m, "chat", m.Key); status != http.StatusOK {
		t.Errorf("with the key: %d", status)
	}
}

func TestWhatServersDo(t *testing.T) {
	for api := range asks {
		m := agenttest.Serve(t, agenttest.Turn{Status: 429, RetryAfter: time.Minute, Say: "slow down"},
			agenttest.Turn{TooLong: true})
		if status, body := ask(t, m, api, m.Key); status != 429 || !strings.Contains(body, "slow down") {
			t.Errorf("%s: %d %s", api, status, body)
		}
		if status, _ := ask(t, m, api, m.Key); status != 400 {
			t.Errorf("%s: a context that is too long is %d", api, status)
		}
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	m := agenttest.Serve(t, agenttest.Turn{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := try(ctx, m, "anthropic", m.Key); err == nil {
		t.Error("it answered")
	}
}

func TestTurnsOfTheirOwn(t *testing.T) {
	m := agenttest.Serve(t, agenttest.Say("everybody"))
	m.When(agenttest.Speaks("gemini"), agenttest.Say("gemini alone"))
	_, a := ask(t, m, "gemini", m.Key)
	_, b := ask(t, m, "chat", m.Key)
	if !strings.Contains(a, "gemini alone") || !strings.Contains(b, "everybody") {
		t.Errorf("%s\n%s", a, b)
	}
}
