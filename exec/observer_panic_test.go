package exec_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// An observer that panics, whatever it is told, does not keep a run from doing
// its work; it is told once.
func TestObserverThatPanics(t *testing.T) {
	var log bytes.Buffer
	b := exectest.New(t, twoSteps(), exectest.Files{"b.txt": "b\n"}, exectest.Script{
		"1.1": exectest.All(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			_, err := w.Output.Write([]byte("live\n"))
			return exec.Outcome{}, err
		}, goodScript["1.1"]),
		"1.2": goodScript["1.2"],
	})
	calls := 0
	b.Controller.Observe = func(context.Context, event.Event) { calls++; panic("an observer of a careless host") }
	b.Controller.Log = slog.New(slog.NewTextHandler(&log, nil))
	b.Run(t).Want(t, history.Achieved)
	if calls < 10 {
		t.Errorf("it was called %d times", calls)
	}
	if n := strings.Count(log.String(), "an observer of a careless host"); n != 1 || !strings.Contains(log.String(), "observer_panic_test.go") {
		t.Errorf("it was told %d times: %s", n, log.String())
	}
}
