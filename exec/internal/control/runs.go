package control

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/gate"
)

// runs are the commands that a check ran, and how they ended.
type runs struct {
	gate.CommandRunner
	ended []gate.CommandResult
}

// Run runs a command, and notes how it ended.
func (r *runs) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	result, err := r.CommandRunner.Run(ctx, c)
	r.ended = append(r.ended, result)
	return result, err
}

// Statuses with which a shell says that it could not run a command, and the
// first that says that a signal ended one.
const (
	notRun   = 126
	notFound = 127
	signal   = 128
)

// without are what test programs print that found no test, by their status.
var without = map[int][]string{
	0: {"no tests to run", "no test files", "running 0 tests"},
	1: {"No tests found", "No test files found"},
	5: {"no tests ran", "collected 0 items", "Ran 0 tests"},
}

// nothing says why a check that does not hold has told nothing; "" if it has.
func (r *runs) nothing() string {
	if len(r.ended) == 0 {
		return ""
	}
	last := r.ended[len(r.ended)-1]
	switch {
	case last.Exit == notRun || last.Exit == notFound:
		return "a command was not found"
	case last.Exit < 0 || last.Exit > signal:
		return fmt.Sprintf("a command crashed (status %d)", last.Exit)
	}
	for _, text := range without[last.Exit] {
		if strings.Contains(last.Output, text) {
			return "no test was run"
		}
	}
	return ""
}
