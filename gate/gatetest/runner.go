package gatetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	osexec "os/exec"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/gate"
)

// unlimited is the limit of gates under test: the test has its own.
func unlimited(gate.Info) time.Duration { return 0 }

// A Runner answers commands from a script and notes them. The zero value knows
// no command. It is safe for concurrent use once Results is set.
type Runner struct {
	// Results by command line, as gate.Command.String writes it. A command that
	// is not there could not be run. Where only Stdout is set, Output is the
	// same.
	Results map[string]gate.CommandResult

	mu   sync.Mutex
	asks []string
}

// Run answers from the script.
func (r *Runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	if err := context.Cause(ctx); err != nil {
		return gate.CommandResult{}, err
	}
	r.mu.Lock()
	r.asks = append(r.asks, c.String())
	r.mu.Unlock()
	res, ok := r.Results[c.String()]
	if !ok {
		return res, fmt.Errorf("gatetest: no result is set for the command %q", c.String())
	}
	if res.Output == "" {
		res.Output = res.Stdout
	}
	if c.Stdout != nil {
		if _, err := io.WriteString(c.Stdout, res.Stdout); err != nil {
			return res, err
		}
	}
	return res, nil
}

// Commands lists what was asked for, in order.
func (r *Runner) Commands() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.asks...)
}

// Local runs commands for real in Dir, without any sandbox: only for tests that
// trust what they run. Shell commands need sh.
type Local struct{ Dir string }

// Run runs the command.
func (l Local) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	args := c.Args
	if c.Run != "" {
		args = []string{"sh", "-c", c.Run}
	}
	if len(args) == 0 {
		return gate.CommandResult{}, errors.New("gatetest: the command is empty")
	}
	cmd := osexec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Stdin = l.Dir, c.Stdin
	if c.Dir != "" {
		cmd.Dir = c.Dir
	}
	if c.Env != nil {
		cmd.Env = append(cmd.Environ(), c.Env...)
	}
	var both, out strings.Builder
	var mu sync.Mutex
	cmd.Stderr = locked{&mu, &both}
	cmd.Stdout = locked{&mu, io.MultiWriter(&both, &out)}
	if c.Stdout != nil {
		cmd.Stdout = locked{&mu, io.MultiWriter(&both, &out, c.Stdout)}
	}
	start := time.Now()
	err := cmd.Run()
	res := gate.CommandResult{Output: both.String(), Stdout: out.String(), Took: time.Since(start)}
	var exit *osexec.ExitError
	switch {
	case ctx.Err() != nil:
		return res, context.Cause(ctx)
	case errors.As(err, &exit):
		res.Exit = exit.ExitCode()
	case err != nil:
		return res, fmt.Errorf("gatetest: %w", err)
	}
	return res, nil
}

// locked writes to w under a lock: both streams of a command share a buffer.
type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
