package history

import (
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// StepStarted is the checkpoint before a step: tree, position (the record itself) and envelope.
type StepStarted struct {
	Checkpoint checkpoint.Snapshot `json:"checkpoint"`
	Envelope   ledger.Digest       `json:"envelope"`
	Git        ledger.GitState     `json:"git,omitempty"`
	// Prior are the steps whose outcome mattered (those that were not completed,
	// and the one before), and what was decided because of it.
	Prior    []plan.Address   `json:"prior,omitempty"`
	Decision string           `json:"decision"` // "proceed", "proceed with concern", "reviewed"
	Strategy plan.Propagation `json:"strategy"`
	Concern  string           `json:"concern,omitempty"`
}

// AttemptStarted says that an executor is about to be called.
type AttemptStarted struct {
	Method   string `json:"method"` // "primary", "backup_1"
	Text     string `json:"text"`   // description of the method
	Executor string `json:"executor"`
	// Inputs is the digest of all that the executor begins with: the step's contract, the method,
	// the tree, the envelope and what it is told of earlier attempts.
	Inputs ledger.Digest `json:"inputs,omitempty"`
	// Phase is where a test-first attempt begins because an earlier one was cut off there; "" at the beginning.
	Phase CyclePhase `json:"phase,omitempty"`
	// Reinstates is the attempt whose tree is put back and judged anew, because a person
	// accepted what it did; 0: the executor is called.
	Reinstates int `json:"reinstates,omitempty"`
	// Stamps is the digest of the file of stamps that was written before this record; "" if that of an earlier one holds, or there is none.
	Stamps ledger.Digest `json:"stamps,omitempty"`
}

// AttemptEnded is what the executor said. It proves nothing.
type AttemptEnded struct {
	Output   string             `json:"output,omitempty"` // bounded, the tail kept
	Exit     int                `json:"exit"`
	Error    string             `json:"error,omitempty"`
	Took     time.Duration      `json:"took_ns"`
	Tokens   int64              `json:"tokens,omitempty"`
	Calls    int                `json:"calls,omitempty"`
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Stateful bool               `json:"stateful,omitempty"`
	// Summary is what a fresh attempt must know, where the executor's context was exhausted.
	Summary string `json:"summary,omitempty"`
}

// Accounted is the ledger entry of an attempt.
type Accounted struct {
	Tree     ledger.Digest               `json:"tree"`
	Declared ledger.Declared             `json:"declared"`
	Changes  []ledger.Change             `json:"changes,omitempty"`
	Account  ledger.Account              `json:"account"`
	Symbols  []ledger.Symbol             `json:"symbols,omitempty"`
	Lines    ledger.LineCount            `json:"lines"`
	PerPath  map[string]ledger.LineCount `json:"per_path,omitempty"`
	Git      []string                    `json:"git_moved,omitempty"` // what moved in the repository
	// Of a very large account, Whole is the digest of all of it in the content
	// store, as JSON of this type; the lists above are its beginning, and Total
	// is the number of changes.
	Total int           `json:"total,omitempty"`
	Whole ledger.Digest `json:"whole,omitempty"`
	// Inline are the new contents of the tree, where they are few: so it is
	// durable with this record. They are in the store too; a Run leaves them out.
	Inline checkpoint.Inline `json:"inline,omitempty"`
}

// StepCompleted accepts a tree: from here on it is the one we left.
type StepCompleted struct {
	Snapshot checkpoint.Snapshot `json:"snapshot"`
	Method   string              `json:"method"`
}

// A Class of failure.
type Class string

const (
	Refused          Class = "refused"          // a precondition, or a gate before the step
	Crashed          Class = "crashed"          // the executor returned an error
	TimedOut         Class = "timed-out"        // it did not come back in time
	Breach           Class = "breach"           // it did something else than was declared
	GateFailed       Class = "gate-failed"      // a gate said no
	Undecided        Class = "undecided"        // a gate could not decide
	Interrupted      Class = "interrupted"      // a person stopped the run
	Lost             Class = "lost"             // the controller died during the attempt
	NoSpace          Class = "no-space"         // the disk is full
	Moved            Class = "moved"            // plan, envelope, agent or tree is not what was locked
	Nondeterministic Class = "nondeterministic" // deterministic mode: the same inputs made another tree before
	Unrestorable     Class = "unrestorable"     // something changed that planlock never restores

	OutOfMemory     Class = "out-of-memory"    // the executor, or what it ran, needed more memory than there is
	SchemaMismatch  Class = "schema-mismatch"  // the output does not have the form that the step expects
	MissingEvidence Class = "missing-evidence" // evidence that the step owes is not there

	// ContextExhausted: the executor's context was full. A fresh attempt begins with the summary of this one.
	ContextExhausted Class = "context-exhausted"
)

// AttemptFailed says why an attempt counts for nothing.
type AttemptFailed struct {
	Class    Class          `json:"class"`
	Cause    gate.Cause     `json:"cause,omitempty"` // of a time-out
	Reasons  []string       `json:"reasons"`
	Findings []gate.Finding `json:"findings,omitempty"`
}

// RestoreBegun is written before the tree is touched, so that a crash during the restore is repaired.
type RestoreBegun struct {
	To        checkpoint.Snapshot `json:"to"`
	Discarded checkpoint.Snapshot `json:"discarded,omitzero"` // what is undone is kept
	Deliver   bool                `json:"deliver,omitempty"`  // an isolated run's tree goes into the workspace
}

// Restored says that the tree is the checkpoint's again.
type Restored struct {
	Tree ledger.Digest `json:"tree"`
	// Left is the tree as it is, where the step changed what the plan tracks
	// and does not restore; zero where it is the checkpoint's.
	Left checkpoint.Snapshot `json:"left,omitzero"`
}

// Compensated says how the compensation of a step went.
type Compensated struct {
	Run    string `json:"run"`
	Exit   int    `json:"exit"`
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Done reports whether the compensation did what it should.
func (c *Compensated) Done() bool { return c.Exit == 0 && c.Error == "" }
