// Package cmd is the command planlock, as a package.
//
// It is thin: each command parses flags, calls the library and prints. A
// program whose main calls [Main] is the command; a host that has gates,
// checks, executors or stores of its own gives them to it:
//
//	func main() { cmd.Main(cmd.With{Gates: []gate.Gate{polite}}) }
//
// # How a call goes
//
// The table in grammar.go names all commands, each a struct whose fields are
// its flags, in a file of its name. dispatch finds the command, has its flags
// read, and runs it with a cli, which is where the call reads and writes. What
// a command returns is an error: status makes an exit status of it, and message
// what is left to say, with what to do next. So no command ends the process,
// and tests run all of it without one.
//
// Commands that run a plan share a session, the flags of run and resume; those
// that lock or run share roles, who takes part. Both end in a [exec.Controller]
// that anybody could have made.
//
// # What is said
//
// Data goes to standard output, and everything else to standard error. The
// library speaks of actions and not of commands: spelling, in next.go, is the
// one place that knows how they are typed. All text that may come from plans,
// paths or programs is escaped before a terminal sees it.
//
// # What is not promised
//
// The texts for people change. Exit statuses, the JSON documents and the names
// of commands and flags do not; docs/cli.md lists them.
package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/cmd/internal/ownshell"
	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/envelope/attest"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// Main carries out what the command line of the process asks for, with what a
// host brings, and ends the process with its status.
func Main(with With) {
	ownshell.Serve()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a call is short, and most of them end before there is anything to collect
		runtime.SetFinalizer(&spared{}, (*spared).collected)
	}
	os.Exit(run(with, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// spared is garbage: it is told of each collection.
type spared struct{ _ [64]byte }

// collected looks how much a collection has left. Where that is much, garbage
// is collected early from then on: a run of 10,000 steps must not take five
// times the memory that it needs.
func (s *spared) collected() {
	const much = 16 << 20
	var now runtime.MemStats
	if runtime.ReadMemStats(&now); now.HeapAlloc > much {
		debug.SetGCPercent(12)
		return
	}
	runtime.SetFinalizer(s, (*spared).collected)
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
		text = "planlock: " + strings.Join(safetext.Lines(text), "\n")
		fmt.Fprintln(errs, p.brush(errs).Text(text, paint.Error))
	}
	return status(ctx, err)
}

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
	var quiet *quietError
	var outcome *exec.OutcomeError
	switch {
	case errors.As(err, &quiet):
		return quiet.status
	case is[*usageError](err), is[*exec.AmbiguousError](err):
		return statusUsage
	case errors.As(err, &outcome) && outcome.Status == history.Partial:
		return statusPartial
	case outcome != nil:
		return statusNotAchieved
	case errors.Is(err, exec.ErrWaiting):
		return statusWaiting
	case is[*exec.RefusedError](err), is[*exec.ProofError](err), is[*plan.CheckError](err), is[*plan.AckError](err),
		is[*plan.AmendError](err), is[*plan.LockError](err), is[*ask.RefusedError](err), is[*escalator.RuleError](err),
		is[*config.Error](err), is[*record.CorruptError](err), is[*checkpoint.DamagedError](err),
		is[*learn.NotReadyError](err), is[*attest.NotSealedError](err), is[*attest.UnsignedError](err),
		is[*attest.FormatError](err), is[*attest.MismatchError](err), errors.Is(err, attest.ErrSignature):
		return statusRefused
	}
	return statusCouldNot
}
