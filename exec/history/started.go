package history

import (
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Started is the first fact of every run: what it is bound to.
type Started struct {
	Run          string             `json:"run"`
	Name         string             `json:"name,omitempty"` // goal_descriptor
	Goal         string             `json:"goal"`
	Format       plan.Format        `json:"format"`
	Profile      plan.Profile       `json:"profile"`
	Plan         ledger.Digest      `json:"plan"`      // digest of the plan's meaning
	PlanBlob     ledger.Digest      `json:"plan_blob"` // the plan as JSON, in the content store
	Files        []plan.Source      `json:"files,omitempty"`
	Lock         string             `json:"lock"`                // id of the lock
	LockFile     string             `json:"lock_file,omitempty"` // "" where the lock belongs to the run alone
	LockDigest   ledger.Digest      `json:"lock_digest,omitempty"`
	Acknowledged []string           `json:"acknowledged,omitempty"`
	Envelope     *envelope.Envelope `json:"envelope"`
	Base         record.Snapshot    `json:"base"`
	Git          ledger.GitState    `json:"git,omitempty"`
	Policy       `json:"policy"`
	Roles        Roles `json:"roles,omitzero"`
	// Remembered are the choices made in earlier runs that may answer in this
	// one.
	Remembered []ask.Precedent `json:"remembered,omitempty"`
	Executor   string          `json:"executor,omitempty"` // the default executor's name
	Isolated   bool            `json:"isolated,omitempty"`
	// it is isolated, and a trial: whatever comes of it stays in the clone
	Shadow    bool `json:"shadow,omitempty"`
	NoSandbox bool `json:"no_sandbox,omitempty"`
	// the host keeps the journal or the contents itself: the command planlock
	// does not find them
	OwnStores bool             `json:"own_stores,omitempty"`
	Steps     []Outline        `json:"steps"`          // in the order of execution
	Boot      string           `json:"boot,omitempty"` // the life of the machine; "" where nobody knows
	Planning  []gate.Judgement `json:"planning,omitempty"`
	Tools     []Tool           `json:"tools,omitempty"` // tool servers that the plan names, in its order
	Warnings  []string         `json:"warnings,omitempty"`
	Version   string           `json:"version,omitempty"` // of planlock
}

func (*Started) Type() string { return "run-started" }

func (f *Started) String() string {
	return sprint("%s · plan %s · base tree %s", f.Goal, f.Plan.Short(), f.Base.Tree.Short())
}

func (f *Started) ofRun(r *Run, at moment) error {
	r.Started = *f
	r.Policy, r.Roles = f.Policy, f.Roles
	r.Status = Running
	r.Boot = f.Boot
	r.Begun = at.time
	r.Mode, r.ModeAt = f.Mode, at.seq
	r.Tree = f.Base
	r.Git = f.Git
	r.Flow.Session = 1
	r.index = make(map[plan.Address]*Step, len(f.Steps))
	r.Steps = make([]*Step, len(f.Steps))
	for i, o := range f.Steps {
		r.Steps[i] = &Step{Outline: o, Status: Pending}
		r.index[o.Address] = r.Steps[i]
	}
	r.begin()
	return nil
}

func (f *Started) snapshots() []record.Snapshot { return snapshots(f.Base) }

func (f *Started) plan() (digest, blob ledger.Digest) { return f.Plan, f.PlanBlob }

// PlanOf is the plan that a run is carried out by from a fact on: its digest,
// and where the content store has it. ok is false for a fact that says nothing
// of plans.
func PlanOf(f Fact) (digest, blob ledger.Digest, ok bool) {
	if f, is := f.(interface {
		plan() (digest, blob ledger.Digest)
	}); is {
		digest, blob = f.plan()
		return digest, blob, true
	}
	return "", "", false
}

// An Outline is a step as far as the fold needs it.
type Outline struct {
	Address  plan.Address  `json:"address"`
	Task     string        `json:"task"`
	Title    string        `json:"title"`
	Critical bool          `json:"critical"`
	Rollback plan.Rollback `json:"rollback,omitempty"`
}

// A Tool is a tool server that the plan names, and whether it was there when
// the run began.
type Tool struct {
	Name   string `json:"name"`
	Need   string `json:"need"`   // "required", "recommended", "optional"
	Status string `json:"status"` // "verified", "missing", "listed" (not looked for)
	Why    string `json:"why,omitempty"`
}

// Resumed says that a controller took the run up again.
type Resumed struct {
	Reason   string       `json:"reason"`              // "crash", or why it had been paused
	InFlight plan.Address `json:"in_flight,omitempty"` // the step that was under way
	Boot     string       `json:"boot,omitempty"`      // the life of the machine; "" where nobody knows
}

func (*Resumed) Type() string { return "run-resumed" }

func (f *Resumed) String() string { return "after " + f.Reason }

func (f *Resumed) ofRun(r *Run, at moment) error {
	r.Boot = f.Boot
	if r.Ended == nil {
		r.Resumptions++
		r.ResumedAt = at.seq
		r.idle(at.time)
		r.Flow.resumed()
	}
	return nil
}

// An Idle is a time in which nobody had the run in hand: from the last record
// before it was taken up again until it was.
type Idle struct{ From, To time.Time }

// idle notes that the run was taken up again. Of the times only what the
// journal holds of them counts, not the clock of a process.
func (r *Run) idle(at time.Time) {
	if at.After(r.Latest) {
		r.Idle = append(r.Idle, Idle{r.Latest.Round(0), at.Round(0)})
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
