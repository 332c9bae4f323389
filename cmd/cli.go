package cmd

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

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A cli is one call of the command: where it reads and writes.
type cli struct {
	with     With
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	color    paint.When // "" like auto
	terms    terms      // under which plans are read
	args     []string   // the words of the call
	kept     place      // where the runs of the workspace are kept; zero if there
	owns     bool       // it is an owner that was given the run

	closers []func() error // of what it opened

	// Of a call that an agent has somebody make; nil of one that was typed.
	begun  func(run string)                                             // told of the run that begins or goes on
	accept func(ctx context.Context, codes []plan.Acknowledgement) bool // whether a person accepts these
	inside func(path string) error                                      // refuses files that are none of its business
	// settled is what was settled when the server began: what files settle since,
	// an agent may have written.
	settled *settled
}

// A sink remembers that something could not be written, so that data which went
// missing is never taken for success.
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

// A usageError says that the words of a call are off.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// A quietError has a status and has been told already.
type quietError struct{ status int }

func (e *quietError) Error() string { return "" }

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

// With is what the command of a host has besides what planlock brings. Its zero
// value is planlock itself. What is named here must be the same in each call:
// most of it is part of what is locked.
type With struct {
	// Formats read plans of the host's own formats, from a file or a folder.
	// They are tried in order, before those that planlock knows; nil and no
	// error say that it is a plan of another one.
	Formats []func(path string) (*plan.Draft, error)
	// Gates judge besides the built-in ones, in this order.
	Gates []gate.Gate
	// Checks are further kinds of checks that plans can ask for.
	Checks []gate.Check
	// Executors carry out steps that ask for them by name, and with --executor
	// NAME those that name nobody.
	Executors map[string]exec.Executor
	// Escalator is asked where a person must decide and --answers says nothing;
	// nil for the person at the terminal.
	Escalator ask.Escalator
	// Advisors propose where neither --advisor nor --researcher names somebody.
	Advisors exec.Advisors
	// Observe is told what happens in a run, beside what is shown of it.
	Observe func(context.Context, event.Event)
	// Blobs keep contents; nil for a folder below .planlock.
	Blobs checkpoint.Blobs
	// Runs keep journals; nil for a folder below .planlock.
	Runs checkpoint.Runs
	// Papers keep questions, answers, requests and choices; nil for folders below
	// .planlock.
	Papers checkpoint.Papers
	// Open opens what --store and --blobs name, where Blobs and Runs are nil; blobs
	// may be "". fresh: a store that is not there may be made; else it is refused by
	// its name. Nil: the program planlock-worker is called for that.
	Open func(ctx context.Context, store, blobs string, fresh bool) (*Kept, error)
	// Engine opens what --engine names, for what is kept at store. Nil: the program
	// planlock-worker is called for that.
	Engine func(ctx context.Context, name, store string) (*Engine, error)
}

// arguments are the words of a command that are no flags, and the flag that
// every command has.
type arguments struct {
	Args []string `arg:"" optional:""`
	Help bool     `again:"never" short:"h" help:"say what the command does, and do nothing else"`

	Color paint.When `again:"never" enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"whether texts for people have colours: auto (on a terminal), always or never"`

	typed []string // the flags of the call, as others may have to give them again; see typed
}

// given makes every command that embeds arguments a runner.
func (a *arguments) given() *arguments { return a }

// first is the first argument, or "".
func (a *arguments) first() string {
	if len(a.Args) == 0 {
		return ""
	}
	return a.Args[0]
}

// split are the arguments of a command whose RUN may be left out: the run, or
// "", and the n others.
func (a *arguments) split(n int) (run string, others []string) {
	if len(a.Args) > n {
		return a.Args[0], a.Args[1:]
	}
	return "", a.Args
}

// workspaceFlag is the flag of all commands that look into a workspace.
type workspaceFlag struct {
	Dir string `again:"never" default:"." placeholder:"FOLDER" help:"the workspace"`
	storeFlags
}

// workspaceDir is the workspace that the command is about.
func (f *workspaceFlag) workspaceDir() string { return f.Dir }

// presetFlag is the flag of the way to cope with failure.
type presetFlag struct {
	Preset string `again:"begin" placeholder:"NAME" help:"the way to cope with failure: contract, spec, phase, assistant or reflective; what the plan says by default; part of what is locked"`
}

// ackFlag is the flag with which a person accepts what a plan needs accepted.
type ackFlag struct {
	Ack []string `again:"begin" sep:"none" placeholder:"CODE" help:"accept what the plan needs accepted, by its code, as check and the refusal name it; codes may stand in a list with commas, and the flag may be repeated"`
}

// codes are the codes that were given. A comma ends one where another follows,
// which has a colon.
func codes(given []string) []string {
	var all []string
	for _, text := range given {
		for i, part := range strings.Split(text, ",") {
			if i == 0 || strings.Contains(part, ":") {
				all = append(all, strings.TrimSpace(part))
			} else {
				all[len(all)-1] += "," + part
			}
		}
	}
	return all
}

// A signalError says that a person, or the system, wants the program to stop.
type signalError struct {
	signal os.Signal
	by     string // who wants it, where that is no signal
}

func (e *signalError) Error() string {
	if e.by != "" {
		return "stopped by " + e.by
	}
	switch e.signal {
	case os.Interrupt:
		return "stopped by SIGINT"
	case syscall.SIGTERM:
		return "stopped by SIGTERM"
	}
	return "stopped by " + e.signal.String()
}

// again is what ends the program at once after e; "" of nil.
func (e *signalError) again() string {
	switch {
	case e == nil:
		return ""
	case e.signal == os.Interrupt:
		return "another Ctrl-C"
	case e.signal == syscall.SIGTERM:
		return "another SIGTERM"
	}
	return "the same signal again"
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
			cancel(&signalError{signal: s})
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

// is reports whether an error of a type is in the chain of err.
func is[T error](err error) bool {
	var found T
	return errors.As(err, &found)
}
