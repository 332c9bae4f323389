package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// A Needing executor says what it needs besides what every step has, such as a
// coding agent with a login of its own.
type Needing interface {
	Needs(ctx context.Context) (Needs, error)
}

// Needs are what an executor needs besides what every step has. They are shown
// when a plan is locked, must be acknowledged (code "agent:NAME", of [Named]),
// and are part of the envelope.
type Needs struct {
	// Variables are names of environment variables. The executor gives their
	// values to its own processes, by gate.Command.Env; no other command sees
	// them.
	Variables []string
	// Home says that its processes need a folder of their own: Work.Home.
	Home bool
	// Reads are files and folders of the user of which the executor puts copies
	// into its home, and Writes those among them that it writes back when they
	// were refreshed. No command of a run sees the user's own.
	Reads, Writes []string
	// Hosts are whom its processes reach by the network, and Enforced says that
	// they reach nobody else.
	Hosts    []string
	Enforced bool
	// Off is what is turned off in it, and why, a line each.
	Off []string
}

// A LimitError says that whoever serves an executor will not serve it for some
// time, as at the end of a quota. Such an attempt does not count: it is undone,
// the run waits, durably, and the attempt is made again.
type LimitError struct {
	Until  time.Time // zero: nobody said until when
	Reason string    // what was said
}

func (e *LimitError) Error() string {
	if e.Until.IsZero() {
		return fmt.Sprintf("exec: not served for now: %q", e.Reason)
	}
	return fmt.Sprintf("exec: not served until %s: %q", e.Until.UTC().Format(time.RFC3339), e.Reason)
}

// ErrBudget is the cause with which the context of an attempt ends when the
// run's budget (see [Policy]) is spent.
var ErrBudget = errors.New("exec: the budget of the run is spent")

// Money is an amount of US dollars.
type Money = history.Money
