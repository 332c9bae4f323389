package escalator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// inbox is a folder in which failed() is asked.
func inbox(t *testing.T) *Folder {
	t.Helper()
	f := &Folder{Dir: filepath.Join(t.TempDir(), "questions"), Now: at(asktest.Asked.Add(time.Minute))}
	if _, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrLater) {
		t.Fatal(err)
	}
	return f
}

func (f *Folder) put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *Folder) list(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

const (
	questionName = "01JD3-q1.question.json"
	answerName   = "01JD3-q1.answer.json"
)

func TestFolderAsksAndIsAnsweredLater(t *testing.T) {
	f := inbox(t)
	data, err := os.ReadFile(filepath.Join(f.Dir, questionName))
	if err != nil {
		t.Fatal(err)
	}
	asktest.Golden(t, "question.json", string(data))

	open, err := f.Questions()
	if diff := cmp.Diff([]ask.Question{asktest.Failed()}, open); diff != "" || err != nil {
		t.Errorf("Questions: %v (-want +got):\n%s", err, diff)
	}
	a := asktest.AnswerTo(asktest.Failed(), "k", "skip 2.1")
	a.By, a.Reason, a.At = "", "it is <fine>", time.Time{}
	if err := f.Answer(a); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(filepath.Join(f.Dir, answerName))
	if err != nil {
		t.Fatal(err)
	}
	asktest.Golden(t, "answer.json", string(data))
	if diff := cmp.Diff([]string{answerName, questionName}, f.list(t)); diff != "" {
		t.Errorf("other files are left (-want +got):\n%s", diff)
	}
	if open, err := f.Questions(); len(open) != 0 || err != nil {
		t.Errorf("still open: %v, %v", open, err)
	}

	later := &Folder{Dir: f.Dir, Now: at(asktest.Asked.Add(time.Hour))} // another process, after the deadline
	got, err := later.Ask(t.Context(), asktest.Failed())
	a.By, a.At = "folder", asktest.Asked.Add(time.Minute)
	if got != a || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, a)
	}
}

func TestFolderAnswerIsRefused(t *testing.T) {
	ok := asktest.AnswerTo(asktest.Failed(), "r", "")
	for name, tc := range map[string]struct {
		change func(*Folder, *ask.Answer)
		why    string
	}{
		"another run": {func(_ *Folder, a *ask.Answer) { a.Run = "01JD4" }, `run "01JD4" has no such question`},
		"another question": {func(_ *Folder, a *ask.Answer) { a.Question = "../q1" },
			`run "01JD3" has no such question`},
		"no run": {func(_ *Folder, a *ask.Answer) { a.Run = "" },
			`it does not say to which run and question it belongs`},
		"another attempt": {func(_ *Folder, a *ask.Answer) { a.Attempt = 3 },
			"it is for attempt 3, and attempt 2 asks"},
		"too late":       {func(f *Folder, _ *ask.Answer) { f.Now = at(asktest.Asked.Add(11 * time.Minute)) }, "it came 1m0s after the deadline"},
		"unknown choice": {func(_ *Folder, a *ask.Answer) { a.Choice = "z" }, `"z" is none of the choices`},
		"no words":       {func(_ *Folder, a *ask.Answer) { a.Choice = "k" }, `choice "k" must be acknowledged with the words "skip 2.1"`},
		"too long":       {func(_ *Folder, a *ask.Answer) { a.Reason = strings.Repeat("x", maxAnswer) }, "it is larger than 65536 bytes"},
		"answered before": {func(f *Folder, a *ask.Answer) { f.Answer(*a); a.Choice = "s" },
			`it has been answered with "r" by "test" at 2026-11-20 19:31:00 UTC`},
		"no folder yet": {func(f *Folder, _ *ask.Answer) { os.RemoveAll(f.Dir) }, "there is no question: "},
		"broken file": {func(f *Folder, _ *ask.Answer) { f.put(t, answerName, `{"run": "01JD3"`) },
			`"01JD3-q1.answer.json" is there already but does not count (ask: "01JD3-q1.answer.json" holds no answer: byte 15: the text ends before the '}' that closes an object): remove it to answer`},
	} {
		t.Run(name, func(t *testing.T) {
			f, a := inbox(t), ok
			tc.change(f, &a)
			before := ""
			if name != "no folder yet" {
				before = strings.Join(f.list(t), " ")
			}
			err := f.Answer(a)
			var refused *ask.RefusedError
			if !errors.As(err, &refused) || !strings.HasPrefix(refused.Why, tc.why) {
				t.Errorf("got %v, want %s", err, tc.why)
			}
			if name != "no folder yet" && strings.Join(f.list(t), " ") != before {
				t.Errorf("it left files: %v", f.list(t))
			}
		})
	}
}

func TestFolderConcurrentAnswers(t *testing.T) {
	const n = 16
	f := inbox(t)
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			a := asktest.AnswerTo(asktest.Failed(), "r", "")
			a.By = fmt.Sprint("person ", i)
			errs[i] = (&Folder{Dir: f.Dir, Now: f.Now}).Answer(a)
		})
	}
	group.Wait()
	won := slices.Index(errs, nil)
	for i, err := range errs {
		var refused *ask.RefusedError
		if i != won && !errors.As(err, &refused) {
			t.Errorf("person %d: %v", i, err)
		}
	}
	got, err := f.Ask(t.Context(), asktest.Failed())
	if want := fmt.Sprint("person ", won); err != nil || got.By != want {
		t.Errorf("answered by %q, %v; Answer told %q that it counts", got.By, err, want)
	}
	if diff := cmp.Diff([]string{answerName, questionName}, f.list(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFolderAnswersThatDoNotCount(t *testing.T) {
	encode := func(change func(*ask.Answer)) string {
		a := asktest.AnswerTo(asktest.Failed(), "r", "")
		change(&a)
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for name, tc := range map[string]struct{ content, why string }{
		"empty":           {"", `holds no answer: byte 0: the text ends where a value should be`},
		"half":            {`{"run": "01JD3", "question": "q1", "choice": "r`, "holds no answer"},
		"no object":       {`["r"]`, "it is not an object"},
		"two":             {encode(func(*ask.Answer) {}) + "{}", "byte 96: there is more behind the end"},
		"unknown field":   {`{"Choice": "r"}`, `it has a field "Choice"`},
		"field twice":     {`{"choice": "r", "choice": "s"}`, `byte 16: the name "choice" stands twice`},
		"nested":          {`{"choice": ["r"]}`, `its field "choice" is not a plain value`},
		"wrong type":      {`{"attempt": "2"}`, "holds no answer"},
		"another schema":  {`{"schema": "planlock.answer/9"}`, `its schema is "planlock.answer/9"`},
		"not UTF-8":       {"{\"choice\": \"\xff\"}", "byte 12: the byte 0xff is not UTF-8"},
		"large":           {strings.Repeat(" ", maxAnswer+1), "it is larger than 65536 bytes"},
		"another run":     {encode(func(a *ask.Answer) { a.Run = "x" }), `it is for run "x"`},
		"another attempt": {encode(func(a *ask.Answer) { a.Attempt = 1 }), "it is for attempt 1"},
		"late": {encode(func(a *ask.Answer) { a.At = asktest.Asked.Add(time.Hour) }),
			"after the deadline"},
		"unknown choice":    {encode(func(a *ask.Answer) { a.Choice = "rm -rf /" }), "none of the choices"},
		"no acknowledgment": {encode(func(a *ask.Answer) { a.Choice = "k" }), "must be acknowledged"},
	} {
		t.Run(name, func(t *testing.T) {
			f := inbox(t)
			f.put(t, answerName, tc.content)
			_, err := f.Ask(t.Context(), asktest.Failed())
			if !errors.Is(err, ask.ErrLater) || !strings.Contains(err.Error(), answerName) ||
				!strings.Contains(err.Error(), tc.why) {
				t.Errorf("Ask: got %v, want %s", err, tc.why)
			}
			open, err := f.Questions()
			if len(open) != 1 || err == nil || !strings.Contains(err.Error(), answerName) {
				t.Errorf("Questions: %d open, %v", len(open), err)
			}
			got, err := os.ReadFile(filepath.Join(f.Dir, answerName))
			if err != nil || string(got) != tc.content {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// What does not show itself is escaped in the file of a question, and read back.
func TestFolderAsksInPlainSight(t *testing.T) {
	f, q := inbox(t), asktest.Failed()
	q.What = "\u202eup\x7f\u009b2J"
	if _, err := f.Ask(t.Context(), q); !errors.Is(err, ask.ErrLater) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(f.Dir, questionName))
	if err != nil || !strings.Contains(string(text), `\u202eup\u007f\u009b2J`) {
		t.Errorf("%q, %v", text, err)
	}
	if list, err := f.Questions(); err != nil || len(list) != 1 || list[0].What != q.What {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestFolderHandWrittenAnswer(t *testing.T) {
	f := inbox(t)
	f.put(t, answerName, `{"run": "01JD3", "question": "q1", "attempt": 2, "choice": "s"}`)
	file := filepath.Join(f.Dir, answerName)
	if err := os.Chtimes(file, asktest.Asked, asktest.Asked.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	a, err := f.Ask(t.Context(), asktest.Failed())
	if err != nil || a.By != "folder" || !a.At.Equal(asktest.Asked.Add(2*time.Minute)) {
		t.Errorf("%+v, %v", a, err)
	}
	if err := os.Chtimes(file, asktest.Asked, asktest.Asked.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrLater) {
		t.Errorf("too late by its time: %+v, %v", a, err)
	}
}

func TestFolderAsksAgain(t *testing.T) {
	f := inbox(t)
	q := asktest.Failed()
	q.Evidence, q.Deadline = []string{"now\xff we know more"}, asktest.Asked.Add(time.Hour)
	for range 2 {
		if _, err := f.Ask(t.Context(), q); !errors.Is(err, ask.ErrLater) {
			t.Fatal(err)
		}
	}
	open, err := f.Questions()
	if err != nil || len(open) != 1 || !open[0].Deadline.Equal(q.Deadline) || open[0].Evidence[0] != "now\ufffd we know more" {
		t.Errorf("%+v, %v", open, err)
	}
	if err := f.Answer(asktest.AnswerTo(q, "r", "")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Ask(t.Context(), q); err != nil {
		t.Error(err)
	}
}

func TestFolderNamesWhatIsForeign(t *testing.T) {
	f := inbox(t)
	question, err := os.ReadFile(filepath.Join(f.Dir, questionName))
	if err != nil {
		t.Fatal(err)
	}
	f.put(t, "a-copy.question.json", string(question))
	f.put(t, "b-broken.question.json", "{")
	f.put(t, "c-orphan.answer.json", "{}")
	f.put(t, "d-other.question.json", `{"schema": "planlock.question/2"}`)
	f.put(t, "notes.txt", "mine")
	f.put(t, questionName+".X.tmp", "half")
	if err := os.Mkdir(filepath.Join(f.Dir, "e-folder.question.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	open, err := f.Questions()
	if len(open) != 1 || err == nil {
		t.Fatalf("%v, %v", open, err)
	}
	want := strings.TrimPrefix(`
ask: "a-copy.question.json" holds no question: it holds question "q1" of run "01JD3"
ask: "b-broken.question.json" holds no question: unexpected end of JSON input
ask: "c-orphan.answer.json" answers no question in this folder
ask: "d-other.question.json" holds no question: its schema is "planlock.question/2", not "planlock.question/1"
ask: "e-folder.question.json" is not a regular file`, "\n")
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestFolderFollowsNoLinks(t *testing.T) {
	f := inbox(t)
	outside := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(outside, []byte(`{"run": "01JD3", "question": "q1", "attempt": 2, "choice": "r"}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(f.Dir, answerName)); err != nil {
		t.Skip("no links here:", err)
	}
	if a, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrLater) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%+v, %v", a, err)
	}
	before, _ := os.ReadFile(outside)
	if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "s", "")); err == nil {
		t.Error("the answer went through a link")
	}
	if after, _ := os.ReadFile(outside); string(after) != string(before) {
		t.Error("the file behind the link was changed")
	}
}

func TestFolderQuestionsAreSorted(t *testing.T) {
	f := &Folder{Dir: t.TempDir(), Now: at(asktest.Asked)}
	for _, id := range []string{"q3", "q1", "2.1/a b", "q2", "late"} {
		q := asktest.Failed()
		q.ID = id
		switch id {
		case "q3":
			q.Asked = asktest.Asked.Add(-time.Minute)
		case "late":
			q.Deadline = asktest.Asked.Add(-time.Second)
		}
		_, err := f.Ask(t.Context(), q)
		if want := map[bool]error{true: ask.ErrNoAnswer, false: ask.ErrLater}[id == "late"]; !errors.Is(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	open, err := f.Questions()
	var ids []string
	for _, q := range open {
		ids = append(ids, q.ID)
	}
	if diff := cmp.Diff([]string{"q3", "2.1/a b", "q1", "q2"}, ids); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if !slices.Contains(f.list(t), "01JD3-2.1%2Fa%20b.question.json") {
		t.Errorf("%q", f.list(t))
	}
}

func TestFolderWaits(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var reports []string
		f := &Folder{Dir: dir, Wait: true, Poll: 10 * time.Second,
			Report: func(err error) { reports = append(reports, err.Error()) }}
		time.AfterFunc(25*time.Second, func() {
			bad := asktest.AnswerTo(soon("q1"), "none", "")
			if err := os.WriteFile(filepath.Join(dir, answerName), []byte(`{"run":`), 0o644); err != nil {
				t.Error(err)
			}
			if err := f.Answer(bad); err == nil {
				t.Error("accepted")
			}
		})
		time.AfterFunc(45*time.Second, func() {
			if err := errors.Join(os.Remove(filepath.Join(dir, answerName)),
				f.Answer(asktest.AnswerTo(soon("q1"), "r", ""))); err != nil {
				t.Error(err)
			}
		})
		a, err := f.Ask(t.Context(), soon("q1"))
		if err != nil || a.Choice != "r" || time.Since(start) != 50*time.Second {
			t.Errorf("%+v, %v after %s", a, err, time.Since(start))
		}
		if len(reports) != 1 || !strings.Contains(reports[0], answerName) {
			t.Errorf("reported %q", reports)
		}
	})
}

func TestFolderDeadline(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := &Folder{Dir: dir, Wait: true, Poll: 7 * time.Second}
		_, err := f.Ask(t.Context(), soon("q1"))
		if !errors.Is(err, ask.ErrNoAnswer) || time.Since(start) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestFolderContext(t *testing.T) {
	f := inbox(t)
	f.Wait = true
	ctx, cancel := contextWithCause(t)
	cancel(errHome)
	if _, err := f.Ask(ctx, asktest.Failed()); !errors.Is(err, errHome) || errors.Is(err, ask.ErrNoAnswer) {
		t.Error(err)
	}
	ctx, cancel = contextWithCause(t)
	f.Poll = time.Hour
	f.put(t, answerName, "{")
	f.Report = func(error) { cancel(errHome) }
	if _, err := f.Ask(ctx, asktest.Failed()); !errors.Is(err, errHome) || errors.Is(err, ask.ErrNoAnswer) {
		t.Error(err)
	}
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*Folder{"no name": {}, "a file": {Dir: file},
		"below a file": {Dir: filepath.Join(file, "x")}} {
		if _, err := f.Ask(t.Context(), asktest.Failed()); err == nil || errors.Is(err, ask.ErrNoAnswer) ||
			errors.Is(err, ask.ErrLater) {
			t.Errorf("%s: Ask: %v", name, err)
		}
		if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "r", "")); err == nil {
			t.Errorf("%s: Answer succeeds", name)
		}
	}
	if open, err := (&Folder{Dir: filepath.Join(t.TempDir(), "none")}).Questions(); len(open) != 0 || err != nil {
		t.Errorf("a folder that is not there: %v, %v", open, err)
	}
	f := inbox(t)
	q := asktest.Failed()
	q.ID, q.Evidence = "huge", []string{strings.Repeat("x", maxQuestion)}
	if _, err := f.Ask(t.Context(), q); err == nil || errors.Is(err, ask.ErrLater) {
		t.Errorf("a huge question: %v", err)
	}
	if os.Getuid() != 0 && runtime.GOOS != "windows" {
		if err := os.Chmod(f.Dir, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(f.Dir, 0o700)
		var refused *ask.RefusedError
		if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "r", "")); !errors.Is(err, os.ErrPermission) ||
			errors.As(err, &refused) {
			t.Errorf("a folder that cannot be written: %v", err)
		}
	}
}

// What was given is seen without asking: nothing is written, and an answer that
// will not count is none.
func TestFolderGiven(t *testing.T) {
	if _, err := (&Folder{Dir: filepath.Join(t.TempDir(), "none")}).Given(asktest.Failed()); !errors.Is(err,
		ask.ErrLater) {
		t.Errorf("without a folder: %v", err)
	}
	f := inbox(t)
	before := f.list(t)
	if _, err := f.Given(asktest.Failed()); !errors.Is(err, ask.ErrLater) {
		t.Errorf("without an answer: %v", err)
	}
	if after := f.list(t); !slices.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
	if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "r", "")); err != nil {
		t.Fatal(err)
	}
	if a, err := f.Given(asktest.Failed()); err != nil || a.Choice != "r" {
		t.Errorf("got %+v, %v", a, err)
	}
	other := asktest.Failed()
	other.What += "!"
	var refused *ask.RefusedError
	if a, err := f.Given(other); !errors.As(err, &refused) || errors.Is(err, ask.ErrLater) {
		t.Errorf("to other words: %+v, %v", a, err)
	}
}
