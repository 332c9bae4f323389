package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestStatus pins the exit status of every kind of error, and that each says
// what to do next.
func TestStatus(t *testing.T) {
	cases := map[string]struct {
		err    error
		status int
		says   []string
	}{
		"nothing":      {nil, 0, nil},
		"usage":        {&usageError{"there is no command"}, 2, nil},
		"ambiguous":    {&exec.AmbiguousError{Prefix: "01", Runs: []string{"01A", "01B"}}, 2, []string{"give more"}},
		"not achieved": {&exec.OutcomeError{Run: "01A", Status: history.NotAchieved}, 1, []string{"hint:"}},
		"partial":      {&exec.OutcomeError{Run: "01A", Status: history.Partial}, 3, []string{"hint:"}},
		"refused":      {&exec.RefusedError{Run: "01A", Reasons: []string{"a", "b"}, Hint: "mend"}, 4, []string{"\n  a\n  b", "hint: mend"}},
		"journal":      {&exec.ProofError{Run: "01A", What: "journal", Why: "x"}, 4, []string{"hint:"}},
		"elsewhere":    {&exec.ProofError{Run: "01A", What: "journal", Why: "x", Err: exec.ErrNoRun}, 4, []string{"keeps its stores elsewhere"}},
		"content gone": {&exec.ProofError{Run: "01A", What: "tree", Why: "x", Err: checkpoint.ErrNotFound}, 4,
			[]string{"keeps its stores elsewhere"}},
		"view":    {&exec.ProofError{Run: "01A", What: "view", Why: "x"}, 4, []string{"planlock report 01A"}},
		"corrupt": {&record.CorruptError{Name: "01A", Seq: 3}, 4, []string{"hint:"}},
		"damaged": {&checkpoint.DamagedError{}, 4, []string{"hint:"}},
		"check":   {&plan.CheckError{}, 4, []string{"planlock check PATH"}},
		"lock":    {&plan.LockError{What: "plan"}, 4, []string{"planlock lock PATH"}},
		"acks": {&plan.AckError{Missing: []plan.Acknowledgement{{Code: "irreversible:2.1", Text: "t"}},
			Unknown: []string{"x"}},
			4, []string{"--ack irreversible:2.1", "asks for x"}},
		"amendment":  {&plan.AmendError{Reasons: []string{"goal is not what it was"}}, 4, []string{"goal is not", "hint: bring back"}},
		"answer":     {&ask.RefusedError{Question: "q1", Why: "late"}, 4, []string{"planlock status"}},
		"rules":      {errors.Join(&escalator.RuleError{File: "r.toml", Message: "bad"}), 4, []string{"r.toml"}},
		"waiting":    {fmt.Errorf("x: %w", exec.ErrWaiting), 5, []string{"planlock status"}},
		"held":       {&checkpoint.HeldError{Dir: "d", Holder: "process 7"}, 6, []string{"process 7", "hint:"}},
		"no run":     {exec.ErrNoRun, 6, []string{"planlock run PATH"}},
		"missing":    {fmt.Errorf("x: %w", fs.ErrNotExist), 6, []string{"hint:"}},
		"permission": {fmt.Errorf("x: %w", fs.ErrPermission), 6, []string{"hint:"}},
		"full":       {fmt.Errorf("x: %w", syscall.ENOSPC), 6, []string{"make room"}},
		"any":        {errors.New("strange"), 6, []string{"strange"}},
		"quiet":      {&quietError{4}, 4, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			if got := status(ctx, c.err); got != c.status {
				t.Errorf("status %d, want %d", got, c.status)
			}
			if got := status(ctx, inWorkspace("dir", ofPlan("p.toml", c.err))); got != c.status {
				t.Errorf("placed: status %d, want %d", got, c.status)
			}
			text := message(ctx, c.err)
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("message %q does not say %q", text, want)
				}
			}
		})
	}
}

// TestInterruptedStatus pins what signals come to, and that the last line says
// how to go on.
func TestInterruptedStatus(t *testing.T) {
	run := &history.Run{Started: history.Started{Run: "01A"}}
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 143} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&signalError{signal: sig})
		err := inWorkspace("my dir", about(run, context.Cause(ctx)))
		if got := status(ctx, err); got != want {
			t.Errorf("%v: status %d, want %d", sig, got, want)
		}
		lines := strings.Split(message(ctx, err), "\n")
		if got := lines[len(lines)-1]; got != "go on with  planlock resume 01A --dir 'my dir'" {
			t.Errorf("%v: the last line is %q", sig, got)
		}
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"plan.toml": "plan.toml", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "\x1b[2J": `'\x1b[2J'`, "$(x)": "'$(x)'"} {
		if got := quoted(word); got != want {
			t.Errorf("quoted(%q) = %s, want %s", word, got, want)
		}
	}
}
