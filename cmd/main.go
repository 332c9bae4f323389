// Package cmd is the command planlock, as a package.
//
// It is thin: each command parses flags, calls the library and prints. A
// program whose main calls [Main] is the command; a host that has gates,
// checks, executors or stores of its own gives them to it:
//
//	func main() { cmd.Main(cmd.With{Gates: []gate.Gate{polite}}) }
package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/plan"
)

// Main carries out what the command line of the process asks for, with what a
// host brings, and ends the process with its status.
func Main(with With) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a call is short, and most of them end before there is anything to collect
	}
	os.Exit(run(with, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// A cli is one call of the command: where it reads and writes.
type cli struct {
	with     With
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
}

// run is main without the process. It returns the exit status.
func run(with With, args []string, in io.Reader, out, errs io.Writer) int {
	data := &sink{out: out}
	p := &cli{with: with, in: in, out: data, err: errs, now: time.Now}
	ctx, stop := interruptible(context.Background())
	defer stop()
	err := p.dispatch(ctx, args)
	if quiet := (*quietError)(nil); err == nil || errors.As(err, &quiet) {
		err = cmp.Or(data.failure(), err)
	}
	if text := message(ctx, err); text != "" {
		fmt.Fprintln(errs, "planlock: "+strings.Join(safetext.Lines(text), "\n"))
	}
	return status(ctx, err)
}

// A sink remembers that something could not be written, so that data which
// went missing is never taken for success.
type sink struct {
	out io.Writer
	err error // the first
}

// Write writes to the output.
func (s *sink) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// failure is the error to end with; a reader that went away wanted no more.
func (s *sink) failure() error {
	if s.err == nil || errors.Is(s.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("standard output: %w", s.err)
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
// interrupt. The second one ends the process at once; the journal survives
// that.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup asked for that
		signal.Notify(signals, syscall.SIGHUP)
	}
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

// Exit statuses, as other programs rely on them.
const (
	statusDone        = 0
	statusNotAchieved = 1
	statusUsage       = 2
	statusPartial     = 3
	statusRefused     = 4
	statusWaiting     = 5
	statusCouldNot    = 6
	statusInterrupted = 130
	statusTerminated  = 143
)

// A usageError says that the words of a call are off.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// A quietError has a status and has been told already.
type quietError struct{ status int }

func (e *quietError) Error() string { return "" }

// status is the exit status that err stands for.
func status(ctx context.Context, err error) int {
	if err == nil {
		return statusDone
	}
	if s := interruption(ctx); s != nil {
		if s.signal != os.Interrupt {
			return statusTerminated
		}
		return statusInterrupted
	}
	var (
		quiet     *quietError
		usage     *usageError
		outcome   *exec.OutcomeError
		refused   *exec.RefusedError
		proof     *exec.ProofError
		ambiguous *exec.AmbiguousError
		check     *plan.CheckError
		acks      *plan.AckError
		amend     *plan.AmendError
		lock      *plan.LockError
		answer    *ask.RefusedError
		rules     *ask.RuleError
		corrupt   *record.CorruptError
		damaged   *checkpoint.DamagedError
	)
	switch {
	case errors.As(err, &quiet):
		return quiet.status
	case errors.As(err, &usage), errors.As(err, &ambiguous):
		return statusUsage
	case errors.As(err, &outcome):
		if outcome.Status == history.Partial {
			return statusPartial
		}
		return statusNotAchieved
	case errors.Is(err, exec.ErrWaiting):
		return statusWaiting
	case errors.As(err, &refused), errors.As(err, &proof), errors.As(err, &check), errors.As(err, &acks),
		errors.As(err, &amend),
		errors.As(err, &lock), errors.As(err, &answer), errors.As(err, &rules),
		errors.As(err, &corrupt), errors.As(err, &damaged):
		return statusRefused
	}
	return statusCouldNot
}
