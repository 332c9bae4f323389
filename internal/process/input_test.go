package process_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// A command is over when it has ended, whoever still waits for its input.
func TestInputThatNeverComes(t *testing.T) {
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		in, feed := io.Pipe()
		begin := time.Now()
		result, err := r.Run(t.Context(), gate.Command{Run: "echo done", Stdin: in})
		if err != nil || result.Output != "done\n" || time.Since(begin) > 10*time.Second {
			t.Errorf("%+v, %v, after %s", result, err, time.Since(begin))
		}
		feed.Close()
	})
}

// It is the same where it was to be ended.
func TestInputOfACommandThatIsEnded(t *testing.T) {
	r := &process.Runner{Dir: t.TempDir(), Grace: 10 * time.Millisecond}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	in, feed := io.Pipe()
	defer feed.Close()
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	if _, err := r.Run(ctx, gate.Command{Run: "cat", Stdin: in}); !errors.Is(err, why) || errors.Is(err, process.ErrNotEnded) {
		t.Errorf("got %v", err)
	}
}

// A dialogue: what is written is read at once, and its end is the end.
func TestInputByAndBy(t *testing.T) {
	r := &process.Runner{Dir: t.TempDir()}
	in, feed := io.Pipe()
	said, out := io.Pipe()
	go func() {
		defer feed.Close()
		for _, word := range []string{"one\n", "two\n"} {
			io.WriteString(feed, word)
			if got := make([]byte, 4); errors.Join(second(io.ReadFull(said, got))) != nil || string(got) != word {
				t.Errorf("got %q for %q", got, word)
			}
		}
	}()
	result, err := r.Run(t.Context(), gate.Command{Run: "cat", Stdin: in, Stdout: out})
	if err != nil || result.Stdout != "one\ntwo\n" {
		t.Errorf("%+v, %v", result, err)
	}
}

func second(_ int, err error) error { return err }

// Nothing of a reader is open, or read, once the command has ended.
func TestInputIsLetGo(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("nobody lists open files here")
	}
	open := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	r := &process.Runner{Dir: t.TempDir()}
	run := func() {
		for _, in := range []io.Reader{strings.NewReader("text"), strings.NewReader(strings.Repeat("x", 1<<20)),
			iotest.ErrReader(errors.New("no")), nil} {
			if result, err := r.Run(t.Context(), gate.Command{Run: "exit 3", Stdin: in}); err != nil || result.Exit != 3 {
				t.Errorf("%+v, %v", result, err)
			}
			r.Run(t.Context(), gate.Command{Args: []string{"./none"}, Stdin: in})
			r.Run(t.Context(), gate.Command{Args: []string{"./empty"}, Stdin: in}) // found, and does not start
		}
	}
	if err := os.WriteFile(r.Dir+"/empty", []byte("\x00"), 0o755); err != nil {
		t.Fatal(err)
	}
	run() // what stays open for good is
	before := open()
	run()
	if after := open(); after > before {
		t.Errorf("%d files are open, and were %d", after, before)
	}
}
