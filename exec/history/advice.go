package history

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Recovery is what a rung of the ladder decided.
type Recovery struct {
	Rung   string `json:"rung"`   // "retry", "backup", "reflect", "pivot", "research", "feedback", "ask"
	Method string `json:"method"` // of the next attempt; "" if there is none
	Why    string `json:"why"`
	// Repeats counts how often this rung has been used in this step, this time
	// included.
	Repeats int `json:"repeats"`
	// After is how long the next attempt waits for whatever was busy, and
	// Passed says why the rungs before this one had nothing to do.
	After  time.Duration `json:"after_ns,omitempty"`
	Passed []Passed      `json:"passed,omitempty"`
	At     time.Time     `json:"-"` // when it was decided: the wait began then
}

// Passed says why a rung of the ladder had nothing to do about a failure.
type Passed struct {
	Rung string `json:"rung"`
	Why  string `json:"why"`
}

func (*Recovery) Type() string { return "recovery" }

func (f *Recovery) String() string {
	what := f.Rung
	if f.Method != "" {
		what += " " + methodName(f.Method)
	}
	return sprint("%s: %s", what, f.Why)
}

// Advised is what an advisor said about a failure, or before a task. It proves
// nothing and decides nothing: the ladder does.
type Advised struct {
	Kind    string `json:"kind"`              // "research", "reflection", "pivot", "feasibility"
	Point   string `json:"point"`             // "task", "approval", "execution", "verification"
	Rung    string `json:"rung,omitempty"`    // that wanted the advice; "" if none did
	Advisor string `json:"advisor,omitempty"` // its name
	// Attempt is the number of the attempt that it was asked about, 0 if there
	// was none.
	Attempt    int     `json:"attempt,omitempty"`
	RootCause  string  `json:"root_cause,omitempty"`
	Note       string  `json:"note,omitempty"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Severity   float64 `json:"severity,omitempty"`
	Risk       float64 `json:"risk,omitempty"`

	Signals      []string   `json:"signals,omitempty"`
	Queries      []string   `json:"queries,omitempty"`
	Sources      []string   `json:"sources,omitempty"`
	Findings     []string   `json:"findings,omitempty"`
	Alternatives []Approach `json:"alternatives,omitempty"`
	Patch        string     `json:"patch,omitempty"` // id of the patch that it brought
	Same         bool       `json:"same,omitempty"`  // its patch comes to what was tried already, so there is none
	Cost         AdviceCost `json:"cost,omitzero"`
	// Error says why there is no advice; Nothing is set where the advisor had
	// none to give.
	Error   string `json:"error,omitempty"`
	Nothing bool   `json:"nothing,omitempty"`

	At time.Time `json:"-"` // when it was recorded; set by the fold
}

// Without says that a task began without the advice that was to be had before it,
// and why; "" of other advice, and where there was some.
func (f *Advised) Without(task string) string {
	if f.Point != "task" || f.Error == "" {
		return ""
	}
	return fmt.Sprintf("task %s begins without %s: %s", task, f.Kind, f.Error)
}

// An Approach is another way that an advisor proposes.
type Approach struct {
	Name        string  `json:"name,omitempty"` // of a pattern
	Description string  `json:"description"`
	Confidence  float64 `json:"confidence"`       // 0 to 1
	Source      string  `json:"source,omitempty"` // "memory", "heuristic", where it is described, an advisor's name
}

// AdviceCost is what advice has cost.
type AdviceCost struct {
	Took   time.Duration `json:"took_ns,omitempty"`
	Calls  int           `json:"calls,omitempty"`
	Tokens int64         `json:"tokens,omitempty"`
	Cost   Money         `json:"cost,omitempty"` // in millionths of a US dollar
}

func (*Advised) Type() string { return "advised" }

func (f *Advised) String() string {
	return sprint("%s at %s: %s", f.Kind, f.Point, cmp.Or(f.Error, f.Note, f.RootCause))
}

// Patched is a change of a step's method that an advisor proposed, with the
// whole method that comes of it, so that a resumed run can carry it out.
type Patched struct {
	ID      string `json:"id"`         // "patch_1": the name of the method, too
	Attempt string `json:"attempt_id"` // of the failure that it answers, as in "1.1#2"
	Kind    string `json:"kind"`       // of the advice that brought it
	Point   string `json:"point"`
	Base    string `json:"base"` // the method that it changes
	Summary string `json:"summary"`
	// Checksum is over the canonical JSON of the patch as it was proposed, and
	// Diff is what it changes, line by line.
	Checksum   ledger.Digest `json:"checksum"`
	Diff       string        `json:"diff"`
	Method     PatchedMethod `json:"method"`
	Confidence float64       `json:"confidence"`
	// Refused is set if the patch may not be used, and Why says what it would
	// widen.
	Refused bool     `json:"refused,omitempty"`
	Why     []string `json:"why,omitempty"`
}

// PatchedMethod is a method after a patch.
type PatchedMethod struct {
	Description string            `json:"description"`
	Run         string            `json:"run,omitempty"`
	Prompt      string            `json:"prompt,omitempty"`
	Executor    string            `json:"executor,omitempty"`
	Tool        string            `json:"tool,omitempty"`
	ToolArgs    []string          `json:"tool_args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Feedback    []string          `json:"feedback,omitempty"` // told to the executor
}

func (*Patched) Type() string { return "patched" }

func (f *Patched) String() string {
	if f.Refused {
		return sprint("%s refused: %s", f.ID, strings.Join(f.Why, "; "))
	}
	return sprint("%s of %s: %s", f.ID, methodName(f.Base), f.Summary)
}
