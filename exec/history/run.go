package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
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
	Commit string // that is checked out; "" where there is none
	// Commits are those that the run made of its work, in order.
	Commits []*Commit
	Final   []gate.Judgement
	// Controlled are the negative controls of the completion checks; nil: there
	// were none.
	Controlled *Controlled

	Flow Flow // strategy, tasks, tokens

	Marks []Mark // points of which there are checkpoint documents, in order; a rollback takes none away

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
	SetBackAt   uint64          // position of the latest of these in the journal; 0: there is none
	Moves       []MovesAccepted // what moved and was let go on with, in order
	Consecutive int             // failed steps in a row
	Asked       int             // questions so far, answered or not: the next one's number
	Exchanges   []*Exchange     // questions about the run as a whole, in order

	Approvals       []Approval      // decisions of reviewers about tasks, in order
	Evidence        []Evidence      // what was found of what tasks owe, in order
	EvidenceRetries []EvidenceRetry // what was done where it was missing
	Outcomes        []TaskOutcome   // last words about tasks

	// Idle is when nobody was at work on the run, in order: each time from when it
	// was let go of, or the last record of a controller that died, until it was
	// taken up again.
	Idle  []pause
	letGo time.Time // since when nobody is; zero while somebody is

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
	After     *Afterwards // what was done with its work since it was sealed; nil: nothing

	Unversioned []*Unversioned // what steps did to files that .gitignore names, in order

	Adopted []Adoption // what others did and became part of the tree, in order
	// ForeignStep is the step that Foreign was found at: the one whose work met
	// it, or the next one.
	ForeignStep *Step

	marked     bool     // it stands at its last mark
	back       bool     // it was set back, and nothing happened since
	kept       []string // see [Run.Kept]
	delivering bool     // an isolated run brings what it made into the workspace
	movedAt    uint64   // position of the latest fact that moved Tree or Placed
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

// Count is the number of steps that stand so, see [Step.Stands].
func (r *Run) Count(s StepStatus) int {
	n := 0
	for _, step := range r.Steps {
		if step.Stands() == s {
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

// A pause is a time in which nobody was at work.
type pause = struct{ From, To time.Time }

// Worked is how long controllers were at work from one moment to another; 0 if
// one of them is not known, or the second is not the later one.
func (r *Run) Worked(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() || !to.After(from) {
		return 0
	}
	took := to.Sub(from)
	pauses := r.Idle
	if r.letGo.Before(r.Latest) && !r.letGo.IsZero() { // others than a controller wrote since
		pauses = append(pauses[:len(pauses):len(pauses)], pause{r.letGo, r.Latest})
	}
	for _, idle := range pauses {
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

// A dialogue is what a run asks people, and what they have not answered yet.
type dialogue struct {
	open  openQuestions
	under map[string]ledger.Digest // the plans that questions were asked under, by their ids
	// doubted is the latest one about whether the plan still holds; open if the run
	// was set back meanwhile.
	doubted *Exchange
}

// Questions are those that nobody has answered, in the order in which they were
// asked. A step has one at most, and so has the run as a whole; one that has
// ended has none.
func (d *dialogue) Questions() []*ask.Question {
	var open []*ask.Question
	for _, o := range d.open {
		open = append(open, &o.exchange.Question)
	}
	return open
}

// AskedBefore reports whether a question is open that was asked before a position
// in the journal: documents that were drawn there speak of it.
func (d *dialogue) AskedBefore(question string, at uint64) bool {
	return slices.ContainsFunc(d.open, func(o openQuestion) bool {
		return o.exchange.Question.ID == question && o.at < at
	})
}

// AskedUnder is the digest of the plan that a question of the run was asked
// under, or "". It stays that when the run is amended.
func (d *dialogue) AskedUnder(question string) ledger.Digest { return d.under[question] }

// Doubted is the latest question about whether the plan that the run is under
// still holds, or nil. That the run was set back says nothing about it: one that
// was open then is open still, though it has to be asked anew.
func (r *Run) Doubted() *Exchange {
	if r.doubted == nil || r.AskedUnder(r.doubted.Question.ID) != r.Started.Plan {
		return nil
	}
	return r.doubted
}

// An openQuestion is a question that waits, and the step that it is about, nil
// for the run.
type openQuestion struct {
	step     *Step
	exchange *Exchange
	at       uint64 // position in the journal
}

// openQuestions are those that nobody has answered, in the order in which they
// were asked.
type openQuestions []openQuestion

// about is the open question about a step, or about the run where there is
// none; nil if there is no such question.
func (open openQuestions) about(s *Step) *ask.Question {
	for _, o := range open {
		if o.step == s {
			return &o.exchange.Question
		}
	}
	return nil
}

// find is the place of the open question that an answer, or a refusal, is about.
func (open openQuestions) find(id string, at moment) (int, error) {
	i := slices.IndexFunc(open, func(o openQuestion) bool { return o.exchange.Question.ID == id })
	switch {
	case len(open) == 0:
		return i, at.refuse("an answer without a question")
	case i < 0:
		return i, at.refuse("an answer to %s while %s is open", id, open[0].exchange.Question.ID)
	}
	return i, nil
}

// close says of all of them why nobody can answer them any more.
func (open openQuestions) close(why string) {
	for _, o := range open {
		o.exchange.Unanswered = &Unanswered{Question: o.exchange.Question.ID, Why: why, Final: true}
	}
}

// SetBack are the steps that have not happened any more once the run is set
// back to before one, in the order of execution: that one and all that began
// since, wherever that stands in the plan, since it may be carried out again once
// a person goes on with what failed. A step of a group is set back with all of its
// group; what came before stays. To is the tree before all of them, and since the
// position of the checkpoint that it is of. A step that has not begun is where the
// first of those behind it began or, if none did, before the tree that the run has
// now. Steps that were carried over are before all others, and stay.
func (r *Run) SetBack(s *Step) (steps []*Step, to record.Snapshot, since uint64) {
	behind := slices.DeleteFunc(slices.Clone(r.Steps[slices.Index(r.Steps, s):]), carriedOver)
	first := s
	for _, o := range behind {
		if s.At == 0 && o.At != 0 && (first.At == 0 || o.At < first.At) {
			first = o
		}
	}
	if first.At == 0 {
		return behind, r.Tree, 0
	}
	since = first.At
	for {
		earliest := first
		steps = nil
		for _, o := range r.Steps {
			if carriedOver(o) || o != s && max(o.At, o.EndedAt) < since &&
				(o.At != 0 || o.Status.Over() || o.Precedes(s)) {
				continue
			}
			steps = append(steps, o)
			earliest = earlier(earliest, o)
			if o.Group != nil {
				for _, a := range o.Group.Steps {
					earliest = earlier(earliest, r.index[a])
				}
			}
		}
		if earliest == first {
			break
		}
		since, first = earliest.At, earliest
	}
	if to = first.Checkpoint.Checkpoint; first.Group != nil {
		to = first.Group.Base
	}
	return steps, to, since
}

// unfinished are the steps that are under way, those behind s that were not
// completed, and s itself.
func (r *Run) unfinished(s *Step) []*Step {
	var list []*Step
	for _, o := range r.Steps {
		if o == s || o.Status == InFlight || o.Status != Completed && s.Precedes(o) && !carriedOver(o) {
			list = append(list, o)
		}
	}
	return list
}

func carriedOver(s *Step) bool { return s.Carried != nil }

// earlier is the step of two that has begun before the other.
func earlier(a, b *Step) *Step {
	if b.At != 0 && b.At < a.At {
		return b
	}
	return a
}
