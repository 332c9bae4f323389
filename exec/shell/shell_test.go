package shell_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

var _ exec.Executor = (*shell.Executor)(nil)

// work is an attempt of a method in a new folder.
func work(t *testing.T, m method.Method) exec.Work {
	t.Helper()
	return exec.Work{Step: &plan.Step{Address: "1.2"}, Method: m, Dir: t.TempDir(), Runner: &process.Runner{}}
}

func TestExecute(t *testing.T) {
	tests := []struct {
		name   string
		method method.Method
		want   exec.Outcome
		err    string
	}{
		{"success", method.Method{Run: "echo out; echo more"},
			exec.Outcome{Output: "out\nmore\n", Stdout: "out\nmore\n"}, ""},
		{"as written", method.Method{Run: "false; echo on"}, exec.Outcome{Output: "on\n", Stdout: "on\n"}, ""},
		{"failure", method.Method{Run: "echo sorry >&2; exit 4"}, exec.Outcome{Output: "sorry\n", Exit: 4},
			"shell: exit status 4: sorry"},
		{"silent failure", method.Method{Run: "exit 1"}, exec.Outcome{Exit: 1},
			"shell: exit status 1 and no output"},
		{"tool", method.Method{Tool: "sh", ToolArgs: []string{"-c", `printf '%s;' "$0" "$1"`, "$HOME", "a b"}},
			exec.Outcome{Output: "$HOME;a b;", Stdout: "$HOME;a b;"}, ""},
		{"nothing", method.Method{ID: "primary"}, exec.Outcome{},
			`shell: nothing to run: method "primary" of step 1.2 has no run; add run = "…", or tool_path where it is a backup`},
		{"prompt", method.Method{ID: "primary", Prompt: "do it"}, exec.Outcome{},
			`shell: nothing to run: method "primary" of step 1.2 has no run; it has a prompt: name an executor that drives an agent in its executor key`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e shell.Executor
			got, err := e.Execute(t.Context(), work(t, test.method))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if text := fmt.Sprint(err); err != nil && text != test.err || err == nil && test.err != "" {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}

func TestExecuteShowsOutputLiveOnce(t *testing.T) {
	w := work(t, method.Method{Run: "echo out; echo err >&2; exit 9"})
	var live bytes.Buffer
	w.Output = &live
	outcome, err := new(shell.Executor).Execute(t.Context(), w)
	var exit *shell.ExitError
	if !errors.As(err, &exit) || exit.Code != 9 {
		t.Errorf("error %v", err)
	}
	if text := live.String(); !strings.Contains(text, "out\n") || !strings.Contains(text, "err\n") {
		t.Errorf("live output %q", text)
	}
	if outcome.Output != "" || outcome.Stdout != "out\n" {
		t.Errorf("outcome repeats the live output: %+v", outcome)
	}
}

func TestExecuteFallsBackToAPlainRunner(t *testing.T) {
	w := work(t, method.Method{Run: "echo out"})
	w.Runner = plainRunner{w.Runner}
	w.Output = new(bytes.Buffer)
	outcome, err := new(shell.Executor).Execute(t.Context(), w)
	if err != nil || outcome.Output != "out\n" {
		t.Errorf("outcome %+v, error %v", outcome, err)
	}
}

type plainRunner struct{ gate.CommandRunner }

func TestExecuteWorksInTheWorkspace(t *testing.T) {
	w := work(t, method.Method{Run: "echo text >file"})
	if _, err := new(shell.Executor).Execute(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(w.Dir, "file")); string(content) != "text\n" {
		t.Errorf("content %q, error %v", content, err)
	}
}

func TestExecuteWrapsTheCause(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := work(t, method.Method{Run: "echo begun; exec sleep 1000"})
	w.Output = writeFunc(func() { cancel(cause) })
	if _, err := new(shell.Executor).Execute(ctx, w); !errors.Is(err, cause) {
		t.Errorf("error %v does not wrap the cause", err)
	}
}

type writeFunc func()

func (f writeFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestExitErrorKeepsTheTail(t *testing.T) {
	w := work(t, method.Method{Run: "seq 10000; echo last; exit 2"})
	_, err := new(shell.Executor).Execute(t.Context(), w)
	var exit *shell.ExitError
	if !errors.As(err, &exit) || len(exit.Tail) > 1<<10 || !strings.HasSuffix(exit.Tail, "\nlast") {
		t.Errorf("error %#v", err)
	}
}

func ExampleExecutor() {
	work := exec.Work{Method: method.Method{Run: "echo no space; exit 3"}, Runner: &process.Runner{}}
	_, err := new(shell.Executor).Execute(context.Background(), work)
	fmt.Println(err)
	// Output: shell: exit status 3: no space
}

// A command is told the phase of a step that writes its test first, and nothing
// where there is none.
func TestExecuteTellsThePhase(t *testing.T) {
	t.Setenv("PLANLOCK_PHASE", "of the controller")
	for _, phase := range []history.CyclePhase{"", history.Red, history.Green, history.Refactor} {
		w := work(t, method.Method{Run: `printf %s "${PLANLOCK_PHASE-none}"`})
		w.Phase = phase
		want := string(phase)
		if phase == "" {
			want = "none"
		}
		if got, err := new(shell.Executor).Execute(t.Context(), w); err != nil || got.Stdout != want {
			t.Errorf("phase %q: it was told %q, %v", phase, got.Stdout, err)
		}
	}
}
