package process_test

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

var _ gate.CommandRunner = (*process.Runner)(nil)

// unix skips where commands of these tests do not exist.
func unix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are those of Unix")
	}
}

// levels are the levels that the machine reaches; "none" always among them.
func levels(t testing.TB) []process.Level {
	t.Helper()
	var reached []process.Level
	for _, level := range []process.Level{process.None, process.Process, process.Filesystem, process.Strict} {
		if _, err := process.Reach(process.Sandbox{Level: level}); err == nil {
			reached = append(reached, level)
		} else {
			t.Logf("not reached: %v", err)
		}
	}
	return reached
}

// eachLevel runs a test at every level that the machine reaches.
func eachLevel(t *testing.T, test func(t *testing.T, r *process.Runner)) {
	t.Helper()
	unix(t)
	for _, level := range levels(t) {
		t.Run(string(level), func(t *testing.T) {
			test(t, &process.Runner{Dir: t.TempDir(), Sandbox: process.Sandbox{Level: level}})
		})
	}
}

// inTurn reports whether row number of a table whose rows take seconds is tried
// at a level now: with the tag torture each is at every level, else at every
// second one, and in short runs at every fourth. No row is left out altogether.
func inTurn(level process.Level, number int) bool {
	turns := 2
	switch {
	case whole:
		turns = 1
	case testing.Short():
		turns = 4
	}
	levels := []process.Level{process.None, process.Process, process.Filesystem, process.Strict}
	return (slices.Index(levels, level)+number)%turns == 0
}

func TestRunTellsHowACommandEnded(t *testing.T) {
	type outcome struct {
		Exit           int
		Stdout, Output string
	}
	tests := []struct {
		name    string
		command gate.Command
		want    outcome
	}{
		// no command has a Stdin of its own: commands are shared between levels
		{"success", gate.Command{Run: "echo hello"}, outcome{0, "hello\n", "hello\n"}},
		{"failure", gate.Command{Run: "echo no >&2; exit 7"}, outcome{7, "", "no\n"}},
		{"arguments", gate.Command{Args: []string{"printf", "%s|", "a b", "$HOME", "'"}}, outcome{0, "a b|$HOME|'|", "a b|$HOME|'|"}},
		{"its own signal", gate.Command{Run: "kill -TERM $$; echo not here"}, outcome{143, "", ""}},
		{"forced signal", gate.Command{Run: "kill -KILL $$; echo not here"}, outcome{137, "", ""}},
		{"no standard input", gate.Command{Run: "cat"}, outcome{0, "", ""}},
		{"environment", gate.Command{Run: "echo $MINE", Env: []string{"MINE=yes"}}, outcome{0, "yes\n", "yes\n"}},
		{"syntax error is a failure", gate.Command{Run: "exit 3; ("}, outcome{2, "", ""}},
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				got, err := r.Run(t.Context(), test.command)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(test.name, "syntax") {
					got.Output = ""
				}
				if diff := cmp.Diff(test.want, outcome{got.Exit, got.Stdout, got.Output}); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestStandardInput(t *testing.T) {
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		long := strings.Repeat("x", 1<<20)
		for run, want := range map[string]string{"cat": long, "exit 0": "", "head -c 3": "xxx"} {
			result, err := r.Run(t.Context(), gate.Command{Run: run, Stdin: strings.NewReader(long)})
			if err != nil || result.Exit != 0 || !strings.HasSuffix(result.Stdout, want[len(want)*9/10:]) {
				t.Errorf("%s: exit %d, %d bytes, error %v", run, result.Exit, len(result.Stdout), err)
			}
		}
	})
}

func TestRunRefusesWhatCannotStart(t *testing.T) {
	unix(t)
	r := &process.Runner{Dir: t.TempDir()}
	tests := []struct {
		name    string
		command gate.Command
		is      error
	}{
		{"nothing", gate.Command{}, nil},
		{"both", gate.Command{Run: "true", Args: []string{"true"}}, nil},
		{"no such program", gate.Command{Args: []string{"planlock-no-such-program"}}, osexec.ErrNotFound},
		{"no such path", gate.Command{Args: []string{"./x"}}, osexec.ErrNotFound},
		{"a folder", gate.Command{Args: []string{"/"}}, osexec.ErrNotFound},
		{"no such folder", gate.Command{Run: "true", Dir: "missing"}, nil},
		{"NUL", gate.Command{Run: "echo \x00"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := r.Run(t.Context(), test.command)
			if err == nil || result.Exit == 0 {
				t.Fatalf("ran: %+v", result)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v is not %v", err, test.is)
			}
			if !strings.HasPrefix(err.Error(), "process: ") {
				t.Errorf("error %q does not name the package", err)
			}
		})
	}
}

var errStop = errors.New("stopped by the test")

func TestRunEndsWithItsContext(t *testing.T) {
	scripts := []struct{ name, run string }{
		{"waits", "echo begun; exec sleep 1000"},
		{"busy loop", "echo begun; while :; do :; done"},
		{"ignores the polite signal", "trap '' TERM HUP INT; echo begun; while :; do sleep 1; done"},
		{"child in a session of its own", "setsid sh -c 'trap \"\" TERM; echo begun; while :; do sleep 1; done'"},
		{"stopped", "echo begun; kill -STOP $$"},
		{"fills the pipe", "echo begun; exec yes"},
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		r.Grace = 50 * time.Millisecond
		for _, script := range scripts {
			t.Run(script.name, func(t *testing.T) {
				if strings.Contains(script.run, "setsid") {
					needs(t, "setsid")
				}
				mark := marked(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				begun := &onWrite{do: func() { cancel(errStop) }}
				result, err := r.Run(ctx, gate.Command{Run: script.run, Env: []string{mark}, Stdout: begun})
				if !errors.Is(err, errStop) {
					t.Errorf("error %v does not wrap the cause", err)
				}
				if !strings.HasPrefix(result.Output, "begun\n") && !strings.Contains(result.Output, "y\n") {
					t.Errorf("the output so far is lost: %.100q", result.Output)
				}
				noneLeft(t, mark)
			})
		}
	})
}

func TestRunDoesNotStartWhenItsContextHasEnded(t *testing.T) {
	unix(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	r := &process.Runner{Dir: t.TempDir()}
	if _, err := r.Run(ctx, gate.Command{Run: "touch ran"}); !errors.Is(err, errStop) {
		t.Errorf("error %v does not wrap the cause", err)
	}
	if found, _ := filepath.Glob(filepath.Join(r.Dir, "*")); found != nil {
		t.Errorf("it ran all the same")
	}
}

func TestNothingOutlivesRun(t *testing.T) {
	scripts := []struct{ name, run string }{
		{"background", "sleep 1000 &"},
		{"grandchild holds the output", "(sleep 1000 & sleep 1000 &) ; echo done"},
		{"double fork", "(sh -c 'sleep 1000 & sleep 1000' &) &"},
		{"session of its own", "setsid sleep 1000 & setsid sh -c 'setsid sleep 1000 &' ; echo done"},
		{"ignores signals", "(trap '' TERM HUP INT QUIT; sleep 1000; sleep 1000) & echo done"},
		{"detached from the output", "setsid nohup sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 </dev/null &"},
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		for _, script := range scripts {
			t.Run(script.name, func(t *testing.T) {
				if strings.Contains(script.run, "setsid") {
					needs(t, "setsid")
				}
				mark := marked(t)
				result, err := r.Run(t.Context(), gate.Command{Run: script.run, Env: []string{mark}})
				if err != nil || result.Exit != 0 {
					t.Fatalf("result %+v, error %v", result, err)
				}
				noneLeft(t, mark)
			})
		}
	})
}

func TestOutputIsBoundedAndTheLiveWriterGetsAll(t *testing.T) {
	const size, limit = 64 << 20, 64 << 10
	scripts := []struct{ name, run string }{
		{"many lines", "yes abcdefg | head -c 67108864; echo the end"},
		{"one line", "head -c 67108864 /dev/zero; echo the end"},
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		r.OutputLimit = limit
		for _, script := range scripts {
			t.Run(script.name, func(t *testing.T) {
				var live counter
				result, err := r.Run(t.Context(), gate.Command{Run: script.run, Stdout: &live})
				if err != nil {
					t.Fatal(err)
				}
				if want := int64(size + len("the end\n")); live.n != want {
					t.Errorf("the live writer got %d bytes, not %d", live.n, want)
				}
				for _, text := range []string{result.Output, result.Stdout} {
					if !strings.HasSuffix(text, "the end\n") || !strings.Contains(text, "bytes left out") ||
						len(text) > limit+100 {
						t.Errorf("kept %d bytes: %.40q … %q", len(text), text, text[max(0, len(text)-40):])
					}
				}
			})
		}
	})
}

func TestFailingLiveWriterIsReported(t *testing.T) {
	unix(t)
	r := &process.Runner{Dir: t.TempDir()}
	result, err := r.Run(t.Context(), gate.Command{Run: "echo one; echo two; exit 3", Stdout: failing{}})
	if !errors.Is(err, errStop) || result.Exit != 3 || result.Stdout != "one\ntwo\n" {
		t.Errorf("result %+v, error %v", result, err)
	}
}

func TestCommandsRunAtTheSameTime(t *testing.T) {
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		results := make(chan string)
		for i := range 8 {
			go func() {
				result, err := r.Run(t.Context(), gate.Command{Run: "echo $N",
					Env: []string{"N=" + string(rune('a'+i))}})
				results <- result.Stdout + errText(err)
			}()
		}
		seen := make(map[string]bool)
		for range 8 {
			seen[<-results] = true
		}
		for i := range 8 {
			if want := string(rune('a'+i)) + "\n"; !seen[want] {
				t.Errorf("no command printed %q: %v", want, seen)
			}
		}
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// onWrite does something at the first write.
type onWrite struct{ do func() }

func (w *onWrite) Write(p []byte) (int, error) {
	w.do()
	return len(p), nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errStop }

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := osexec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

func BenchmarkSpawn(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("needs true")
	}
	for _, level := range levels(b) {
		b.Run(string(level), func(b *testing.B) {
			r := &process.Runner{Dir: b.TempDir(), Sandbox: process.Sandbox{Level: level}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Run(b.Context(), gate.Command{Args: []string{"true"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNothingIsWrittenAfterRun is a command that goes on writing after it said
// that it was done.
func TestNothingIsWrittenAfterRun(t *testing.T) {
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		result, err := r.Run(t.Context(), gate.Command{Run: "(trap '' TERM HUP; while :; do echo x >>late; done) & while ! test -s late; do :; done; echo done"})
		if err != nil || result.Stdout != "done\n" {
			t.Fatalf("result %+v, error %v", result, err)
		}
		file := filepath.Join(r.Dir, "late")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		osexec.Command("/bin/sh", "-c", "true; true").Run() // time enough for another round of the loop
		if _, err := os.Stat(file); err == nil {
			t.Error("it was written after the command had ended")
		}
	})
}
