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
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/plan"
)

// Main carries out what the command line of the process asks for, with what a
// host brings, and ends the process with its status.
func Main(with With) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a call is short, and most of them end before there is anything to collect
		runtime.SetFinalizer(&spared{}, (*spared).collected)
	}
	os.Exit(run(with, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// spared is garbage: it is told of each collection.
type spared struct{ _ [64]byte }

// collected looks how much a collection has left. Where that is much, garbage is
// collected early from then on: a run of 10,000 steps must not take five times
// the memory that it needs.
func (s *spared) collected() {
	const much = 16 << 20
	var now runtime.MemStats
	if runtime.ReadMemStats(&now); now.HeapAlloc > much {
		debug.SetGCPercent(25)
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
		fmt.Fprintln(errs, "planlock: "+strings.Join(safetext.Lines(text), "\n"))
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
		rules     *escalator.RuleError
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
