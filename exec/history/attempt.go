package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// AttemptStarted says that an executor is about to be called.
type AttemptStarted struct {
	Method   string `json:"method"` // "primary", "backup_1"
	Text     string `json:"text"`   // description of the method
	Executor string `json:"executor"`
	// Identity tells the executor from reviewers (see gate.Identified); "" if
	// nobody can tell.
	Identity string `json:"identity,omitempty"`
	// Inputs is the digest of all that the executor begins with: the step's
	// contract, the method, the tree, the envelope and what it is told of
	// earlier attempts and other steps.
	Inputs ledger.Digest `json:"inputs,omitempty"`
	// Phase is where a test-first attempt begins because an earlier one was cut
	// off there; "" at the beginning.
	Phase CyclePhase `json:"phase,omitempty"`
	// Reinstates is the attempt whose tree is put back and judged anew, because
	// a person accepted what it did, or had a part of it reverted; 0: the executor
	// is called.
	Reinstates int `json:"reinstates,omitempty"`
	// Reverted are paths at which it is not put back, because a person wanted
	// them as they were before it.
	Reverted []string `json:"reverted,omitempty"`
	// Continues is the attempt whose tree is put back before the executor is
	// called, which goes on from there: its context was full; 0: none.
	Continues int `json:"continues,omitempty"`
	// Stamps is the digest of the file of stamps that was written before this
	// record; "" if that of an earlier one holds, or there is none.
	Stamps ledger.Digest `json:"stamps,omitempty"`
}

func (*AttemptStarted) Type() string { return "attempt-started" }

func (f *AttemptStarted) String() string {
	executor := f.Executor
	if executor == "" {
		executor = "the default executor"
	}
	if f.Reinstates > 0 {
		return sprint("what attempt %d did is put back and judged anew: %s", f.Reinstates, f.Text)
	}
	return sprint("%s by %s: %s", methodName(f.Method), executor, f.Text)
}

func (f *AttemptStarted) readBack() Fact {
	r := *f
	if !kept(r.Method, r.Text, r.Executor, r.Identity, string(r.Inputs), string(r.Phase), string(r.Stamps)) ||
		!keptAll(r.Reverted) {
		return nil
	}
	r.Reverted = some(r.Reverted)
	return &r
}

// AttemptEnded is what the executor said. It proves nothing.
type AttemptEnded struct {
	Output   string             `json:"output,omitempty"` // bounded, the tail kept
	Exit     int                `json:"exit"`
	Error    string             `json:"error,omitempty"`
	Took     time.Duration      `json:"took_ns"`
	Tokens   int64              `json:"tokens,omitempty"`
	Calls    int                `json:"calls,omitempty"`
	Cost     Money              `json:"cost,omitempty"` // in millionths of a US dollar
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Stateful bool               `json:"stateful,omitempty"`
	// Summary is what a fresh attempt must know, where the executor's context
	// was exhausted.
	Summary string `json:"summary,omitempty"`
	// Insights are what the executor says it learned, and Decisions what it says
	// it decided.
	Insights  []string `json:"insights,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
}

func (*AttemptEnded) Type() string { return "attempt-ended" }

func (f *AttemptEnded) String() string {
	return sprint("exit %d after %s: %s", f.Exit, f.Took.Round(100*time.Millisecond), f.Error)
}

func (f *AttemptEnded) readBack() Fact {
	r := *f
	for name := range r.Metrics { // in any order: all must be kept
		if !kept(name) {
			return nil
		}
	}
	if !kept(r.Output, r.Error, r.Summary) || !keptAll(r.Insights) || !keptAll(r.Decisions) {
		return nil
	}
	r.Metrics, r.Insights, r.Decisions = someOf(r.Metrics), some(r.Insights), some(r.Decisions)
	return &r
}

// Unapproved says why it matters that a step did something else than it declares.
const Unapproved = "this is not the change that was approved, whatever checks say of it"

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
	Met              Class = "met"              // steps that ran at once changed the same
	Moved            Class = "moved"            // plan, envelope, agent or tree is not what was locked
	Nondeterministic Class = "nondeterministic" // deterministic mode: the same inputs made another tree before
	Unrestorable     Class = "unrestorable"     // something changed that planlock never restores

	OutOfMemory     Class = "out-of-memory"    // the executor, or what it ran, needed more memory than there is
	Exhausted       Class = "exhausted"        // it used up the processor time or the disk that its sandbox allows
	SchemaMismatch  Class = "schema-mismatch"  // the output does not have the form that the step expects
	MissingEvidence Class = "missing-evidence" // evidence that the step owes is not there

	// ContextExhausted: the executor's context was full. A fresh attempt begins
	// with the summary of this one.
	ContextExhausted Class = "context-exhausted"
	// OverBudget: what the run may cost was spent while the attempt was under way.
	OverBudget Class = "over-budget"
	// NotServed: whoever serves the executor will not serve it for some time.
	NotServed Class = "not-served"
	// Declined: the executor does not do steps of this kind.
	Declined Class = "declined"
)

// String is the class as people read it. An executor that failed may have crashed,
// or have said itself that it did not do the step.
func (c Class) String() string {
	if c == Crashed {
		return "executor failed"
	}
	return string(c)
}

// ThroughNoFault reports whether an attempt that failed so says nothing about
// the work: it was interrupted, the controller died, something else moved, it met
// that of another step, or there was no more money for it, or nobody who serves it.
func (c Class) ThroughNoFault() bool {
	return c == Interrupted || c == Lost || c == Moved || c == Met || c == OverBudget || c == NotServed
}

// AttemptFailed says why an attempt counts for nothing.
type AttemptFailed struct {
	Class    Class          `json:"class"`
	Cause    gate.Cause     `json:"cause,omitempty"` // of a time-out
	Reasons  []string       `json:"reasons"`
	Findings []gate.Finding `json:"findings,omitempty"`
	Until    time.Time      `json:"until,omitzero"` // of one that was not served: when it is made again
}

func (*AttemptFailed) Type() string { return "attempt-failed" }

func (f *AttemptFailed) String() string { return failureLine(f.Class, f.Reasons) }

func failureLine(c Class, reasons []string) string {
	return sprint("%s: %s", c, strings.Join(reasons, "; "))
}

// A CyclePhase is one part of writing a test first.
type CyclePhase string

const (
	Red      CyclePhase = "red"      // the test is written, and fails
	Green    CyclePhase = "green"    // it passes
	Refactor CyclePhase = "refactor" // it passes still; else the refactoring is undone
)

// Cycle is the end of one phase of an attempt that writes its test first. What
// the test did was seen by the controller.
type Cycle struct {
	Phase  CyclePhase `json:"phase"`
	Test   string     `json:"test"`             // the command
	Ran    bool       `json:"ran"`              // false: the phase ended before the test could be run
	Exit   int        `json:"exit"`             // its status
	Passed bool       `json:"passed"`           // the test
	Holds  bool       `json:"holds"`            // the phase is what it must be
	Did    string     `json:"did"`              // "kept", "reverted" or "refused"
	Why    string     `json:"why,omitempty"`    // it does not hold
	Output string     `json:"output,omitempty"` // of the test, the tail
	// Snapshot is the tree after the phase, which going on after a crash begins
	// with.
	Snapshot record.Snapshot `json:"snapshot,omitzero"`
}

func (*Cycle) Type() string { return "cycle" }

func (f *Cycle) String() string {
	return sprint("%s %s: %s ended with status %d: %s", f.Phase, f.Did, f.Test, f.Exit, f.Why)
}

func (f *Cycle) snapshots() []record.Snapshot { return snapshots(f.Snapshot) }

// JobDone is the end of one of several jobs of an attempt, which went well. An
// attempt that begins with the same tree, and whose first jobs are the same,
// takes them over and goes on behind them.
type JobDone struct {
	Run string `json:"run"` // the command
	// Of is the attempt that carried it out; 0: this one.
	Of        int                `json:"of,omitempty"`
	Took      time.Duration      `json:"took_ns"`             // where it was carried out
	Output    string             `json:"output,omitempty"`    // of its command, the tail
	Runs      []string           `json:"run_ids,omitempty"`   // that it named
	Artifacts []string           `json:"artifacts,omitempty"` // likewise
	Metrics   map[string]float64 `json:"metrics,omitempty"`   // likewise
	Snapshot  record.Snapshot    `json:"snapshot"`            // the tree after it
}

func (*JobDone) Type() string { return "job-done" }

func (f *JobDone) String() string {
	if f.Of > 0 {
		return sprint("%s was carried out by attempt %d, and is taken over", f.Run, f.Of)
	}
	return sprint("%s went well", f.Run)
}

func (f *JobDone) snapshots() []record.Snapshot { return snapshots(f.Snapshot) }

// Telemetry is what an attempt said about itself on its standard output, or in
// its outcome. It proves nothing: evidence is looked for elsewhere.
type Telemetry struct {
	Status    ExecutionStatus    `json:"status"`
	Runs      []string           `json:"run_ids,omitempty"`   // in the order in which they were named, each once
	Artifacts []string           `json:"artifacts,omitempty"` // likewise
	Metrics   map[string]float64 `json:"metrics,omitempty"`   // the last value of each
	Dropped   int                `json:"dropped,omitempty"`   // lines that were too many, or that nobody could read
}

func (*Telemetry) Type() string { return "telemetry" }

func (f *Telemetry) String() string {
	text := fmt.Sprintf("%s · %s · %s · %s",
		f.Status, count(len(f.Runs), "run"), count(len(f.Artifacts), "artifact"), count(len(f.Metrics), "metric"))
	if f.Dropped > 0 {
		text += fmt.Sprintf(" · %s dropped", count(f.Dropped, "line"))
	}
	return text
}
