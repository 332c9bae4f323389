package history

import (
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Started is the first fact of every run: what it is bound to.
type Started struct {
	Run          string              `json:"run"`
	Name         string              `json:"name,omitempty"` // goal_descriptor
	Goal         string              `json:"goal"`
	Format       plan.Format         `json:"format"`
	Profile      plan.Profile        `json:"profile"`
	Plan         ledger.Digest       `json:"plan"`      // digest of the plan's meaning
	PlanBlob     ledger.Digest       `json:"plan_blob"` // the plan as JSON, in the content store
	Files        []plan.Source       `json:"files,omitempty"`
	Lock         string              `json:"lock"`                // id of the lock
	LockFile     string              `json:"lock_file,omitempty"` // "" where the lock belongs to the run alone
	LockDigest   ledger.Digest       `json:"lock_digest,omitempty"`
	Acknowledged []string            `json:"acknowledged,omitempty"`
	Envelope     *envelope.Envelope  `json:"envelope"`
	Base         checkpoint.Snapshot `json:"base"`
	Git          ledger.GitState     `json:"git,omitempty"`
	Mode         plan.Mode           `json:"mode"`
	ModeBy       string              `json:"mode_by,omitempty"` // who chose it: "host" (a flag or a field), "plan", "person", "accepted" (the default, by a person), "default"
	// Remembered are the choices made in earlier runs that may answer in this one.
	Remembered    []ask.Precedent  `json:"remembered,omitempty"`
	Preset        string           `json:"preset,omitempty"`   // "contract" if empty
	Executor      string           `json:"executor,omitempty"` // the default executor's name
	Isolated      bool             `json:"isolated,omitempty"`
	Shadow        bool             `json:"shadow,omitempty"` // it is isolated, and a trial: whatever comes of it stays in the clone
	NoSandbox     bool             `json:"no_sandbox,omitempty"`
	OwnStores     bool             `json:"own_stores,omitempty"`    // the host keeps the journal or the contents itself: the command planlock does not find them
	Deterministic bool             `json:"deterministic,omitempty"` // another output of the same inputs is refused
	TestFirst     bool             `json:"test_first,omitempty"`    // steps that can write their test first do
	Steps         []Outline        `json:"steps"`                   // in the order of execution
	Boot          string           `json:"boot,omitempty"`          // the life of the machine; "" where nobody knows
	Planning      []gate.Judgement `json:"planning,omitempty"`
	Tools         []Tool           `json:"tools,omitempty"` // tool servers that the plan names, in its order
	Warnings      []string         `json:"warnings,omitempty"`
	Version       string           `json:"version,omitempty"` // of planlock
}

// An Outline is a step as far as the fold needs it.
type Outline struct {
	Address  plan.Address  `json:"address"`
	Task     string        `json:"task"`
	Title    string        `json:"title"`
	Critical bool          `json:"critical"`
	Rollback plan.Rollback `json:"rollback,omitempty"`
}

// A Tool is a tool server that the plan names, and whether it was there when the run began.
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

// Status of a run, or of its end.
type Status string

const (
	Running     Status = "RUNNING"      // a controller has it in hand, or had when it died
	Waiting     Status = "WAITING"      // for an answer, or to be resumed
	Achieved    Status = "ACHIEVED"     // all steps are done or lawfully skipped, and the whole holds
	Partial     Status = "PARTIAL"      // something was left out or failed without halting the run, and what was done holds
	NotAchieved Status = "NOT_ACHIEVED" // it was halted, or the whole does not hold
)

// Ended is the outcome of a run.
type Ended struct {
	Status  Status        `json:"status"`
	Reasons []string      `json:"reasons,omitempty"`
	Tree    ledger.Digest `json:"tree"`
}

// Delivered says that an isolated run's tree was moved into the workspace.
type Delivered struct {
	Tree ledger.Digest `json:"tree"`
}

// Sealed is the last fact of a run: after it the journal accepts nothing.
type Sealed struct {
	Views map[string]ledger.Digest `json:"views"` // by file name
}
