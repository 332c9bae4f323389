package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asking is a plan whose step 1.1 changes more than it declares, so that a
// person is asked.
const asking = `schema = 1
non_goals = []

[goal]
description = "Ask before going on"

[[requirements]]
id = "R1"
text = "There is a file"

[defaults]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
requirements = ["R1"]
limits = { max_files = 2, max_lines = 10 }

[[tasks]]
id = 1
description = "Ask"

  [[tasks.steps]]
  id = 1
  description = "Change more than declared"
  run = "echo a > a.txt; echo b > b.txt"
  artifacts = { create = ["a.txt"] }
  postconditions = [{ kind = "file_contains", path = "a.txt", matches = "." }]
  critical_flag = false

[[tasks]]
id = 2
description = "Go on"

  [[tasks.steps]]
  id = 1
  description = "Change what is declared"
  run = "echo c > c.txt"
  artifacts = { create = ["c.txt"] }
  postconditions = [{ kind = "file_contains", path = "c.txt", matches = "." }]
`

// sending is a plan that a person has to accept.
func sending() string {
	return strings.NewReplacer(`"echo a > a.txt; echo b > b.txt"`, `"echo a > a.txt"`,
		"  critical_flag = false\n", "  rollback = \"irreversible\"\n  on_failure = \"block\"\n").Replace(asking)
}

// sleeping is a plan whose second step never ends.
func sleeping() string {
	return strings.NewReplacer("; echo b > b.txt", "", "echo c > c.txt", "echo c > c.txt; exec sleep 600").Replace(asking)
}

// An agent is a client of planlock mcp, in a workspace with these plans.
type agent struct {
	t       *testing.T
	dir     string
	server  *exec.Cmd
	stderr  bytes.Buffer
	session *sdk.ClientSession

	mu       sync.Mutex
	progress []string
	asked    []*sdk.ElicitParams
}

// workspaceOf makes a workspace with plans, and keeps the state of the user
// elsewhere.
func workspaceOf(t *testing.T, plans map[string]string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the plans need sh")
	}
	t.Setenv("PLANLOCK_STATE", t.TempDir())
	t.Setenv("USER", "alice")
	dir := t.TempDir()
	for name, text := range plans {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// newAgent starts planlock mcp. person fills in what it is asked; nil: the client
// has nobody to be asked.
func newAgent(t *testing.T, dir string, person func(*sdk.ElicitParams) *sdk.ElicitResult, flags ...string) *agent {
	t.Helper()
	a := &agent{t: t, dir: dir}
	a.server = exec.Command("planlock", append([]string{"mcp", "--dir", dir}, flags...)...)
	a.server.Stderr = &a.stderr
	options := &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.progress = append(a.progress, r.Params.Message)
		},
	}
	if person != nil {
		options.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			a.mu.Lock()
			a.asked = append(a.asked, r.Params)
			a.mu.Unlock()
			return person(r.Params), nil
		}
	}
	var err error
	a.session, err = sdk.NewClient(&sdk.Implementation{Name: "test-client", Version: "1"}, options).Connect(t.Context(),
		&sdk.CommandTransport{Command: a.server, TerminateDuration: 10 * time.Second}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, a.stderr.Bytes())
	}
	t.Cleanup(func() { a.session.Close() })
	return a
}

// call calls a tool and returns its document and its text.
func (a *agent) call(tool string, args map[string]any) (doc map[string]any, text string, failed bool) {
	a.t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("t-" + tool)
	r, err := a.session.CallTool(a.t.Context(), p)
	if err != nil {
		a.t.Fatalf("%s %v: %v\n%s", tool, args, err, a.stderr.Bytes())
	}
	doc, _ = r.StructuredContent.(map[string]any)
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text += t.Text + "\n"
		}
	}
	return doc, text, r.IsError
}

// at is a value in a document, by its path, as in "questions.0.id".
func valueAt(doc any, path string) string {
	for _, name := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(v) {
				return ""
			}
			doc = v[i]
		}
	}
	return fmt.Sprint(doc)
}

// A client without a person: check, lock, run, question, answer, report. What a
// person has to decide waits, and no argument of any tool can decide it.
func TestMCPWithoutAPerson(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": asking, "bad.toml": "schema = 1\n", "send.toml": sending(),
		"loose.toml": "sandbox.level = \"none\"\n" + asking})
	a := newAgent(t, dir, nil)
	listed, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		schema, _ := json.Marshal(tool.InputSchema)
		for _, never := range []string{"ack", "choice", "accept", "reason", "executor", "dir", "sandbox"} {
			if strings.Contains(string(schema), `"`+never) {
				t.Errorf("tool %s lets the agent say %s: %s", tool.Name, never, schema)
			}
		}
	}
	doc, _, failed := a.call("check", map[string]any{"path": "bad.toml"})
	if failed || valueAt(doc, "schema") != "planlock.check/1" || valueAt(doc, "counts.errors") == "0" {
		t.Errorf("check of a bad plan: failed %v, %v", failed, doc)
	}
	doc, _, failed = a.call("check", map[string]any{"path": "plan.toml"})
	if failed || valueAt(doc, "counts.errors") != "0" || valueAt(doc, "plan.goal") != "Ask before going on" {
		t.Errorf("check: failed %v, %v", failed, doc)
	}
	want := command(t, dir, 0, "check", "plan.toml", "--format", "json", "--dir", ".")
	if got, _ := json.Marshal(doc["plan"]); !strings.Contains(want, valueAt(doc, "plan.digest")) || len(got) < 100 {
		t.Errorf("the document is not that of the command: %s\n%s", got, want)
	}

	doc, text, failed := a.call("lock", map[string]any{"path": "send.toml"})
	if !failed || valueAt(doc, "exit") != "4" || valueAt(doc, "missing.0.code") != "irreversible:1.1" ||
		!strings.Contains(text, "planlock lock") || !strings.Contains(text, "--ack irreversible:1.1") {
		t.Errorf("lock without a person: %v\n%s", doc, text)
	}
	if doc, text, failed = a.call("run", map[string]any{"path": "send.toml"}); !failed || valueAt(doc, "exit") != "4" {
		t.Errorf("run of what nobody accepted: %v\n%s", doc, text)
	}

	if doc, text, failed = a.call("run", map[string]any{"path": "loose.toml"}); !failed || valueAt(doc, "exit") != "4" ||
		!strings.Contains(text, "sandbox:level") {
		t.Errorf("run of a plan that chooses its sandbox: %v\n%s", doc, text)
	}
	if doc, text, failed = a.call("lock", map[string]any{"path": "loose.toml"}); !failed ||
		valueAt(doc, "missing.0.code") != "sandbox:level" || !strings.Contains(text, "--ack sandbox:level") {
		t.Errorf("lock of a plan that chooses its sandbox: %v\n%s", doc, text)
	}

	doc, text, failed = a.call("run", map[string]any{"path": "plan.toml"})
	run := valueAt(doc, "run")
	if failed || valueAt(doc, "exit") != "5" || valueAt(doc, "questions.0.id") != "q1" ||
		!strings.Contains(text, "planlock answer "+run+" q1") {
		t.Fatalf("run: %v\n%s", doc, text)
	}
	if all := strings.Join(a.progress, "\n"); !strings.Contains(all, "1.1") {
		t.Errorf("it was not told how the run goes: %q", all)
	}
	doc, _, _ = a.call("answer", map[string]any{})
	if valueAt(doc, "status") != "waiting" || !strings.Contains(valueAt(doc, "type"), "planlock answer "+run+" q1") {
		t.Errorf("answer: %v", doc)
	}
	for _, args := range []map[string]any{{"choice": "k"}, {"question": "q1", "acknowledge": "skip 1.1"}, {"run": "--ack=x"}} {
		if doc, text, failed = a.call("answer", args); !failed {
			t.Errorf("answer %v: %v\n%s", args, doc, text)
		}
	}
	if doc, _, _ = a.call("run", map[string]any{"run": run}); valueAt(doc, "exit") != "5" {
		t.Errorf("it went on without an answer: %v", doc)
	}
	command(t, dir, 0, "answer", "q1", "k", "--ack", "skip 1.1")
	if doc, _, _ = a.call("answer", map[string]any{}); valueAt(doc, "status") != "answered" {
		t.Errorf("answer: %v", doc)
	}
	doc, text, failed = a.call("run", map[string]any{"run": run})
	if failed || valueAt(doc, "exit") != "3" || valueAt(doc, "status") != "PARTIAL" {
		t.Fatalf("the run that went on: %v\n%s", doc, text)
	}
	for tool, args := range map[string]map[string]any{"status": nil, "report": {"run": run}, "verify": nil,
		"diff": {"step": "2.1"}} {
		if doc, text, failed = a.call(tool, args); failed || valueAt(doc, "run") != run {
			if tool != "report" || failed {
				t.Errorf("%s: %v\n%s", tool, doc, text)
			}
		}
	}
	resources, err := a.session.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 1 {
		t.Fatalf("resources: %v %v", resources, err)
	}
	for _, uri := range []string{resources.Resources[0].URI, "planlock://runs/" + run + "/report.json"} {
		read, err := a.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(read.Contents[0].Text, "PARTIAL") {
			t.Errorf("%s: %v %v", uri, read, err)
		}
	}
	for _, uri := range []string{"planlock://runs/../report.md", "planlock://runs/nothere/report.md", "file:///etc/passwd"} {
		if read, err := a.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, read)
		}
	}
}

// command runs planlock as a person would.
func command(t *testing.T, dir string, status int, args ...string) string {
	t.Helper()
	c := exec.Command("planlock", args...)
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run()
	if c.ProcessState.ExitCode() != status {
		t.Fatalf("planlock %q: status %d\n%s%s", args, c.ProcessState.ExitCode(), out.Bytes(), errs.Bytes())
	}
	return out.String()
}

// The person at the client accepts and answers, in forms; what the person does
// not want is not done.
func TestMCPAsksThePerson(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": asking, "send.toml": sending()})
	accepts, answers := false, 0
	a := newAgent(t, dir, func(p *sdk.ElicitParams) *sdk.ElicitResult {
		if strings.Contains(p.Message, "irreversible:1.1") {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"accept_1": accepts}}
		}
		switch answers++; answers {
		case 1:
			return &sdk.ElicitResult{Action: "decline"}
		case 2: // without the words
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"choice": "k"}}
		}
		return &sdk.ElicitResult{Action: "accept",
			Content: map[string]any{"choice": "k", "acknowledge": "skip 1.1", "reason": "not needed"}}
	})
	if doc, text, failed := a.call("lock", map[string]any{"path": "send.toml"}); !failed {
		t.Errorf("lock of what was not accepted: %v\n%s", doc, text)
	}
	accepts = true
	doc, text, failed := a.call("lock", map[string]any{"path": "send.toml"})
	if failed || valueAt(doc, "accepted.0") != "irreversible:1.1" ||
		valueAt(doc, "lock_file") != filepath.Join(dir, "send.lock.json") {
		t.Fatalf("lock: %v\n%s", doc, text)
	}
	doc, text, _ = a.call("run", map[string]any{"path": "plan.toml"})
	run := valueAt(doc, "run")
	if valueAt(doc, "exit") != "5" || valueAt(doc, "questions.0.id") != "q1" {
		t.Fatalf("run whose question was declined: %v\n%s", doc, text)
	}
	doc, text, _ = a.call("answer", nil)
	if valueAt(doc, "status") != "answered" || valueAt(doc, "by") != `alice (by "test-client")` {
		t.Fatalf("answer: %v\n%s", doc, text)
	}
	if last := a.asked[len(a.asked)-1]; !strings.Contains(last.Message, "did not count") ||
		!strings.Contains(last.Message, "b.txt") {
		t.Errorf("the last form says %q", last.Message)
	}
	if doc, text, _ = a.call("run", map[string]any{"run": run}); valueAt(doc, "status") != "PARTIAL" {
		t.Fatalf("the run that went on: %v\n%s", doc, text)
	}
	said := command(t, dir, 0, "log", "--type", "answered", "--format", "jsonl")
	if !strings.Contains(said, `"choice":"k"`) || !strings.Contains(said, "test-client") {
		t.Errorf("the journal says %s", said)
	}
}

// Nothing but the workspace is read, however it is named.
func TestMCPStaysInside(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": asking})
	outside := t.TempDir()
	secret := filepath.Join(outside, "plan.toml")
	if err := os.WriteFile(secret, []byte("topsecret = "), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.toml": secret, "folder": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "pair"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "pair", "plan.toml")); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, dir, nil)
	for _, path := range []string{"../" + filepath.Base(outside) + "/plan.toml", secret, "link.toml", "folder/plan.toml", "folder",
		"pair", "/etc/passwd", "nothere", "a\x00b", "-", "--help"} {
		for _, tool := range []string{"check", "lock", "run"} {
			doc, text, failed := a.call(tool, map[string]any{"path": path})
			if (!failed && tool != "check") || strings.Contains(fmt.Sprint(doc, text), "topsecret") ||
				valueAt(doc, "counts.errors") == "0" {
				t.Errorf("%s %q: %v\n%s", tool, path, doc, text)
			}
		}
	}
	if doc, text, failed := a.call("check", map[string]any{"path": filepath.Join(dir, "plan.toml")}); failed {
		t.Errorf("its own path from the root: %v\n%s", doc, text)
	}
	// What the agent settles since the server began, counts for nobody.
	if err := os.WriteFile(filepath.Join(dir, "planlock.toml"), []byte("mode = \"of the agent\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if doc, text, failed := a.call("lock", map[string]any{"path": "plan.toml"}); failed {
		t.Errorf("lock beside a configuration of the agent: %v\n%s", doc, text)
	}
	if said, err := exec.Command("planlock", "lock", "--dir", dir, filepath.Join(dir, "plan.toml"), "-o",
		filepath.Join(t.TempDir(), "l")).CombinedOutput(); err == nil {
		t.Errorf("the configuration settles nothing for people: %s", said)
	}
}

// A run goes on in the server: a call can leave it, status can wait for it, one
// that is taken back interrupts it, and so does a client that goes away.
func TestMCPInterrupted(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": sleeping()})
	a := newAgent(t, dir, nil)
	doc, text, failed := a.call("run", map[string]any{"path": "plan.toml", "wait_seconds": 0})
	if failed || valueAt(doc, "status") != "running" {
		t.Fatalf("run that is left: %v\n%s", doc, text)
	}
	if doc, text, failed = a.call("run", map[string]any{"path": "plan.toml"}); !failed {
		t.Errorf("a second run: %v\n%s", doc, text)
	}
	under := func() bool {
		doc, _, _ := a.call("status", map[string]any{"wait_seconds": 0.05})
		return valueAt(doc, "at_work.0.step") == "2.1"
	}
	eventually(t, under)
	if err := a.session.Close(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, a.stderr.Bytes())
	}
	if said := command(t, dir, 0, "status"); !strings.Contains(said, "which has gone away") {
		t.Errorf("status after the client went away: %s", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.txt")); err == nil {
		t.Error("half a step is left")
	}

	a = newAgent(t, dir, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.session.CallTool(ctx, &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"run": ""}})
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	run := valueAt(first(a.call("status", nil)), "run")
	go func() {
		_, err := a.session.CallTool(ctx, &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"run": run}})
		done <- err
	}()
	eventually(t, func() bool { return under() && !strings.Contains(command(t, dir, 0, "status"), "stopped") })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was taken back: %v", err)
	}
	eventually(t, func() bool {
		doc, _, _ := a.call("status", map[string]any{"run": run})
		return valueAt(doc, "at_work.0.step") != "2.1" || strings.Contains(command(t, dir, 0, "status"), "which took its call back")
	})
	if err := a.server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = a.session.Wait() // until the server ends: who closes its input first ends it otherwise
	if err := a.session.Close(); a.server.ProcessState.ExitCode() != 130 {
		t.Errorf("the server that was interrupted: %v\n%s", err, a.stderr.Bytes())
	}
}

func first(doc map[string]any, _ string, _ bool) map[string]any { return doc }

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to that")
		}
	}
}

// What is no protocol ends the server, which says so; a flood is served.
func TestMCPHostileClients(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": asking})
	for name, sent := range map[string]string{
		"garbage":     "\x00\x01garbage\n",
		"not JSON":    "{\"jsonrpc\": \"2.0\",\n\n}}}}\n",
		"too long":    `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}` + "\n",
		"no protocol": "[1,2,3]\n",
		"nothing":     "",
	} {
		c := exec.Command("planlock", "mcp", "--dir", dir)
		var errs bytes.Buffer
		c.Stdin, c.Stderr, c.Stdout = strings.NewReader(sent), &errs, io.Discard
		done := make(chan error, 1)
		go func() { done <- c.Run() }()
		select {
		case err := <-done:
			if (err == nil) != (sent == "") || strings.Contains(errs.String(), "panic") {
				t.Errorf("%s: %v\n%s", name, err, errs.Bytes())
			}
		case <-time.After(30 * time.Second):
			c.Process.Kill()
			t.Fatalf("%s: the server does not end\n%s", name, errs.Bytes())
		}
	}
	a := newAgent(t, dir, nil)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			r, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "check",
				Arguments: map[string]any{"path": "plan.toml"}})
			if err != nil || r.IsError {
				t.Errorf("in a flood: %v %v", r, err)
			}
		})
	}
	wg.Wait()
	for _, args := range []any{map[string]any{"path": 7}, map[string]any{"path": "plan.toml", "more": true},
		[]int{1}, "x", nil} {
		r, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "check", Arguments: args})
		if err == nil && !r.IsError {
			t.Errorf("check %v: %v", args, r)
		}
	}
	if _, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "rollback",
		Arguments: map[string]any{}}); err == nil {
		t.Error("a tool that is not there was called")
	}
}

// A client that goes away in the middle of a call has interrupted the run, and
// the server ends.
func TestMCPClientGoesAway(t *testing.T) {
	dir := workspaceOf(t, map[string]string{"plan.toml": sleeping()})
	c := exec.Command("planlock", "mcp", "--dir", dir)
	var errs bytes.Buffer
	c.Stdout, c.Stderr = io.Discard, &errs
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"path":"plan.toml"}}}`)
	eventually(t, func() bool {
		said, _ := exec.Command("planlock", "status", "--dir", dir, "--format", "json").Output()
		return strings.Contains(string(said), `"step": "2.1"`)
	})
	in.Close()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%v\n%s", err, errs.Bytes())
		}
	case <-time.After(30 * time.Second):
		c.Process.Kill()
		t.Fatal("the server does not end")
	}
	if said := command(t, dir, 0, "status"); !strings.Contains(said, "stopped by the agent's client, which has gone away") {
		t.Errorf("status after the client went away: %s", said)
	}
}
