package process_test

import (
	"context"
	"errors"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// forever is a program that never ends by itself.
const forever = "sh.exe -c 'while true; do sleep 0.02; done'"

// TestJob: what a command left behind ends with it, and all of it ends with
// its context.
func TestJob(t *testing.T) {
	if _, err := osexec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	r := &process.Runner{Dir: t.TempDir(), Grace: time.Millisecond}
	got, err := r.Run(t.Context(), gate.Command{Run: forever + " & echo left"})
	if err != nil || got.Exit != 0 || got.Output != "left\n" { // err says so if something holds the output
		t.Errorf("left behind: %+v, %v", got, err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	got, err = r.Run(ctx, gate.Command{Run: "echo begun; " + forever, Stdout: writer(func(text string) {
		if strings.Contains(text, "\n") {
			cancel(why)
		}
	})})
	if !errors.Is(err, why) || errors.Is(err, process.ErrNotEnded) || got.Output != "begun\n" {
		t.Errorf("ended: %+v, %v", got, err)
	}
}

type writer func(string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
