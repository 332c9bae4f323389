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

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/plan"
)

// Whatever a server says of itself, of its tools and of what went wrong holds no
// value of a variable that its entry names, and no part of one.
func TestServersTellNoValues(t *testing.T) {
	const path, query, header = "path-of-the-user", "query/of+the-user", "header-of-the-user"
	t.Setenv("FAKE_PATH", path)
	t.Setenv("FAKE_QUERY", query)
	t.Setenv("FAKE_TENANT", header)
	all := strings.Join([]string{path, query, header, "query%2Fof%2Bthe-user"}, " ")
	talkative := sdk.NewServer(&sdk.Implementation{Name: "fake " + all, Version: strings.Repeat("1", 90) + path},
		&sdk.ServerOptions{Instructions: all})
	none := func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New(all)
	}
	sdk.AddTool(talkative, &sdk.Tool{Name: "fail", Description: all}, none)
	sdk.AddTool(talkative, &sdk.Tool{Name: strings.Repeat("x", 50) + path}, none)
	speaks := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return talkative }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/page") {
			_, _ = io.WriteString(w, "<html>"+all)
			return
		}
		speaks.ServeHTTP(w, r)
	}))
	defer web.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at := "/${FAKE_PATH}?q=${FAKE_QUERY}"
	servers := map[string]any{"page": map[string]any{"url": web.URL + "/page" + at},
		"gone": map[string]any{"url": "http://127.0.0.1:1" + at},
		"good": map[string]any{"url": web.URL + at, "headers": map[string]string{"Tenant": "${FAKE_TENANT}"}},
		"dead": map[string]any{"command": self, "args": []string{"-test.run=^$", "${FAKE_PATH}"},
			"env": map[string]string{"FAKE_SERVER": "dead", "SAYS": "${FAKE_QUERY} ${FAKE_TENANT} ${FAKE_PATH}"}}}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	dir := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ".mcp.json"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	hidden := func(text string) {
		t.Helper()
		for _, value := range []string{path, query, header, "2Fof%2Bthe", "of+the-user"} {
			if strings.Contains(text, value[:min(len(value), 8)]) {
				t.Errorf("%q is shown in %s", value, text)
			}
		}
	}
	for name := range servers {
		version, err := s.Look(t.Context(), &plan.Plan{}, name)
		if name == "good" && (err != nil || !strings.Contains(version, `"fake [FAKE_PATH] [FAKE_QUERY] [FAKE_TENANT] [FAKE_QUERY]"`)) ||
			name != "good" && err == nil {
			t.Errorf("%s: %s, %v", name, version, err)
		}
		if hidden(version); err != nil {
			hidden(err.Error())
		}
	}
	for _, tool := range []string{"good.fail", "good.absent"} {
		o, err := s.Executor().Execute(t.Context(), exec.Work{Step: &plan.Step{Address: "1.1", Tool: tool}, Dir: t.TempDir(),
			Method: exec.Method{ID: "primary", Tool: tool, ToolArgs: []string{"{}"}}, Runner: nobody{}, Output: io.Discard})
		if err == nil {
			t.Fatalf("%s: %q", tool, o.Output)
		}
		hidden(o.Output + err.Error())
	}
}
