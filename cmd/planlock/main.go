// Command planlock checks, locks and runs plans, and proves what happened.
//
// It is thin: each command parses flags, calls the library and prints.
// "planlock help" lists the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/planlock/planlock/internal/terminal"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// A cli is one call of the command: where it reads and writes.
type cli struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
}

// run is main without the process. It returns the exit status.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	p := &cli{in: in, out: out, err: errs, now: time.Now}
	ctx, stop := interruptible(context.Background())
	defer stop()
	err := p.dispatch(ctx, args)
	if text := message(ctx, err); text != "" {
		fmt.Fprintln(errs, "planlock: "+strings.Join(terminal.Lines(text), "\n"))
	}
	return status(ctx, err)
}

// A signalError says that a person, or the system, wants the program to stop.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string {
	switch e.signal {
	case os.Interrupt:
		return "stopped by SIGINT"
	case syscall.SIGTERM:
		return "stopped by SIGTERM"
	}
	return "stopped by " + e.signal.String()
}

// interruptible is a context that ends with a *signalError at the first
// interrupt. The second one ends the process at once; the journal survives that.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&signalError{s})
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// interruption is the signal that ended ctx, or nil.
func interruption(ctx context.Context) *signalError {
	var s *signalError
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}
