package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Run is the state of a run: the fold over its journal. The zero value is a
// run of which nothing is known yet.
type Run struct {
	Started Started   // an amendment puts its plan, lock and envelope in place of those that the run began with
	Begun   time.Time // of the first record
	Latest  time.Time // of the last one
	Over    time.Time // when it ended; zero while it has not
	Head    record.Head
	Signed  Signed

	Status Status
	Policy Policy // that it began with, or that was put in its place since
	Roles  Roles
	Mode   plan.Mode
	Steps  []*Step         // in the order of execution
	Tree   record.Snapshot // the tree that we left
	Git    ledger.GitState
	Final  []gate.Judgement

	Flow Flow // strategy, tasks, tokens

	Modes       []ModeSwitched
	ModeAt      uint64       // position in the journal of the latest switch, of the run's start if there was none
	Addenda     []Addendum   // answers that became part of the plan's record, in order
	Amendments  []Amended    // steps that were added to the plan, in order
	Remembered  []Remembered // choices that were to be remembered
	Compliance  []Compliance // looks at tasks before their first step, in order
	Resumptions int
	ResumedAt   uint64        // position of the latest resumption in the journal; 0: there was none
	Boot        string        // the life of the machine in which the run was taken in hand last
	Stamps      ledger.Digest // of the file with what scans believe, as it was written last; "" if there was none
	Groups      []*Group      // of steps that were carried out at once, in order
	RolledBack  []RolledBack
	Moves       []MovesAccepted // what moved and was let go on with, in order
	Consecutive int             // failed steps in a row
	Asked       int             // questions so far, answered or not: the next one's number

	Approvals       []Approval      // decisions of reviewers about tasks, in order
	Evidence        []Evidence      // what was found of what tasks owe, in order
	EvidenceRetries []EvidenceRetry // what was done where it was missing
	Outcomes        []TaskOutcome   // last words about tasks

	// Idle is when nobody had the run in hand, in order: each time from the last
	// record before it was taken up again until it was.
	Idle []struct{ From, To time.Time }

	// Placed is what the workspace holds of a run that works in a layer, as far
	// as the run knows.
	Placed record.Snapshot

	Restoring *RestoreBegun  // begun and not finished
	Foreign   *Foreign       // nobody said what becomes of it yet
	Stopping  *StopRequested // since the run was taken up last
	Paused    *Paused        // the controller let go
	Abandoned *Abandoned
	Ended     *Ended
	Delivered *Delivered
	Sealed    *Sealed

	Adopted []Adoption // what others did and became part of the tree, in order
	// ForeignStep is the step that Foreign was found at: the one whose work met
	// it, or the next one.
	ForeignStep *Step

	delivering bool   // an isolated run brings what it made into the workspace
	movedAt    uint64 // position of the latest fact that moved Tree or Placed
	index      map[plan.Address]*Step
	lanes
	dialogue
	cutOff   []*Attempt // under way when the run was set back, until what they left is discarded
	standing standing
	locks    []string                  // ids of those before an amendment
	record   ledger.Digest             // of the last addendum or amendment
	last     *Step                     // completed by the latest record; nil if it was another
	said     map[string]gate.Judgement // by their JSON
}

// JustCompleted is the step that the latest record completed, or nil.
func (r *Run) JustCompleted() *Step { return r.last }

// Step finds a step by its address, or nil.
func (r *Run) Step(a plan.Address) *Step { return r.index[a] }

// Count is the number of steps with a status.
func (r *Run) Count(s StepStatus) int {
	n := 0
	for _, step := range r.Steps {
		if step.Status == s {
			n++
		}
	}
	return n
}

// RecordDigest is the digest of the plan's record: of the last addendum or
// amendment, or of the plan where there is none.
func (r *Run) RecordDigest() ledger.Digest {
	return cmp.Or(r.record, r.Started.Plan)
}

// Served reports whether the run is under a lock, or was before an amendment.
func (r *Run) Served(lock string) bool {
	return r.Started.Lock == lock || slices.Contains(r.locks, lock)
}

// Worked is how long controllers were at work from one moment to another; 0 if
// one of them is not known, or the second is not the later one.
func (r *Run) Worked(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() || !to.After(from) {
		return 0
	}
	took := to.Sub(from)
	for _, idle := range r.Idle {
		first, last := idle.From, idle.To
		if first.Before(from) {
			first = from
		}
		if last.After(to) {
			last = to
		}
		took -= max(last.Sub(first), 0)
	}
	return max(took, 0)
}
