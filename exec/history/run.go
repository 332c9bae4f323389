package history

import (
	"cmp"
	"math"
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
	lanes      []*Step // under way
	open       openQuestions
	cutOff     []*Attempt // under way when the run was set back, until what they left is discarded
	standing   standing
	under      map[string]ledger.Digest  // the plans that questions were asked under, by their ids
	locks      []string                  // ids of those before an amendment
	record     ledger.Digest             // of the last addendum or amendment
	last       *Step                     // completed by the latest record; nil if it was another
	said       map[string]gate.Judgement // by their JSON
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

// Flow is how a run is carried out as a whole: its strategy, its tasks that
// ended, and the tokens that were used.
type Flow struct {
	Strategy *StrategySet  // the latest; nil where none was set yet
	Switched []StrategySet // all but the first
	Phases   []PhaseOver   // since the strategy was last set
	Tasks    []TaskOver    // in the order in which they ended
	Budgets  []Budget      // levels that were reached
	Tokens   int64         // reported, of the run
	Used     int64         // of them, in this session
	Session  int           // from 1; a handoff ends one
	Warned   bool          // the warning was given in this session

	unphased bool // steps were added that belong to no phase
	handed   bool // a handoff was recorded, and the run not resumed since
}

// Task is how a task ended, or nil if it did not yet.
func (f *Flow) Task(id string) *TaskOver {
	for i := range f.Tasks {
		if f.Tasks[i].Task == id {
			return &f.Tasks[i]
		}
	}
	return nil
}

// HandedOver reports whether the session ended because its tokens were used up,
// and the next one has not begun.
func (f *Flow) HandedOver() bool { return f.handed }

// Unphased reports whether steps were added to the run that belong to no phase
// of its strategy.
func (f *Flow) Unphased() bool { return f.unphased }

// spend counts tokens. Nobody gives tokens back, and what is more than can be
// counted stays the most that can be.
func (f *Flow) spend(tokens int64) {
	tokens = max(tokens, 0)
	f.Tokens += min(tokens, math.MaxInt64-f.Tokens)
	f.Used += min(tokens, math.MaxInt64-f.Used)
}

// resumed begins a session, if the last one was handed on.
func (f *Flow) resumed() {
	if f.handed {
		f.handed, f.Warned, f.Used = false, false, 0
		f.Session++
	}
}

// rollBack forgets what ended with steps, and with their tasks, that have not
// happened any more.
func (f *Flow) rollBack(steps map[plan.Address]bool, tasks map[string]bool) {
	f.Tasks = slices.DeleteFunc(slices.Clone(f.Tasks), func(t TaskOver) bool { return tasks[t.Task] })
	f.Phases = slices.DeleteFunc(slices.Clone(f.Phases), func(p PhaseOver) bool {
		n := p.Number - 1
		return f.Strategy != nil && n >= 0 && n < len(f.Strategy.Phases) &&
			slices.ContainsFunc(f.Strategy.Phases[n].Steps, func(a plan.Address) bool { return steps[a] })
	})
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

// UnderWay are the steps that are under way, in the order in which they began.
// A step is under way from the first time it started until it is over, also
// while the run waits or nobody has it in hand; the end of the run ends that
// too. The caller must not change the list.
func (r *Run) UnderWay() []*Step { return r.lanes }

// Questions are those that nobody has answered, in the order in which they were
// asked. A step has one at most, and so has the run as a whole; one that has
// ended has none.
func (r *Run) Questions() []*ask.Question {
	var open []*ask.Question
	for _, o := range r.open {
		open = append(open, &o.exchange.Question)
	}
	return open
}

// WasLeft reports whether a question of a run is open that was asked before the
// run was taken up last, so that documents which were drawn then speak of it.
func WasLeft(r *Run, question string) bool {
	return slices.ContainsFunc(r.open, func(o openQuestion) bool {
		return o.exchange.Question.ID == question && o.at < r.ResumedAt
	})
}

// AskedUnder is the digest of the plan that a question of the run was asked
// under, or "". It stays that when the run is amended.
func (r *Run) AskedUnder(question string) ledger.Digest { return r.under[question] }

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
