package standard

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/planlock/planlock/gate"
)

// expectedOutput compares what the executor printed with the step's expect table.
func expectedOutput() gate.Gate {
	return gate.NewQuick(info("expected-output",
		"Exit status and standard output must be what the step's expect table says; expected_output is text for reviewers and is recorded.",
		gate.BlocksStep, gate.After), nothingExpected, judgeOutput)
}

func judgeOutput(_ context.Context, pass *gate.Pass) error {
	if pass.Step == nil {
		return errors.New("standard: expected-output: the pass has no step")
	}
	if pass.Step.ExpectedOutput != "" {
		pass.Evidencef("expected, in words: %s", pass.Step.ExpectedOutput)
	}
	want := pass.Step.Expect
	if want == nil {
		return nil
	}
	if pass.Output == nil {
		return errors.New("standard: expected-output: the pass has no output of the executor")
	}
	stdout := pass.Output.Stdout
	if stdout == "" {
		stdout = pass.Output.Text
	}
	if want.StdoutMatches != "" {
		re, err := regexp.Compile(want.StdoutMatches)
		if err != nil {
			return fmt.Errorf("standard: expected-output: stdout_matches %q: %w", want.StdoutMatches, err)
		}
		if !re.MatchString(stdout) {
			unexpected(pass, fmt.Sprintf("standard output that matches %q", want.StdoutMatches), tail(stdout))
		}
	}
	if want.Exit != nil && pass.Output.Exit != *want.Exit {
		unexpected(pass, fmt.Sprintf("exit status %d", *want.Exit), fmt.Sprintf("exit status %d", pass.Output.Exit))
	}
	if want.StdoutContains != "" && !strings.Contains(stdout, want.StdoutContains) {
		unexpected(pass, fmt.Sprintf("standard output that contains %q", want.StdoutContains), tail(stdout))
	}
	return nil
}

func unexpected(pass *gate.Pass, expected, happened string) {
	pass.Report(gate.Finding{Code: gate.CodeExpectedOutput,
		Message: "the executor's output is not what the step expects", Expected: expected, Happened: happened})
}
