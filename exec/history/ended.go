package history

import (
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

// Status of a run, or of its end.
type Status string

const (
	Running  Status = "RUNNING"  // a controller has it in hand, or had when it died
	Waiting  Status = "WAITING"  // for an answer, or to be resumed
	Achieved Status = "ACHIEVED" // all steps are done or lawfully skipped, and the whole holds
	// something was left out or failed without halting the run, and what was
	// done holds
	Partial     Status = "PARTIAL"
	NotAchieved Status = "NOT_ACHIEVED" // it was halted, or the whole does not hold
)

// Paused says that the controller let go of the run, which can be resumed.
type Paused struct {
	Why string `json:"why"` // "waiting", "interrupted", "stopped by ana at step 1.2: why", ...
}

func (*Paused) Type() string { return "run-paused" }

func (f *Paused) String() string { return f.Why }

// StopRequested says that somebody wants the run to stop: what is under way is
// undone, and the controller lets go of it.
type StopRequested struct {
	By  string `json:"by"` // "host" where the host's context ended without saying who
	Why string `json:"why"`
}

func (*StopRequested) Type() string { return "stop-requested" }

func (f *StopRequested) String() string { return sprint("by %s: %s", f.By, f.Why) }

// Abandoned says that nobody wants the run any more: what is under way is
// undone, and the run ends as it is.
type Abandoned struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

func (*Abandoned) Type() string { return "run-abandoned" }

func (f *Abandoned) String() string { return sprint("by %s: %s", f.By, f.Reason) }

// MovesAccepted says that a person lets a run go on although something moved
// that it was bound to: a version of an executor or a gate, by name.
type MovesAccepted struct {
	By       string             `json:"by"`
	Moved    []string           `json:"moved"` // each from what to what, for people
	Envelope *envelope.Envelope `json:"envelope"`
}

func (*MovesAccepted) Type() string { return "moves-accepted" }

func (f *MovesAccepted) String() string {
	return sprint("by %s: %s", f.By, strings.Join(f.Moved, "; "))
}

// Ended is the outcome of a run.
type Ended struct {
	Status  Status        `json:"status"`
	Reasons []string      `json:"reasons,omitempty"`
	Tree    ledger.Digest `json:"tree"`
}

func (*Ended) Type() string { return "run-ended" }

func (f *Ended) String() string { return sprint("%s: %s", f.Status, strings.Join(f.Reasons, "; ")) }

// Sealed is the last fact of a run: after it the journal accepts nothing.
type Sealed struct {
	Views map[string]ledger.Digest `json:"views"` // by file name
}

func (*Sealed) Type() string { return "run-sealed" }

func (f *Sealed) String() string { return count(len(f.Views), "view") }
