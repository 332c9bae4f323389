package program_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/program"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

var (
	_ exec.Executor  = (*program.Executor)(nil)
	_ exec.Versioned = (*program.Executor)(nil)
)

// script is an executor whose program is a shell script.
func script(t *testing.T, text string) *program.Executor {
	t.Helper()
	sh, err := osexec.LookPath("sh")
	if err != nil {
		t.Skip("the programs of this test are shell scripts: ", err)
	}
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return &program.Executor{Args: []string{sh, path}, Name: "agent"}
}

func work(t *testing.T) exec.Work {
	t.Helper()
	files := 1
	return exec.Work{
		RunID: "run-1", Goal: "a goal", Attempt: 2, Dir: t.TempDir(), Feedback: []string{"it was \"wrong\"\nreally"},
		Task: &plan.Task{ID: "1", Title: "A task", AcceptanceCriteria: []string{"it is short"}},
		Briefing: exec.Briefing{Constraints: []string{"size: small"}, Components: []string{"notes"},
			Earlier: []string{"1.1 completed: Look"}, Decisions: []string{"checkpoint 1.1: it is settled (anna)"},
			Research: []string{"ink dries"}, Hints: []string{"write slowly"}},
		Within: []string{"docs/"},
		Method: method.Method{ID: "primary", Prompt: "write <it> & be good"},
		Step: &plan.Step{
			Address: "1.2", Description: "Write a note", ExpectedOutput: "a note", Requirements: []string{"R1"},
			Artifacts: &plan.Artifacts{Create: []string{"note.txt"}}, Limits: &plan.Limits{MaxFiles: &files},
		},
		Runner: &process.Runner{},
	}
}

const good = `echo '{"type":"result","ok":true,"output":"done"}'`

func TestExecute(t *testing.T) {
	tests := []struct {
		name, script string
		output, log  string
		err          string // "" none; else part of the text
	}{
		{"a result", good, "done", "", ""},
		{"no newline at the end", `printf '{"type":"result","ok":true}'`, "", "", ""},
		{"log events and text", `echo '{"type":"log","text":"one"}'; echo two; ` + good, "done", "one\ntwo\n", ""},
		{"log text after the result", good + `; echo bye`, "done", "bye\n", ""},
		{"unknown events are text", `echo '{"type":"later"}'; echo '[1]'; echo '{"ok":true}'; ` + good, "done",
			"{\"type\":\"later\"}\n[1]\n{\"ok\":true}\n", ""},
		{"a result in a log proves nothing", `echo '{"type":"log","text":"{\"type\":\"result\",\"ok\":true}"}'`, "",
			"{\"type\":\"result\",\"ok\":true}\n", "without a result line"},
		{"a result with text around it is text", `echo 'approved {"type":"result","ok":true}'`, "",
			"approved {\"type\":\"result\",\"ok\":true}\n", "without a result line"},
		{"a result on standard error is text", `echo '{"type":"result","ok":true}' >&2`, "",
			"{\"type\":\"result\",\"ok\":true}\n", "without a result line"},
		{"silence", "", "", "", "agent: it ended without a result line"},
		{"not ok", `echo '{"type":"result","ok":false,"error":"no idea"}'`, "", "", `agent reported a failure: "no idea"`},
		{"not ok without a reason", `echo '{"type":"result","ok":false}'`, "", "", "agent reported a failure without a reason"},
		{"two results", good + ";" + good, "done", "", `line 2 of its output: a "result" event follows the result`},
		{"an event after the result", good + `; echo '{"type":"log","text":"x"}'`, "done", "", `a "log" event follows the result`},
		{"ok is missing", `echo '{"type":"result"}'`, "", "", `"result" event: field "ok" is missing`},
		{"ok is spelled otherwise", `echo '{"type":"result","OK":true}'`, "", "", `"result" event: field "ok" is missing`},
		{"ok is no boolean", `echo '{"type":"result","ok":"true"}'`, "", "", `field "ok" has a value of another kind`},
		{"ok is null", `echo '{"type":"result","ok":null}'`, "", "", `field "ok" has a value of another kind`},
		{"ok twice", `echo '{"type":"result","ok":false,"ok":true}'`, "", "", `line 1 of its output: "result" event: byte 28 of the line: the name "ok" stands twice`},
		{"a type twice", `echo '{"type":"log","text":"x","type":"result","ok":true}'`, "", "", `byte 25 of the line: the name "type" stands twice`},
		{"a member twice, deep", `echo '{"type":"result","ok":true,"more":[{"a":1,"a":2}]}'`, "", "", `the name "a" stands twice`},
		{"an event that is not UTF-8", `printf '{"type":"result","ok":true,"output":"\377"}\n'`, "", "", `byte 37 of the line: the byte 0xff is not UTF-8`},
		{"text that is not UTF-8, or strange", `printf '\377\n'; echo '{"a":1,"a":2}'; ` + good, "done", "\xff\n{\"a\":1,\"a\":2}\n", ""},
		{"negative usage", `echo '{"type":"usage","calls":-1}';` + good, "done", "", "a count is negative"},
		{"insight without a text", `echo '{"type":"insight"}';` + good, "done", "", `"insight" event: field "text" is missing`},
		{"decision about nothing", `echo '{"type":"decision","text":" "}';` + good, "done", "", `"decision" event: its text is empty`},
		{"metric without a name", `echo '{"type":"metric","value":1}';` + good, "done", "", `field "name" is missing`},
		{"a status after an ok result", good + "; exit 3", "done", "", "agent ended with exit status 3"},
		{"killed", good + "; kill -KILL $$", "done", "", "agent ended with exit status 137"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "killed" && runtime.GOOS == "windows" {
				t.Skip("there are no signals")
			}
			w := work(t)
			var log bytes.Buffer
			w.Output = &log
			outcome, err := script(t, test.script).Execute(t.Context(), w)
			if diff := cmp.Diff([]string{test.output, test.log}, []string{outcome.Output, log.String()}); diff != "" {
				t.Errorf("output and log (-want +got):\n%s", diff)
			}
			switch {
			case test.err == "" && err != nil:
				t.Errorf("error %v", err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v does not say %q", err, test.err)
			}
		})
	}
}

func TestExecuteTypesItsErrors(t *testing.T) {
	var reported *program.ReportedError
	var exit *program.ExitError
	var protocol *program.ProtocolError
	_, err := script(t, `echo '{"type":"result","ok":false,"error":"why"}'; exit 5`).Execute(t.Context(), work(t))
	if !errors.As(err, &exit) || exit.Code != 5 || !errors.As(err, &reported) || reported.Text != "why" {
		t.Errorf("error %v", err)
	}
	if _, err = script(t, "").Execute(t.Context(), work(t)); !errors.As(err, &protocol) ||
		protocol.Line != 0 || !strings.Contains(protocol.Reason, "without a result line") {
		t.Errorf("error %v", err)
	}
	if _, err = script(t, "echo; "+good+";"+good).Execute(t.Context(), work(t)); !errors.As(err, &protocol) ||
		protocol.Line != 3 {
		t.Errorf("error %v", err)
	}
	if _, err = new(program.Executor).Execute(t.Context(), work(t)); err == nil {
		t.Error("no program was run")
	}
}

func TestExecuteSumsUsage(t *testing.T) {
	outcome, err := script(t, `
echo '{"type":"usage","input_tokens":10,"output_tokens":2,"calls":1}'
echo '{"type":"usage","input_tokens":5}'
echo '{"type":"metric","name":"score","value":1}'
echo '{"type":"metric","name":"score","value":0.5}'
echo '{"type":"insight","text":" tests are slow "}'
echo '{"type":"decision","text":"one file"}'
echo '{"type":"insight","text":"ink dries"}'
echo '{"type":"result","ok":true,"output":"x","stateful":true}'`).Execute(t.Context(), work(t))
	if err != nil {
		t.Fatal(err)
	}
	want := exec.Outcome{
		Output: "x", Stdout: "x", Stateful: true,
		Usage: exec.Usage{InputTokens: 15, OutputTokens: 2, Calls: 1}, Metrics: map[string]float64{"score": 0.5},
		Insights: []string{"tests are slow", "ink dries"}, Decisions: []string{"one file"},
	}
	if diff := cmp.Diff(want, outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

// TestExecuteKeepsNoSecrets: what a program says has no values of variables that
// are let through to it.
func TestExecuteKeepsNoSecrets(t *testing.T) {
	const value = "s3cr3t-v4lue-of-the-test"
	w := work(t)
	w.Runner = &process.Runner{Env: append(os.Environ(), "DEPLOY_TOKEN="+value)}
	outcome, err := script(t, `
echo '{"type":"insight","text":"the token is '$DEPLOY_TOKEN'"}'
echo '{"type":"decision","text":"use '$DEPLOY_TOKEN'"}'
echo '{"type":"result","ok":true,"output":"done with '$DEPLOY_TOKEN'"}'`).Execute(t.Context(), w)
	if said := fmt.Sprint(outcome); err != nil || strings.Contains(said, value) || !strings.Contains(said, "[DEPLOY_TOKEN]") {
		t.Errorf("%s, %v", said, err)
	}
}

// TestExecuteContextExhausted has a program say that its context is full, and
// what a fresh attempt must know.
func TestExecuteContextExhausted(t *testing.T) {
	outcome, err := script(t, `echo '{"type":"result","ok":false,"error":"full","exhausted":true,"summary":"half is done"}'`).Execute(t.Context(), work(t))
	var reported *program.ReportedError
	if !errors.Is(err, exec.ErrContextExhausted) || !errors.As(err, &reported) || outcome.Summary != "half is done" {
		t.Errorf("got %+v, %v", outcome, err)
	}
	if _, err = script(t, `echo '{"type":"result","ok":false,"error":"no"}'`).Execute(t.Context(),
		work(t)); errors.Is(err, exec.ErrContextExhausted) {
		t.Errorf("any failure counts as an exhausted context: %v", err)
	}
	var protocol *program.ProtocolError
	if _, err = script(t, `echo '{"type":"result","ok":true,"exhausted":true}'`).Execute(t.Context(),
		work(t)); !errors.As(err, &protocol) {
		t.Errorf("done and exhausted: %v", err)
	}
}

// TestExecuteDeclined has a program say that it does no steps of this kind.
func TestExecuteDeclined(t *testing.T) {
	_, err := script(t, `echo '{"type":"result","ok":false,"error":"I deploy nothing","declined":true}'`).Execute(t.Context(), work(t))
	if !errors.Is(err, exec.ErrDeclined) || !strings.Contains(err.Error(), "I deploy nothing") {
		t.Errorf("declined: %v", err)
	}
	for _, said := range []string{`"ok":true`, `"ok":false,"exhausted":true`, `"ok":false,"stateful":true`} {
		var protocol *program.ProtocolError
		if _, err := script(t, `echo '{"type":"result","declined":true,`+said+`}'`).Execute(t.Context(), work(t)); !errors.As(err, &protocol) {
			t.Errorf("declined and %s: %v", said, err)
		}
	}
}

func TestExecuteBoundsLines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs /dev/zero")
	}
	w := work(t)
	outcome, err := script(t, `printf '{"type":"result","ok":true,"output":"'; head -c 3000000 /dev/zero | tr '\0' x; echo '"}'`).Execute(t.Context(), w)
	var protocol *program.ProtocolError
	if !errors.As(err, &protocol) || !strings.Contains(protocol.Reason, "more than 1048576 bytes") {
		t.Errorf("error %v", err)
	}
	if len(outcome.Output) > 64<<10 {
		t.Errorf("%d bytes were kept", len(outcome.Output))
	}
	if _, err := script(t, `head -c 3000000 /dev/zero; echo; `+good).Execute(t.Context(), w); err != nil {
		t.Errorf("a long line of text: %v", err)
	}
}

func TestExecuteSendsTheRequest(t *testing.T) {
	w := work(t)
	w.Feedback = append(w.Feedback, "\u202egpj\x7f")
	if _, err := script(t, "cat >request; "+good).Execute(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(w.Dir, "request"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"execute","schema":"planlock.execute/1","run":"run-1","goal":"a goal","task":{"id":"1","title":"A task","criteria":["it is short"]},` +
		`"step":"1.2","description":"Write a note","method":{"id":"primary","prompt":"write <it> & be good"},"attempt":2,` +
		`"dir":"DIR","expected_output":"a note","requirements":["R1"],"artifacts":{"create":["note.txt"]},"within":["docs/"],"limits":{"max_files":1},` +
		`"constraints":["size: small"],"components":["notes"],"earlier":["1.1 completed: Look"],` +
		`"decisions":["checkpoint 1.1: it is settled (anna)"],"research":["ink dries"],"hints":["write slowly"],` +
		`"feedback":["it was \"wrong\"\nreally","\u202egpj\u007f"]}` + "\n"
	if diff := cmp.Diff(strings.Replace(want, "DIR", strings.ReplaceAll(w.Dir, `\`, `\\`), 1), string(got)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestExecuteWrapsTheCause(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := work(t)
	w.Output = writeFunc(func() { cancel(cause) })
	_, err := script(t, "echo begun; "+good+"; exec sleep 1000").Execute(ctx, w)
	if !errors.Is(err, cause) {
		t.Errorf("error %v does not wrap the cause", err)
	}
}

type writeFunc func()

func (f writeFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestVersion(t *testing.T) {
	answer := `read -r request; case $request in *'"type":"version"'*) echo '{"type":"version","name":"a","version":"1"}';; esac`
	e := script(t, answer)
	first, err := e.Version(t.Context())
	if err != nil || first != "a 1" {
		t.Fatalf("version %q, error %v", first, err)
	}
	if again, err := e.Version(t.Context()); again != first {
		t.Errorf("version %q, then %q, error %v", first, again, err)
	}
	was, err := e.Identity(t.Context())
	if err != nil || was == "" {
		t.Fatalf("identity %q, error %v", was, err)
	}
	if err := os.WriteFile(e.Args[1], []byte(answer+"\n# edited"), 0o755); err != nil {
		t.Fatal(err)
	}
	if edited, err := e.Identity(t.Context()); edited == was {
		t.Errorf("an edited script has the same identity, error %v", err)
	}
	for _, text := range []string{"", "exit 1", answer + "; exit 1", "echo 1.0", answer + "; " + answer,
		`echo '{"type":"version","name":"a"}'`, `echo '{"type":"version","name":"a","version":"1","version":"2"}'`,
		`printf '{"type":"version","name":"\377","version":"1"}\n'`} {
		e := script(t, text+"\n"+strings.Repeat(`echo '{"type":"version","name":"a","version":"1"}'`+"\n",
			strings.Count(text, ";;")/2))
		var protocol *program.ProtocolError
		if version, err := e.Version(t.Context()); !errors.As(err, &protocol) {
			t.Errorf("%q: version %q, error %v", text, version, err)
		}
	}
}

// TestDocumentedPrograms runs the programs that docs/executor-protocol.md
// shows.
func TestDocumentedPrograms(t *testing.T) {
	page, err := os.ReadFile("../../docs/executor-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ language, interpreter, file, before, after, output string }{
		{"python", "python3", "note.txt", "", "write <it> & be good\n", "done"},
		{"sh", "sh", "words.txt", "b\na\n", "a\nb\n", "sorted"},
	}
	for _, test := range tests {
		t.Run(test.language, func(t *testing.T) {
			interpreter, err := osexec.LookPath(test.interpreter)
			if err == nil && test.language == "sh" {
				_, err = osexec.LookPath("sed") // which planlock's own shell has not
			}
			if err != nil {
				t.Skip(err)
			}
			_, text, _ := strings.Cut(string(page), "```"+test.language+"\n")
			text, _, found := strings.Cut(text, "```")
			if !found {
				t.Fatal("the page shows no such program")
			}
			e := script(t, "")
			e.Args[0] = interpreter
			w := work(t)
			if err := os.WriteFile(e.Args[1], []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			if test.before != "" {
				if err := os.WriteFile(filepath.Join(w.Dir, test.file), []byte(test.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w.Output = new(bytes.Buffer)
			outcome, err := e.Execute(t.Context(), w)
			if err != nil || outcome.Output != test.output {
				t.Fatalf("outcome %+v, error %v", outcome, err)
			}
			if content, err := os.ReadFile(filepath.Join(w.Dir, test.file)); string(content) != test.after {
				t.Errorf("%s holds %q, error %v", test.file, content, err)
			}
			if version, err := e.Version(t.Context()); err != nil || !strings.HasSuffix(version, " 1.0") {
				t.Errorf("version %q, error %v", version, err)
			}
		})
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"result","ok":true}` + "\n"))
	f.Add([]byte(`{"type":"metric","name":"a","value":1e999}` + "\nx"))
	f.Fuzz(func(t *testing.T, output []byte) {
		w := exec.Work{Runner: replay(output), Output: new(bytes.Buffer)}
		e := &program.Executor{Args: []string{"agent"}}
		outcome, err := e.Execute(t.Context(), w)
		if results := bytes.Count(output, []byte(`result`)); err == nil && results == 0 {
			t.Errorf("success without a result: %+v", outcome)
		}
	})
}
