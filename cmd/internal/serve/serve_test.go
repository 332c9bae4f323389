package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// nasty is what no page may take for markup, nor for a direction of writing.
const nasty = `<script>alert(1)</script>\"><img src=x onerror=y>\u202Ereversed\u0007`

// asking is a plan whose step 1.1 changes more than it declares, so that a
// person is asked.
const asking = `schema = 1
non_goals = []

[goal]
description = "Ask ` + nasty + `"

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
description = "Task ` + nasty + `"

  [[tasks.steps]]
  id = 1
  description = "Step ` + nasty + `"
  run = "write a.txt"
  artifacts = { create = ["a.txt"] }
  postconditions = [{ kind = "file_contains", path = "a.txt", matches = "." }]
`

// A visit is what a person with a browser sees of a server.
type visit struct {
	t      *testing.T
	server *httptest.Server
	door   *door
	client *http.Client
	bench  *exectest.Bench
	folder *escalator.Folder
}

// visiting starts a server of a bench's workspace, and comes in.
func visiting(t *testing.T, b *exectest.Bench) *visit {
	t.Helper()
	ws := exec.Workspace{Dir: b.Dir}
	v := &visit{t: t, bench: b, folder: &escalator.Folder{Dir: ws.QuestionDir()}}
	s := &Server{Workspace: ws, By: "ana", Now: time.Now,
		Say: func(*history.Run) action.Speller { return nil },
		Answer: func(ctx context.Context, _ *history.Run, q ask.Question, a ask.Answer) error {
			if err := q.Check(a); err != nil {
				return err
			}
			if _, err := v.folder.Ask(ctx, q); !errors.Is(err, ask.ErrLater) {
				return &ask.RefusedError{Question: q.ID, Why: "answered already"}
			}
			return v.folder.Answer(a)
		}}
	v.door = newDoor("127.0.0.1", "1")
	v.server = httptest.NewServer(s.handler(v.door))
	t.Cleanup(v.server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.client = &http.Client{Jar: jar, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	v.get("/?token="+v.door.token, http.StatusOK)
	return v
}

// do asks for a page, which must be answered with a status.
func (v *visit) do(r *http.Request, want int) (string, http.Header) {
	v.t.Helper()
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		v.t.Fatalf("%s %s: status %d, want %d: %v\n%s", r.Method, r.URL, answer.StatusCode, want, err, text)
	}
	return string(text), answer.Header
}

func (v *visit) request(method, path, body string) *http.Request {
	v.t.Helper()
	r, err := http.NewRequest(method, v.server.URL+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	return r
}

func (v *visit) get(path string, want int) string {
	v.t.Helper()
	text, _ := v.do(v.request("GET", path, ""), want)
	return text
}

// fields are what the form of a page sends besides what is typed.
func fields(page string) url.Values {
	all := url.Values{}
	for _, m := range regexp.MustCompile(`type="hidden" name="([a-z]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		all.Set(m[1], m[2])
	}
	return all
}

func (v *visit) post(path string, form url.Values, want int) string {
	v.t.Helper()
	r := v.request("POST", path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text, _ := v.do(r, want)
	return text
}

// waiting is a run that waits for an answer.
func waiting(t *testing.T) (v *visit, run string) {
	t.Helper()
	b := exectest.New(t, asking, nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		err := os.WriteFile(filepath.Join(w.Dir, "a.txt"), []byte("a\n"), 0o644)
		return exec.Outcome{Output: "\x1b[2J<b>"}, errors.Join(err, os.WriteFile(filepath.Join(w.Dir, "b.txt"), nil, 0o644))
	}))
	b.Controller.Escalator = &escalator.Folder{Dir: exec.Workspace{Dir: b.Dir}.QuestionDir()}
	r := b.Run(t)
	if !errors.Is(r.Err, exec.ErrWaiting) {
		t.Fatalf("the run ended with %v", r.Err)
	}
	return visiting(t, b), r.Run.Started.Run
}

func TestTheDoor(t *testing.T) {
	v, run := waiting(t)
	stranger := &visit{t: t, server: v.server, client: &http.Client{}}
	for _, path := range []string{"/", "/runs/" + run, "/live.js", "/style.css", "/runs/" + run + "/changes", "/?token=", "/?token=" + v.door.derive("cookie"), "/nothing"} {
		if page := stranger.get(path, http.StatusForbidden); strings.Contains(page, run) {
			t.Errorf("%s tells a stranger of the run", path)
		}
	}
	forged := stranger.request("GET", "/", "")
	forged.AddCookie(&http.Cookie{Name: v.door.cookie, Value: v.door.token})
	stranger.do(forged, http.StatusForbidden)

	_, header := stranger.do(stranger.request("GET", "/runs/"+run+"?token="+v.door.token, ""), http.StatusOK)
	if c := header.Get("Set-Cookie"); !strings.Contains(c, "HttpOnly") || !strings.Contains(c, "SameSite=Strict") {
		t.Errorf("the cookie is %q", c)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
		strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
	for host, want := range map[string]int{"evil.example": 421, "127.0.0.1.evil.example:1": 421, "localhost:9": 200,
		"[::1]:4": 200, "192.0.2.1": 200, "": 200} {
		r := v.request("GET", "/", "")
		r.Host = host
		r.AddCookie(&http.Cookie{Name: v.door.cookie, Value: v.door.derive("cookie")})
		v.do(r, want)
	}
	named := newDoor("build-box", "1")
	if !named.knows("build-box:1") || named.knows("other-box:1") || newDoor("", "1").knows("") {
		t.Error("a server must go by the name that it was told to listen at, and by no other")
	}
}

func TestAnswers(t *testing.T) {
	v, run := waiting(t)
	at := "/runs/" + run
	page := v.get(at, http.StatusOK)
	form := fields(page)
	form.Set("choice", "k")
	form.Set("acknowledged", "skip 1.1")
	form.Set("reason", "not <needed>")
	without := func(name, value string) url.Values {
		f := url.Values{}
		for k := range form {
			f.Set(k, form.Get(k))
		}
		f.Set(name, value)
		return f
	}
	for _, c := range []struct {
		name, value string
		status      int
		says        string
	}{
		{"csrf", "", 403, "not from a page of this server"},
		{"csrf", v.door.derive("answer other"), 403, "not from a page of this server"},
		{"question", "q9", 422, "does not ask that any more"},
		{"asked", "1", 422, "put anew"},
		{"choice", "", 422, "Choose one"},
		{"choice", "zz", 422, "does not count"},
		{"acknowledged", "Skip 1.1", 422, "does not count"},
		{"reason", strings.Repeat("a", mostAnswer), 400, "too long"},
	} {
		said := v.post(at, without(c.name, c.value), c.status)
		if !strings.Contains(said, c.says) {
			t.Errorf("%s=%.20q: the page does not say %q", c.name, c.value, c.says)
		}
		if c.status == 422 && c.name != "question" && !strings.Contains(said, ">not &lt;needed&gt;</textarea>") {
			t.Errorf("%s=%.20q: what was typed is lost", c.name, c.value)
		}
	}
	r := v.request("POST", at, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	v.do(r, http.StatusForbidden)

	question := func() ask.Question {
		r, err := exec.Workspace{Dir: v.bench.Dir}.History(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		return *r.Questions()[0]
	}()
	if _, err := v.folder.Given(question); !errors.Is(err, ask.ErrLater) {
		t.Fatalf("an answer lies there that nobody gave: %v", err)
	}
	v.post(at, form, http.StatusSeeOther)
	a, err := v.folder.Given(question)
	if err != nil || a.Choice != "k" || a.By != "ana" || a.Reason != "not <needed>" {
		t.Fatalf("the answer is %+v, %v", a, err)
	}
	if page := v.get(at, http.StatusOK); !strings.Contains(page, "Answered: k (") || strings.Contains(page, "<form") {
		t.Error("the page still asks what is answered")
	}
	v.post(at, form, http.StatusUnprocessableEntity)
}

func TestNothingOfAnAddressIsAPath(t *testing.T) {
	v, run := waiting(t)
	for _, path := range []string{"/runs/nothing", "/runs/..%2f..%2fetc%2fpasswd", "/runs/%2e%2e", "/runs/" + strings.ToLower(run),
		"/runs/" + run[:10], "/runs/" + run + "/steps/step-9-9", "/runs/" + run + "/steps/..%2f1", "/runs/%00", "/runs/"} {
		v.get(path, http.StatusNotFound)
	}
	if err := os.RemoveAll(exec.Workspace{Dir: v.bench.Dir}.RunDir(run)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/changes", "/steps/step-1-1"} {
		if page := v.get("/runs/"+run+path, http.StatusNotFound); !strings.Contains(page, "or no longer") {
			t.Errorf("%q of a run that vanished: %s", path, page)
		}
	}
	if page := v.get("/", http.StatusOK); !strings.Contains(page, "No plan has been run here yet") {
		t.Error("the list has a run that vanished")
	}
}

func TestADamagedRunIsNamed(t *testing.T) {
	v, run := waiting(t)
	files, err := filepath.Glob(filepath.Join(exec.Workspace{Dir: v.bench.Dir}.RunDir(run), "journal*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no journal: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 400 {
			text[300] ^= 1
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v.get("/runs/"+run, http.StatusInternalServerError)
	if page := v.get("/", http.StatusOK); !strings.Contains(page, "cannot be read") {
		t.Error("the list does not say that the run cannot be read")
	}
}

func TestHostileWords(t *testing.T) {
	v, run := waiting(t)
	for _, path := range []string{"/", "/runs/" + run, "/runs/" + run + "/steps/step-1-1"} {
		page := v.get(path, http.StatusOK)
		for _, bad := range []string{"<script>", "<img", "\u202e", "\x07", "\x1b", "[2J<b>", "style=", "<style"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		if !strings.Contains(page, `\u202e`) {
			t.Errorf("%s does not show what the plan says", path)
		}
	}
}

// TestTextsOfChanges: the page of a step shows what changed. What is not kept any
// more is no file that was not there.
func TestTextsOfChanges(t *testing.T) {
	v, run := waiting(t)
	const path = "/steps/step-1-1"
	page := v.get("/runs/"+run+path, http.StatusOK)
	for _, want := range []string{`<td class="new" dir="ltr">a</td>`, "<code>b.txt</code>", "an empty file"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the step lacks %q", want)
		}
	}
	gone := ledger.Change{Path: "a.txt", Op: ledger.Modified,
		Before: &ledger.Entry{Path: "a.txt", Kind: ledger.File, Size: 2, Digest: ledger.Sum([]byte("b\n"))},
		After:  &ledger.Entry{Path: "a.txt", Kind: ledger.File, Size: 2, Digest: ledger.Sum([]byte("a\n"))}}
	err := exec.Workspace{Dir: v.bench.Dir}.Unified(t.Context(), []ledger.Change{gone},
		func(_ ledger.Change, text string) error {
			if text != "what a.txt held is not kept\n" {
				t.Errorf("of a content that is gone it says %q", text)
			}
			return nil
		})
	if err != nil {
		t.Error(err)
	}
}

func TestChangesAreTold(t *testing.T) {
	goOn := make(chan struct{})
	begun := make(chan bool, 1)
	b := exectest.New(t, strings.ReplaceAll(asking, nasty, ""), nil,
		exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			begun <- true
			<-goOn
			return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "a.txt"), []byte("a\n"), 0o644)
		}))
	v := visiting(t, b)
	ended := make(chan *exectest.Result, 1)
	locked := b.Lock(t)
	go func() {
		report, err := b.Controller.Run(context.Background(), locked)
		ended <- &exectest.Result{Report: report, Err: err}
	}()
	<-begun
	run, err := exec.Workspace{Dir: b.Dir}.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	page := v.get("/runs/"+run, http.StatusOK)
	if !strings.Contains(page, "At work") || !strings.Contains(page, "attempt 1") {
		t.Errorf("the page does not say what is at work:\n%s", page)
	}
	from := regexp.MustCompile(`data-changes="([^"]+)"`).FindStringSubmatch(page)
	if from == nil {
		t.Fatal("the page does not say where changes are told")
	}
	answer, err := v.client.Get(v.server.URL + from[1])
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("changes are %q", kind)
	}
	close(goOn)
	told := 0
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() && lines.Text() != "event: over" {
		if lines.Text() == "data: changed" {
			told++
		}
	}
	if told == 0 || lines.Err() != nil {
		t.Errorf("%d changes were told, %v", told, lines.Err())
	}
	if r := <-ended; r.Err != nil {
		t.Fatal(r.Err)
	}
	page = v.get("/runs/"+run, http.StatusOK)
	if !strings.Contains(page, "ACHIEVED") || strings.Contains(page, "data-changes") {
		t.Error("a run that is over is shown as one that goes on")
	}
}

// TestStreamsAreBounded: so many pages are kept up to date at once, and no more.
func TestStreamsAreBounded(t *testing.T) {
	v, run := waiting(t)
	for i := range mostStreams {
		answer, err := v.client.Get(v.server.URL + "/runs/" + run + "/changes")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %v, %v", i, answer, err)
		}
		defer answer.Body.Close()
	}
	v.get(fmt.Sprintf("/runs/%s/changes", run), http.StatusServiceUnavailable)
}
