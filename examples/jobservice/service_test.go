package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
)

const letter = `schema = 1
non_goals = []
[goal]
description = "Write a letter"
[[requirements]]
id = "R1"
text = "There is a letter"
[defaults]
requirements = ["R1"]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
[[tasks]]
id = 1
description = "Write"
[[tasks.steps]]
id = 1
description = "Greet"
run = "echo Dear reader > letter.txt"
artifacts = { create = ["letter.txt"] }
postconditions = [{ kind = "file_contains", path = "letter.txt", text = "reader" }]
[[tasks.steps]]
id = 2
description = "Sign"
run = "echo Yours >> letter.txt"
artifacts = { modify = ["letter.txt"] }
postconditions = [{ kind = "file_contains", path = "letter.txt", text = "Yours" }]
`

// A house is a service and who talks to it.
type house struct {
	*testing.T
	dir string
	s   *service
	web *httptest.Server
}

func start(t *testing.T, dir string, x exec.Executor) *house {
	t.Helper()
	if x == nil {
		x = &shell.Executor{}
	}
	s, err := open(t.Context(), dir, exec.Controller{Executors: exec.Default(x), Gates: builtin.Gates()})
	if err != nil {
		t.Fatal(err)
	}
	return &house{t, dir, s, httptest.NewServer(s.handler())}
}

func (h *house) stop() {
	h.Helper()
	h.web.Close()
	if err := h.s.close(); err != nil {
		h.Error(err)
	}
}

// call sends a request, and decodes the answer into out.
func (h *house) call(status int, path string, body, out any) string {
	h.Helper()
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method, text = http.MethodPost, mustJSON(h.T, body)
	}
	r, err := http.NewRequestWithContext(h.Context(), method, h.web.URL+path, bytes.NewReader(text))
	if err != nil {
		h.Fatal(err)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer got.Body.Close()
	var all bytes.Buffer
	_, _ = all.ReadFrom(got.Body)
	if got.StatusCode != status {
		h.Fatalf("%s %s: %s, want %d: %s", method, path, got.Status, status, all.String())
	}
	if out != nil {
		if err := json.Unmarshal(all.Bytes(), out); err != nil {
			h.Fatal(err)
		}
	}
	return all.String()
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A view is how a job stands.
type view struct {
	job
	Status, Report string
}

// submit makes a job of a plan, and returns its path.
func (h *house) submit(plan string) string {
	h.Helper()
	var j job
	h.call(200, "/jobs", request{Plan: plan}, &j)
	return fmt.Sprintf("/jobs/%d", j.ID)
}

// until waits for a job to be in a state.
func (h *house) until(path string, want state) (v view) {
	h.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if h.call(200, path, nil, &v); v.State == want {
			return v
		}
	}
	h.Fatalf("the job is %s (%s), want %s\n%s", v.State, v.Says, want, v.Report)
	return v
}

// listen reads the events of a job behind one of them, and returns the number
// of the last, and what they say.
func (h *house) listen(path, after string) (last, says string) {
	h.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.web.URL+path+"/events", nil)
		if err != nil {
			h.Fatal(err)
		}
		r.Header.Set("Last-Event-ID", after)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			h.Fatal(err)
		}
		lines := bufio.NewScanner(got.Body)
		for lines.Scan() {
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				after = id
			}
			says += lines.Text() + "\n"
		}
		got.Body.Close()
		if strings.Contains(says, "event: ended") {
			return after, says
		}
	}
	h.Fatalf("no end: %s", says)
	return "", ""
}

// TestJob: a job is carried out, and everybody who listens hears all of it,
// whenever they begin.
func TestJob(t *testing.T) {
	h := start(t, t.TempDir(), nil)
	defer h.stop()
	path := h.submit(letter)
	last, live := h.listen(path, "")
	v := h.until(path, ended)
	if v.Status != "ACHIEVED" || !strings.Contains(v.Report, "2 of 2 steps") {
		t.Errorf("%s\n%s", v.Status, v.Report)
	}
	if _, again := h.listen(path, ""); strings.Count(again, "id: ") != strings.Count(live, "id: ") {
		t.Errorf("live\n%s\nand then\n%s", live, again)
	}
	if _, rest := h.listen(path, "3"); strings.Contains(rest, "id: 3\n") || !strings.Contains(rest, "id: 4\n") ||
		!strings.Contains(rest, "id: "+last+"\n") {
		t.Errorf("behind 3: %s", rest)
	}
	for says, want := range map[string]int{path: 200, "/jobs/99": 404} {
		h.call(want, says, nil, nil)
	}
	if text := h.call(422, "/jobs", request{Plan: "schema = 1\n"}, nil); !strings.Contains(text, "goal") {
		t.Errorf("a plan without a goal: %s", text)
	}
	h.call(409, path+"/abandon", request{By: "anna", Reason: "too late"}, nil)
}

// TestQuestion: a job waits for an answer, also across a restart, and goes on
// with it.
func TestQuestion(t *testing.T) {
	dir := t.TempDir()
	h := start(t, dir, nil)
	path := h.submit(strings.Replace(letter, "echo Yours >>", "false &&", 1))
	h.until(path, waiting)
	h.stop()
	h = start(t, dir, nil)
	defer h.stop()
	var open []ask.Question
	h.call(200, path+"/questions", nil, &open)
	if len(open) != 1 || open[0].Step != "1.2" {
		t.Fatalf("%+v", open)
	}
	at := path + "/questions/" + open[0].ID
	h.call(400, at, request{Choice: "perhaps", By: "anna"}, nil)
	h.call(400, path+"/questions/q99", request{Choice: "x", By: "anna"}, nil)
	h.call(200, at, request{Choice: "x", By: "anna", Reason: "it was a bad idea"}, nil)
	if v := h.until(path, ended); v.Status != "NOT_ACHIEVED" {
		t.Errorf("%s\n%s", v.Status, v.Report)
	}
	if _, says := h.listen(path, ""); !strings.Contains(says, "x by anna: it was a bad idea") {
		t.Errorf("heard\n%s", says)
	}
}

// slow carries out steps, the second only when somebody lets it.
func slow(begun, free chan struct{}) exec.Executor {
	return exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Step.Address == "1.2" {
			begun <- struct{}{}
			select {
			case <-ctx.Done():
				return exec.Outcome{}, context.Cause(ctx)
			case <-free:
			}
		}
		return (&shell.Executor{}).Execute(ctx, w)
	})
}

// TestCancelResumeAbandon: a job that was cancelled stands still until somebody
// resumes it, or ends it.
func TestCancelResumeAbandon(t *testing.T) {
	begun, free := make(chan struct{}, 9), make(chan struct{})
	h := start(t, t.TempDir(), slow(begun, free))
	defer h.stop()
	path := h.submit(letter)
	<-begun
	h.call(409, path+"/resume", request{}, nil)
	h.call(409, path+"/abandon", request{By: "anna", Reason: "now"}, nil)
	h.call(200, path+"/cancel", request{By: "anna", Reason: "the machine is needed"}, nil)
	if v := h.until(path, stopped); v.Status != "WAITING" || !strings.Contains(v.Says, "anna: the machine is needed") {
		t.Errorf("%s: %s", v.Status, v.Says)
	}
	h.call(400, path+"/cancel", request{By: "anna"}, nil)
	h.call(200, path+"/resume", request{By: "anna", Accept: []string{"model"}}, nil)
	if v := h.until(path, stopped); !strings.Contains(v.Says, `"model" did not move`) {
		t.Errorf("what did not move is accepted: %s", v.Says)
	}
	h.call(200, path+"/resume", request{}, nil)
	<-begun
	h.call(200, path+"/cancel", request{By: "anna", Reason: "again"}, nil)
	h.until(path, stopped)
	h.call(200, path+"/abandon", request{By: "anna", Reason: "nobody wants it"}, nil)
	if v := h.until(path, ended); v.Status != "NOT_ACHIEVED" || !strings.Contains(v.Report, "nobody wants it") {
		t.Errorf("%s\n%s", v.Status, v.Report)
	}
	if text, err := os.ReadFile(filepath.Join(h.dir, "1", "letter.txt")); err != nil || string(text) != "Dear reader\n" {
		t.Errorf("the letter is %q: %v", text, err)
	}
}

// TestRestart: a service that ends goes on with its jobs when it starts again,
// and whoever listens misses nothing.
func TestRestart(t *testing.T) {
	dir, begun, free := t.TempDir(), make(chan struct{}, 9), make(chan struct{})
	h := start(t, dir, slow(begun, free))
	path := h.submit(letter)
	<-begun
	h.stop()
	if _, err := h.s.submit(t.Context(), letter); err == nil {
		t.Error("a service that is closed takes a job")
	}
	close(free)
	h = start(t, dir, slow(begun, free))
	defer h.stop()
	if v := h.until(path, ended); v.Status != "ACHIEVED" {
		t.Errorf("%s\n%s", v.Status, v.Report)
	}
	if _, says := h.listen(path, ""); !strings.Contains(says, "event: cancelled") ||
		!strings.Contains(says, "by the service: it shuts down") {
		t.Errorf("heard\n%s", says)
	}
}
