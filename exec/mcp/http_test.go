package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Servers that are reached by HTTP are called by steps, and what is wrong with
// one is told apart; its headers reach nobody else and stand in no message.
func TestStepsCallByHTTP(t *testing.T) {
	const token = "s3cret-s3cret"
	t.Setenv("FAKE_TOKEN", token)
	good := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return fake("1") }, nil)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request went elsewhere: %s %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	stop := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		good.ServeHTTP(w, r)
	})
	mux.HandleFunc("/hung", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>"+token) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, token, http.StatusBadGateway) })
	mux.HandleFunc("/flood", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for block := make([]byte, 1<<20); r.Context().Err() == nil; {
			_, _ = w.Write(block)
		}
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	defer close(stop)
	servers := map[string]any{"bad": map[string]any{"url": "no address"}, "gone": map[string]any{"url": "http://127.0.0.1:1/"}}
	for _, name := range []string{"good", "hung", "page", "broken", "moved", "flood", "nothing"} {
		servers[name] = map[string]any{"url": web.URL + "/" + name, "headers": map[string]string{"Authorization": "Bearer ${FAKE_TOKEN}"}}
	}
	servers["shut"] = map[string]any{"url": web.URL + "/good"}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, is := range map[string]string{"good": "", "hung": mcp.Hung, "page": mcp.Garbage, "broken": mcp.Dead, "moved": mcp.Refused, "flood": mcp.Garbage,
		"nothing": mcp.Missing, "gone": mcp.Missing, "bad": mcp.Missing, "shut": mcp.Refused} {
		if s.Timeout = 20 * time.Second; is == mcp.Hung {
			s.Timeout = 200 * time.Millisecond
		}
		var wrong *mcp.ServerError
		_, err := s.Look(t.Context(), &plan.Plan{}, name)
		if is == "" && err != nil || is != "" && (!errors.As(err, &wrong) || wrong.Is != is || strings.Contains(err.Error(), token)) {
			t.Errorf("%s: %v, want %q", name, err, is)
		}
	}
	call := func(tool, args string, in plan.Sandbox) (exec.Outcome, error) {
		return s.Executor().Execute(t.Context(), exec.Work{Step: &plan.Step{Address: "1.1", Tool: tool}, Sandbox: in, Dir: t.TempDir(),
			Method: exec.Method{ID: "primary", Tool: tool, ToolArgs: []string{args}}, Runner: nobody{}, Output: io.Discard})
	}
	if o, err := call("good.echo", `{"text": "it is `+token+`"}`, plan.Sandbox{}); err != nil || o.Output != "it is [FAKE_TOKEN]" {
		t.Errorf("%q %v", o.Output, err)
	}
	if o, err := call("good.echo", `text=plain`, plan.Sandbox{}); err != nil || o.Output != "plain" {
		t.Errorf("%q %v", o.Output, err)
	}
	if o, err := call("good.echo", `{"text": "a"}`, plan.Sandbox{Level: "strict"}); err == nil {
		t.Errorf("without a network: %q", o.Output)
	}
	// Before a run begins its calls are held against the tools.
	for tool, want := range map[string]string{"good.echo": `step 1.1 cannot call good.echo: it needs an argument "text"`,
		"good.more": "its server has no such tool", "other.tool": ""} {
		p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{{ID: "1", Address: "1.1", Tool: tool}}}}}
		version, err := s.Look(t.Context(), p, "good")
		if !strings.Contains(version, `"fake"`) {
			t.Errorf("%s: it is there, and which is %q", tool, version)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// nobody runs no programs.
type nobody struct{}

func (nobody) Run(context.Context, gate.Command) (gate.CommandResult, error) {
	return gate.CommandResult{}, errors.New("a program was run")
}
