package history

import (
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Started is the first fact of every run: what it is bound to.
type Started struct {
	Run      string        `json:"run"`
	Signer   record.Key    `json:"signer,omitempty"` // the key that signs the journal; "": nobody does
	Name     string        `json:"name,omitempty"`   // goal_descriptor
	Goal     string        `json:"goal"`
	Format   plan.Format   `json:"format"` // of the plan, as docs/formats.md calls it
	Profile  plan.Profile  `json:"profile"`
	Plan     ledger.Digest `json:"plan"`                // digest of the plan's meaning
	PlanBlob ledger.Digest `json:"plan_blob"`           // the plan as JSON, in the content store
	Files    []plan.Source `json:"files,omitempty"`     // see Sources
	Lock     string        `json:"lock"`                // id of the lock
	LockFile string        `json:"lock_file,omitempty"` // "" where the lock belongs to the run alone
	// files of the plan and its lock that lie in the workspace: Files and
	// LockFile name them relative to it, with slashes, so that it can be moved
	Own []string `json:"own,omitempty"`
	// Unversioned are globs of what .gitignore named when the run began, which is
	// not accounted, as what the plan itself ignores is not.
	Unversioned  []string      `json:"unversioned,omitempty"`
	LockDigest   ledger.Digest `json:"lock_digest,omitempty"`
	Acknowledged []string      `json:"acknowledged,omitempty"`
	// Said are the steps whose work is done in the words of a summary that lies
	// beside their plan: each is left out if it is so when its turn comes.
	Said     []Said             `json:"said,omitempty"`
	Envelope *envelope.Envelope `json:"envelope"`
	Base     record.Snapshot    `json:"base"`
	// From is the run that this one finishes; nil: none. Base is then the tree
	// that the first of all these runs began with.
	From *Origin         `json:"from,omitempty"`
	Git  ledger.GitState `json:"git,omitempty"`
	// Commit is the hash of what is checked out, as git writes it; "" where there
	// is none, or where it cannot be read without git.
	Commit string `json:"commit,omitempty"`
	// Committing is what decides about commits of the run's work besides that: see
	// [commit.Committer]. Nil: the run makes none.
	Committing ledger.GitState `json:"committing,omitempty"`
	Policy     `json:"policy"`
	Roles      Roles `json:"roles,omitzero"`
	// Remembered are the choices made in earlier runs that may answer in this
	// one.
	Remembered []ask.Precedent `json:"remembered,omitempty"`
	Executor   string          `json:"executor,omitempty"` // the default executor's name
	// Layer is where its steps work: a copy of the workspace, or the workspace
	// itself.
	Layer plan.Layer `json:"layer"`
	// Stamps is the digest of the file of stamps of the workspace; "" if there is
	// none.
	Stamps   ledger.Digest `json:"stamps,omitempty"`
	Isolated bool          `json:"isolated,omitempty"` // nothing is delivered before the run achieved its goal
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

func (f *Started) snapshots() []record.Snapshot {
	if f.From != nil {
		return snapshots(f.Base, f.From.Left, f.From.Placed)
	}
	return snapshots(f.Base)
}

// Said is a step whose work is done in somebody's words.
type Said struct {
	Step plan.Address `json:"step"`
	By   string       `json:"by"` // "04-01-SUMMARY.md"
}

// SaidBy is what says that the work of a step is done; "" where nothing does.
func (f *Started) SaidBy(step plan.Address) string {
	for _, said := range f.Said {
		if said.Step == step {
			return said.By
		}
	}
	return ""
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
	// Git is the repository from which the run goes on, where somebody worked in
	// it meanwhile, and GitMoved what moved. Nil: it is as it was.
	Git      ledger.GitState `json:"git,omitempty"`
	GitMoved []string        `json:"git_moved,omitempty"`
	Commit   string          `json:"commit,omitempty"` // then: what is checked out
}

func (*Resumed) Type() string { return "run-resumed" }

func (f *Resumed) String() string {
	if len(f.GitMoved) == 0 {
		return "after " + f.Reason
	}
	return sprint("after %s; in the repository moved %s", f.Reason, strings.Join(f.GitMoved, ", "))
}

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
	// Committing is what decides about commits from here on, where a person accepted
	// something of that. Nil: what did.
	Committing ledger.GitState `json:"committing,omitempty"`
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
	Views   map[string]ledger.Digest `json:"views"`             // by file name
	Version string                   `json:"version,omitempty"` // of planlock, which drew them
}

func (*Sealed) Type() string { return "run-sealed" }

func (f *Sealed) String() string { return count(len(f.Views), "view") }
