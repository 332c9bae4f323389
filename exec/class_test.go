package exec_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// returning is an action that fails with an error as it is.
func returning(err error) exec.Func {
	return func(context.Context, exec.Work) (exec.Outcome, error) { return exec.Outcome{}, err }
}

// TestClassesAreRecognised lets the first step fail in every way that an
// executor and the gates can tell apart.
func TestClassesAreRecognised(t *testing.T) {
	wrote := goodScript["1.1"]
	tests := []struct {
		name, declares string // lines that are added to the step
		does           exec.Func
		want           history.Class
		cause          gate.Cause
	}{
		{"an error", "", returning(errors.New("no")), history.Crashed, ""},
		{"a step that it does not do", "", returning(fmt.Errorf("I: %w", exec.ErrDeclined)), history.Declined, ""},
		{"no memory, says the system", "", returning(fmt.Errorf("fork: %w", syscall.ENOMEM)), history.OutOfMemory, ""},
		{"no memory, says the sandbox", "", returning(fmt.Errorf("run: %w", process.ErrOutOfMemory)),
			history.OutOfMemory, ""},
		{"no space", "", returning(fmt.Errorf("write: %w", syscall.ENOSPC)), history.NoSpace, ""},
		{"too late, for resources", "", returning(&gate.TimeoutError{Cause: gate.Resources}), history.TimedOut,
			gate.Resources},
		{"too late, by a dependency", "", returning(&gate.TimeoutError{Cause: gate.Dependency}), history.TimedOut,
			gate.Dependency},
		{"too late, standing still", "", returning(&gate.TimeoutError{Cause: gate.Deadlock}), history.TimedOut,
			gate.Deadlock},
		{"too late, by a model", "", returning(&gate.TimeoutError{Cause: gate.ModelStall}), history.TimedOut,
			gate.ModelStall},
		{"a file that nobody declared", "", exectest.All(wrote, exectest.Write("stray.txt", "b\n")), history.Breach,
			""},
		{"a gate", "", exectest.Write("a.txt", ""), history.GateFailed, ""},
		{"an output of another form", `expect = { stdout_matches = "^[0-9]+$" }`, exectest.All(wrote, exectest.Say("many")), history.SchemaMismatch, ""},
		{"no evidence", `evidence = ["log.txt"]`, wrote, history.MissingEvidence, ""},
		{"no evidence, and another form", "evidence = [\"log.txt\"]\nexpect = { stdout_contains = \"7\" }", wrote,
			history.GateFailed, ""},
		{"no evidence, and a file that nobody declared", `evidence = ["log.txt"]`, exectest.All(wrote, exectest.Write("stray.txt", "b\n")), history.Breach, ""},
		{"a precondition", `preconditions = [{ kind = "file_exists", path = "not-there" }]`, wrote, history.Refused,
			""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(tt.declares), workspace, exectest.Script{"1.1": tt.does, "1.2": goodScript["1.2"]})
			b.Controller.Preset = "contract"
			run := b.Run(t)
			run.Want(t, history.NotAchieved)
			got := failureOf(run.Report.Run.Step("1.1"))
			if got == nil || got.Class != tt.want || got.Cause != tt.cause {
				t.Errorf("got %+v, want %s %s", got, tt.want, tt.cause)
			}
		})
	}
}

// failureOf is the first failure of a step.
func failureOf(s *history.Step) *history.AttemptFailed {
	if s.Refusal != nil {
		return s.Refusal
	}
	for _, a := range s.Attempts {
		if a.Failure != nil {
			return a.Failure
		}
	}
	return nil
}
