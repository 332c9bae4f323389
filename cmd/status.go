package cmd

import (
	"context"
	"errors"
	"os"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

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
	case errors.As(err, &refused), errors.As(err, &proof), errors.As(err, &check), errors.As(err, &acks), errors.As(err, &amend),
		errors.As(err, &lock), errors.As(err, &answer), errors.As(err, &rules),
		errors.As(err, &corrupt), errors.As(err, &damaged):
		return statusRefused
	}
	return statusCouldNot
}
