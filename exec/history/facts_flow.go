package history

import (
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Strategy is how much ceremony there is around the steps of a run. What is
// promised of a step is the same under each.
type Strategy string

const (
	Direct       Strategy = "direct"       // one checkpoint for the run as a whole, no phases: complexity 1 and 2
	Orchestrated Strategy = "orchestrated" // phases, each with its checkpoint: complexity 3 to 5
)

// StrategySet says how the run is carried out from here on: the first time
// before its first step, then when the work turned out to be harder.
type StrategySet struct {
	Strategy   Strategy `json:"strategy"`
	From       Strategy `json:"from,omitempty"`    // of a switch: what it was
	Complexity int      `json:"complexity"`        // 1 to 5, that decided
	Planned    int      `json:"planned,omitempty"` // of a switch: the complexity that the run began with
	// Source says where Complexity comes from: "plan" (a task says it), "computed"
	// (from what the plan declares), "asked" (the host wants it so) or "measured".
	Source   string   `json:"source"`
	Why      string   `json:"why"`
	Measures Measures `json:"measures"`
	Phases   []Phase  `json:"phases,omitempty"` // of what is left; none if direct
	// Checkpoint is the tree that the strategy begins with.
	Checkpoint checkpoint.Snapshot `json:"checkpoint"`
}

// Measures are what a complexity was computed from.
type Measures struct {
	Tasks        int `json:"tasks,omitempty"`
	Steps        int `json:"steps,omitempty"`
	Files        int `json:"files"`                  // declared, or touched
	Dependencies int `json:"dependencies,omitempty"` // between tasks, and between speclets
	Minutes      int `json:"minutes,omitempty"`      // since the run began, whole ones
	Errors       int `json:"errors,omitempty"`       // attempts that failed
}

// A Phase is a part of an orchestrated run.
type Phase struct {
	Name  string         `json:"name"`
	Steps []plan.Address `json:"steps"` // in the order of execution
}

// PhaseOver says that all steps of a phase are over, and what the tree is then.
type PhaseOver struct {
	Phase      string              `json:"phase"`
	Number     int                 `json:"number"` // from 1
	Of         int                 `json:"of"`
	Completed  int                 `json:"completed"` // steps
	Left       int                 `json:"left"`      // steps that failed, were left out or are blocked
	Checkpoint checkpoint.Snapshot `json:"checkpoint"`
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
	// Snapshot is the tree after the phase, which going on after a crash begins with.
	Snapshot checkpoint.Snapshot `json:"snapshot,omitzero"`
}

// A BudgetLevel is how far a token budget has been used up.
type BudgetLevel string

const (
	Warned  BudgetLevel = "warn"    // at 70 %: executors are asked to be brief
	Handoff BudgetLevel = "handoff" // at 80 %: the run stops, to be resumed with a fresh count
)

// Budget says that a level of the token budget was reached.
type Budget struct {
	Level   BudgetLevel  `json:"level"`
	Used    int64        `json:"used"`           // tokens in this session
	Limit   int64        `json:"limit"`          // tokens
	Total   int64        `json:"total"`          // tokens of the run, over all sessions
	Session int          `json:"session"`        // from 1
	Next    plan.Address `json:"next,omitempty"` // the step that is next
}

// Differs says that an attempt made another tree than an earlier one did of the
// same inputs under the same envelope.
type Differs struct {
	Inputs  ledger.Digest `json:"inputs"` // digest of what both began with
	Tree    ledger.Digest `json:"tree"`   // that it made
	Was     ledger.Digest `json:"was"`    // that the earlier one made
	Run     string        `json:"run"`    // of the earlier one; this run's id if it was here
	Step    plan.Address  `json:"step"`
	Attempt int           `json:"attempt"`
	Paths   []string      `json:"paths,omitempty"` // in which they differ, the first of them, where that is known
	Refused bool          `json:"refused"`         // deterministic mode: the attempt was undone
}

// PartlyDone is how a task stands of which some was completed, and some was not and never will be.
const PartlyDone StepStatus = "partial"

// TaskOver says that a task ended, how, and that what stands in the journal about it agrees with itself.
type TaskOver struct {
	Task    string         `json:"task"`
	Status  StepStatus     `json:"status"`            // Completed, Failed, Blocked, Skipped or PartlyDone
	Reason  string         `json:"reason,omitempty"`  // why it is not completed
	By      []plan.Address `json:"by,omitempty"`      // the steps because of which it is not
	Unblock []string       `json:"unblock,omitempty"` // ways to get it done all the same
	Steps   TaskSteps      `json:"steps"`
	Checks  []TaskCheck    `json:"checks"`
	// Consecutive is the number of failed steps in a row when the task ended; Failures those of the task.
	Consecutive int `json:"consecutive"`
	Failures    int `json:"failures"`
}

// TaskSteps counts the steps of a task by how they ended.
type TaskSteps struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Blocked   int `json:"blocked"`
	Open      int `json:"open"` // never ran, because the run was halted
	Retries   int `json:"retries"`
	Backups   int `json:"backups"`
}

// A TaskCheck is one thing that is verified when a task ended: "steps-over",
// "ids", "propagation-decided", "failures-acknowledged", "escalated", "strategy-followed",
// "counters".
type TaskCheck struct {
	Name  string   `json:"name"`
	Holds bool     `json:"holds"`
	Found []string `json:"found,omitempty"` // what does not agree
}

// Holds reports whether all checks do.
func (t *TaskOver) Holds() bool {
	for _, c := range t.Checks {
		if !c.Holds {
			return false
		}
	}
	return true
}

func (*StrategySet) Type() string { return "strategy" }
func (*PhaseOver) Type() string   { return "phase" }
func (*Cycle) Type() string       { return "cycle" }
func (*Budget) Type() string      { return "budget" }
func (*Differs) Type() string     { return "differs" }
func (*TaskOver) Type() string    { return "task-over" }
