package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/notify"
	"github.com/planlock/planlock/plan"
)

// letter is a plan of one step, of which the goal says something secret.
const letter = `schema = 1
non_goals = []
invariants = []
[goal]
description = "Write to correct-horse-battery"
[[requirements]]
id = "R1"
text = "There is a letter"
[[tasks]]
id = 1
description = "Letters"
[[tasks.steps]]
id = 1
description = "Write a letter"
prompt = "Write a letter"
requirements = ["R1"]
rollback = "reversible"
critical_flag = true
max_retries = 0
on_failure = "ask"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
artifacts = { create = ["letter"] }
postconditions = [{ kind = "file_contains", path = "letter", text = "Dear" }]
`

// A notice is what docs/configuration.md says that is told.
type notice struct {
	Schema, Kind, Text, Run, Goal, Workspace string
	Status                                   history.Status
	Time                                     time.Time
	Question                                 *ask.Question
}

// A server takes notices.
type server struct {
	*httptest.Server
	mu  sync.Mutex
	got []notice
}

func newServer(t *testing.T, do http.HandlerFunc) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n notice
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &n)
		}
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v\n%s", r.Method, r.Header, err, text)
		}
		s.mu.Lock()
		s.got = append(s.got, n)
		s.mu.Unlock()
		if do != nil {
			do(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// kinds are those of the notices, in order.
func (s *server) kinds() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.got {
		all = append(all, n.Kind)
	}
	slices.Sort(all)
	return all
}

// bench is a run that a notifier observes; writes says what its step writes.
func bench(t *testing.T, n *notify.Notifier, writes string, who ask.Escalator) *exectest.Bench {
	t.Helper()
	b := exectest.New(t, letter, nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "letter"), []byte(writes), 0o644)
	}))
	n.Workspace = b.Dir
	b.Controller.Observe, b.Controller.Escalator, b.Controller.Mode = n.Observe, who, plan.Dynamic
	return b
}

// answers is somebody who is asked.
type answers func(ask.Question) (ask.Answer, error)

func (a answers) Ask(_ context.Context, q ask.Question) (ask.Answer, error) { return a(q) }

func later(ask.Question) (ask.Answer, error) { return ask.Answer{}, ask.ErrLater }

// TestNotices are told of the end and of a question that waits, without secrets,
// and of no question that is answered at once.
func TestNotices(t *testing.T) {
	t.Setenv("LETTERS_TOKEN", "correct-horse-battery")
	refuses := answers(func(ask.Question) (ask.Answer, error) { return ask.Answer{}, ask.ErrNoAnswer })
	slow := answers(func(ask.Question) (ask.Answer, error) {
		time.Sleep(300 * time.Millisecond)
		return ask.Answer{}, ask.ErrNoAnswer
	})
	for name, tt := range map[string]struct {
		writes string
		who    ask.Escalator
		grace  time.Duration
		want   []string
		text   string
	}{
		"achieved":         {"Dear Ana\n", refuses, 0, []string{"ended"}, "planlock: ACHIEVED (Write to [LETTERS_TOKEN], run "},
		"refused":          {"Hello\n", refuses, 0, []string{"ended"}, "planlock: NOT ACHIEVED: "},
		"waits":            {"Hello\n", answers(later), 0, []string{"question"}, "planlock asks "},
		"somebody is slow": {"Hello\n", slow, time.Millisecond, []string{"ended", "question"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			n := &notify.Notifier{Webhook: s.URL, Grace: tt.grace}
			done := bench(t, n, tt.writes, tt.who).Run(t)
			if errs := n.Close(); errs != nil {
				t.Error(errs)
			}
			if got := s.kinds(); !slices.Equal(got, tt.want) {
				t.Fatalf("told are %q, want %q", got, tt.want)
			}
			one := s.got[0]
			if one.Schema != "planlock.notice/1" || one.Run != done.Run.Started.Run || one.Workspace != done.Dir || one.Time.IsZero() ||
				one.Goal != "Write to [LETTERS_TOKEN]" || !strings.HasPrefix(one.Text, tt.text) || strings.Contains(one.Text, "horse") {
				t.Errorf("told is %+v", one)
			}
			if one.Kind == "question" && (one.Question.Step != "1.1" || len(one.Question.Choices) == 0 || one.Question.Evidence != nil) {
				t.Errorf("asked is %+v", one.Question)
			}
			if tt.want[0] == "ended" && len(tt.want) == 1 && one.Status != done.Run.Status {
				t.Errorf("the status is %q, want %q", one.Status, done.Run.Status)
			}
		})
	}
}

// TestHangs: an address that does not answer, and a program that does not end,
// hold a run up at its end alone, and no longer than the limit.
func TestHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sleep")
	}
	stop := make(chan struct{})
	s := newServer(t, func(http.ResponseWriter, *http.Request) { <-stop })
	defer close(stop)
	n := &notify.Notifier{Webhook: s.URL + "/secret", Command: []string{"sleep", "600"}, Limit: 300 * time.Millisecond}
	bench(t, n, "Dear Ana\n", nil).Run(t).Want(t, history.Achieved)
	began := time.Now()
	errs := n.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if text := errors.Join(errs...); len(errs) != 2 || strings.Count(text.Error(), "it took longer than 300ms") != 2 ||
		strings.Contains(text.Error(), "/secret") {
		t.Errorf("got %v", text)
	}
}

// TestFaults are told, and are no fault of the run: who does not know better than
// its host gets no further.
func TestFaults(t *testing.T) {
	elsewhere := newServer(t, nil)
	moved := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	gone := newServer(t, nil)
	gone.Close()
	for name, tt := range map[string]struct {
		of   *notify.Notifier
		want string
	}{
		"moved":      {&notify.Notifier{Webhook: moved.URL + "/secret"}, moved.URL + "/…: it answered with status 307"},
		"gone":       {&notify.Notifier{Webhook: gone.URL + "/secret"}, gone.URL + "/…: dial tcp"},
		"no program": {&notify.Notifier{Command: []string{filepath.Join(t.TempDir(), "none")}}, "none:"},
		"no desktop": {&notify.Notifier{Desktop: true}, "nothing is known that shows messages"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no desktop" {
				t.Setenv("PATH", t.TempDir())
			}
			bench(t, tt.of, "Dear Ana\n", nil).Run(t).Want(t, history.Achieved)
			if errs := tt.of.Close(); len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.want) || strings.Contains(errs[0].Error(), "/secret") {
				t.Errorf("got %v, want %q", errs, tt.want)
			}
		})
	}
	if len(elsewhere.got) > 0 {
		t.Error("a redirection was followed")
	}
}
