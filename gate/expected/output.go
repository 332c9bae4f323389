// Package expected looks for what a step said that it would show: its output,
// and the files that it owes as evidence. [Output] and [Evidence] block the
// step (level 1) and are asked after an attempt.
//
// Nothing here says that an output is true. It says that the executor did what
// the step announced, which is what a person who reads the plan relies on.
package expected

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
)

// Output is the gate that compares what the executor printed with the step's
// expect table.
func Output() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "expected-output",
		Doc:     "Exit status and standard output must be what the step's expect table says; expected_output is text for reviewers and is recorded.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Stateless: true,
	}, nothingExpected, judgeOutput)
}

// judgeOutput compares what an executor printed. Text in words is for
// reviewers, and is recorded; only the table expect is something that a machine
// can hold.
func judgeOutput(_ context.Context, pass *gate.Pass) error {
	if pass.Step.ExpectedOutput != "" {
		pass.Nothingf("expected, in words: %s", pass.Step.ExpectedOutput)
	}
	want := pass.Step.Expect
	if want == nil {
		pass.Nothingf("the step expects no output that a machine can decide")
		return nil
	}
	if pass.Output == nil {
		return errors.New("expected-output: the pass has no output of the executor")
	}
	pass.Evidencef("status %d and what was printed were held against what the step expects", pass.Output.Exit)
	stdout := pass.Output.Stdout
	if want.StdoutMatches != "" {
		re, err := regexp.Compile(want.StdoutMatches)
		if err != nil {
			return fmt.Errorf("expected-output: stdout_matches %q: %w", want.StdoutMatches, err)
		}
		if !re.MatchString(stdout) {
			unexpected(pass, fmt.Sprintf("standard output that matches %q", want.StdoutMatches), printed(stdout))
		}
	}
	if want.Exit != nil && pass.Output.Exit != *want.Exit {
		unexpected(pass, fmt.Sprintf("exit status %d", *want.Exit), fmt.Sprintf("exit status %d", pass.Output.Exit))
	}
	if want.StdoutContains != "" && !strings.Contains(stdout, want.StdoutContains) {
		unexpected(pass, fmt.Sprintf("standard output that contains %q", want.StdoutContains), printed(stdout))
	}
	return nil
}

// printed is the end of a standard output, with what is not seen of it.
func printed(stdout string) string {
	switch {
	case stdout == "":
		return "nothing on standard output"
	case strings.HasSuffix(stdout, "\n"):
		return say.Tail(stdout) + " (and a newline at its end)"
	}
	return say.Tail(stdout)
}

// unexpected reports one difference between what is expected and what happened.
func unexpected(pass *gate.Pass, expected, happened string) {
	pass.Report(gate.Finding{Code: code.ExpectedOutput,
		Message: "the executor's output is not what the step expects", Expected: expected, Happened: happened})
}

// nothingExpected reports whether the step has no table of what it must print.
func nothingExpected(pass *gate.Pass) bool { return pass.Step != nil && pass.Step.Expect == nil }
