package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/planlock/planlock/exec/sandbox"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/plan"
)

// TestMain has the test program be a tool server too, in different states.
func TestMain(m *testing.M) {
	if os.Getenv("FAKE_SERVER") == "" {
		os.Exit(m.Run())
	}
	suite.EndAtOnce()
	switch os.Getenv("FAKE_SERVER") {
	case "dead":
		fmt.Fprintln(os.Stderr, "no licence", os.Getenv("SAYS"), strings.Repeat("x", 390), os.Getenv("SAYS"))
		os.Exit(3)
	case "garbage":
		fmt.Println("Welcome to the server!")
		time.Sleep(time.Minute)
	case "binary":
		os.Stdout.Write([]byte{0, 1, 2, 0xff, '\n'})
		time.Sleep(time.Minute)
	case "hung":
		time.Sleep(time.Minute)
	case "flood":
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	case "stubborn":
		fake("1").Run(context.Background(), &sdk.StdioTransport{})
		time.Sleep(time.Minute)
	default:
		fake(os.Getenv("FAKE_SERVER")).Run(context.Background(), &sdk.StdioTransport{})
	}
	os.Exit(0)
}

// fake is a server of a version.
func fake(version string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: version}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "says it again"},
		func(_ context.Context, _ *sdk.CallToolRequest, in in) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
		})
	said := func(text string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "write"}, func(ctx context.Context, r *sdk.CallToolRequest, in in) (*sdk.CallToolResult, any, error) {
		//lint:ignore SA1019 what servers of files ask
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "half"})
		return said("done"), nil, os.WriteFile(strings.TrimPrefix(roots.Roots[0].URI, "file://")+"/written", []byte(in.Text), 0o644)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "escape"}, func(_ context.Context, _ *sdk.CallToolRequest, in in) (*sdk.CallToolResult, any, error) {
		return said("done"), nil, os.WriteFile(in.Text, nil, 0o644)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("it cannot")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "sleep"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	if version == "more" {
		sdk.AddTool(s, &sdk.Tool{Name: "more"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{}, nil, nil
		})
	}
	return s
}

// configuredIn writes a file with a server in each state.
func configuredIn(t *testing.T, path string, states ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]any{"absent": map[string]any{"command": "no-such-program-anywhere"}}
	for _, state := range states {
		servers[state] = map[string]any{"command": self, "args": []string{"-test.run=^$"}, "env": map[string]string{"FAKE_SERVER": state}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Missing, dead, garbage and hung servers are told apart, each in its time.
func TestServersAreToldApart(t *testing.T) {
	dir := t.TempDir()
	configuredIn(t, filepath.Join(dir, ".mcp.json"), "1", "more", "dead", "garbage", "binary", "hung", "flood", "stubborn")
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.TerminateDuration = 100 * time.Millisecond
	for name, is := range map[string]string{"1": "", "more": "", "stubborn": "", "dead": mcp.Dead, "garbage": mcp.Garbage,
		"binary": mcp.Garbage, "hung": mcp.Hung, "flood": mcp.Garbage, "absent": mcp.Missing, "nowhere": mcp.Missing} {
		if s.Timeout = 30 * time.Second; is == mcp.Hung {
			s.Timeout = 500 * time.Millisecond
		}
		began := time.Now()
		version, err := s.Look(t.Context(), &plan.Plan{}, name)
		took := time.Since(began)
		var wrong *mcp.ServerError
		switch {
		case is == "" && err != nil, is != "" && (!errors.As(err, &wrong) || wrong.Is != is || wrong.Name != name):
			t.Errorf("%s: %q, %v; want %q", name, version, err, is)
		case is == "" && !strings.Contains(version, `"fake"`):
			t.Errorf("%s: %s", name, version)
		case is == mcp.Hung && took > 5*time.Second:
			t.Errorf("%s: it took %s", name, took)
		}
		t.Logf("%-9s %6d ms  %s %v", name, took.Milliseconds(), version, err)
	}
	one, _ := s.Look(t.Context(), &plan.Plan{}, "1")
	again, _ := s.Look(t.Context(), &plan.Plan{}, "1")
	more, _ := s.Look(t.Context(), &plan.Plan{}, "more")
	if one != again || one == more || strings.Contains(more, "5 tools") {
		t.Errorf("versions: %s, %s, %s", one, again, more)
	}
}

// What is of the repository has to be accepted by its digest; what a person named
// has not, and takes its place.
func TestServersOfTheRepositoryAreAccepted(t *testing.T) {
	dir := t.TempDir()
	theirs, own := filepath.Join(dir, ".mcp.json"), filepath.Join(t.TempDir(), "mine.json")
	if s, err := mcp.ReadFiles(dir); s != nil || err != nil {
		t.Fatalf("without a file: %v %v", s, err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(files ...string) *mcp.Servers {
		t.Helper()
		s, err := mcp.ReadFiles(dir, files...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write(theirs, `{"mcpServers": {"a": {"command": "evil", "args": ["--x"], "env": {"K": "${TOKEN}"}}}}`)
	first, found := read().Find("a")
	if !found || !strings.HasPrefix(first.Code, "mcp:a:") || !strings.Contains(first.Text, "evil --x") || !strings.Contains(first.Text, "K, TOKEN") {
		t.Errorf("%+v %v", first, found)
	}
	write(theirs, `{"mcpServers": {"a": {"command": "evil", "args": ["--y"]}}}`)
	if second, _ := read().Find("a"); second.Code == first.Code {
		t.Error("another command has the same code")
	}
	write(own, `{"mcpServers": {"a": {"command": "good"}}}`)
	if mine, found := read(own).Find("a"); !found || mine.Code != "" {
		t.Errorf("a person's own: %+v %v", mine, found)
	}
	if _, found := read().Find("b"); found {
		t.Error("a server that is not there was found")
	}
	for _, bad := range []string{``, `[]`, `{"mcpServers": []}`, `{"mcpServers": {"a": {}}}`, `{"mcpServers": {"a": {"command": "x", "url": "y"}}}`,
		`{"mcpServers": {"a": {"command": "x", "type": "http"}}}`, `{"mcpServers": {"a": {"url": "https://e.org", "type": "stdio"}}}`,
		`{"mcpServers": {"a:b": {"command": "x"}}}`, `{"mcpServers": {"a\n": {"command": "x"}}}`, `{"mcpServers": {"a": {"command": 7}}}`, "\xff"} {
		write(theirs, bad)
		if version, err := read().Look(t.Context(), &plan.Plan{}, "a"); err == nil {
			t.Errorf("%q: %v", bad, version)
		}
		write(own, bad)
		if s, err := mcp.ReadFiles(dir, own); err == nil {
			t.Errorf("%q: %v", bad, s.Names())
		}
	}
	if _, err := mcp.ReadFiles(t.TempDir(), "nothere.json"); err == nil {
		t.Error("a file that is not there")
	}
}

// A server that is reached by HTTP is asked as one that is started, with its
// headers, and not where the plan's sandbox has no network.
func TestServersByHTTP(t *testing.T) {
	t.Setenv("FAKE_TOKEN", "s3cret-s3cret")
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return fake("1") }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret-s3cret" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"mcpServers": {"web": {"type": "http", "url": %q, "headers": {"Authorization": "Bearer ${FAKE_TOKEN}"}}, "shut": {"url": %q}, "gone": {"url": "http://127.0.0.1:1/mcp"}}}`,
		web.URL, web.URL)
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if accept, _ := s.Find("web"); strings.Contains(accept.Text, "s3cret") || !strings.Contains(accept.Text, "FAKE_TOKEN") {
		t.Errorf("%s", accept.Text)
	}
	if version, err := s.Look(t.Context(), &plan.Plan{}, "web"); err != nil || !strings.Contains(version, "fake") {
		t.Errorf("%s %v", version, err)
	}
	no := false
	for name, p := range map[string]*plan.Plan{"web": {Sandbox: plan.Sandbox{Network: &no}}, "shut": {}, "gone": {}} {
		var wrong *mcp.ServerError
		if version, err := s.Look(t.Context(), p, name); !errors.As(err, &wrong) {
			t.Errorf("%s: %s %v", name, version, err)
		} else {
			t.Log(wrong)
		}
	}
}

// The servers that people have from npm are verified, as they are.
func TestServersOfNPM(t *testing.T) {
	dir, servers := t.TempDir(), map[string]any{}
	for name, args := range map[string][]string{"everything": nil, "filesystem": {dir}} {
		script := filepath.Join(os.Getenv("NODE_PATH"), "@modelcontextprotocol", "server-"+name, "dist", "index.js")
		if _, err := os.Stat(script); err != nil || os.Getenv("NODE_PATH") == "" {
			t.Skipf("npm install @modelcontextprotocol/server-%s into NODE_PATH", name)
		}
		servers[name] = map[string]any{"command": "node", "args": append([]string{script}, args...)}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range servers {
		version, err := s.Look(t.Context(), &plan.Plan{}, name)
		if err != nil || !strings.Contains(version, name) && name == "everything" {
			t.Errorf("%s: %s %v", name, version, err)
		}
		t.Log(version)
	}
}

// A step that is a tool call: what the tool says is the output, where it fails the
// step does, and what it does is done in the step's folder and nowhere else.
func TestExecutor(t *testing.T) {
	dir := t.TempDir()
	configuredIn(t, filepath.Join(dir, ".mcp.json"), "1", "dead", "hung")
	s, err := mcp.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.TerminateDuration = 100 * time.Millisecond
	var told []string
	call := func(ctx context.Context, run string, m exec.Method) (exec.Outcome, error) {
		folder := t.TempDir()
		commands, err := sandbox.Runner(&plan.Plan{}, folder)
		if err != nil {
			t.Fatal(err)
		}
		defer commands.Close()
		tool, args, _ := strings.Cut(run, " ")
		step := &plan.Step{Address: "1.1", Tool: tool, Backups: []plan.Backup{{Tool: "dead.echo"}, {Tool: "hung.echo"}}}
		if m.Tool == "" {
			m.Tool, m.ToolArgs = tool, []string{cmp.Or(args, "{}")}
		}
		o, err := s.Executor().Execute(ctx, exec.Work{Step: step, Method: m, Dir: folder, Runner: commands, Output: io.Discard,
			Activity: func(text string) { told = append(told, text) }})
		if text, readErr := os.ReadFile(filepath.Join(folder, "written")); readErr == nil {
			o.Output += "|" + string(text)
		}
		return o, err
	}
	for run, want := range map[string]string{
		`1.echo {"text": "hello"}`: "hello", `1.write {"text": "kept"}`: "done|kept",
		`1.echo`: `!it needs an argument "text"`, `1.nothere`: `!no such tool; it has "echo"`, `1.fail`: "!it cannot",
		`1.echo {"text": 7}`: `!argument "text" is to be string`, `1.echo {"text": "a", "more": 1}`: `!takes no argument "more"; it takes text`, `1.echo [1]`: "!is not NAME=VALUE", `1.echo {"text":`: "!no JSON object",
		`1`: "!names no tool", `absent.x`: "!is missing", `dead.x`: "!is dead", `outside.x`: "!is missing",
		`1.escape {"text": "` + dir + `/escaped"}`: "!",
	} {
		o, err := call(t.Context(), run, exec.Method{ID: "primary"})
		if fails, failed := strings.CutPrefix(want, "!"); failed != (err != nil) || !failed && o.Output != want ||
			failed && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: %q %v, want %q", run, o.Output, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "escaped")); err == nil {
		t.Error("the server wrote outside of the step's folder")
	}
	if len(told) == 0 || !strings.Contains(told[0], "half") {
		t.Errorf("what it is at: %q", told)
	}
	if o, err := call(t.Context(), `1.echo {}`, exec.Method{ID: "backup_1", Tool: "dead.echo", ToolArgs: []string{"text=a"}}); err == nil {
		t.Errorf("a backup whose server is dead: %v", o)
	}
	// A patch that reaches for a server that the plan does not name is refused.
	if o, err := call(t.Context(), `1.echo {}`, exec.Method{ID: "primary", Tool: "more.echo"}); err == nil || !strings.Contains(err.Error(), "does not name") {
		t.Errorf("another server: %v %v", o, err)
	}
	for _, run := range []string{"1.sleep", "hung.x"} {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		began := time.Now()
		if o, err := call(ctx, run, exec.Method{ID: "primary"}); err == nil || time.Since(began) > 8*time.Second {
			t.Errorf("%s: %v %v after %s", run, o, err, time.Since(began))
		} else {
			t.Log(err)
		}
		cancel()
	}
}
