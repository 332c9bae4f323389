package advice

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A Kind of advice.
type Kind string

const (
	Research   Kind = "research"    // what should be known before a task, or before it is tried another way
	Reflection Kind = "reflection"  // why something failed, and what to change
	Pivot      Kind = "pivot"       // another approach
	Feasible   Kind = "feasibility" // whether the plan fits the pattern it was made from
)

// Kinds are all kinds of advice.
func Kinds() []Kind { return []Kind{Research, Reflection, Pivot, Feasible} }

// A Point of a run at which advice is asked for.
type Point string

const (
	Task         Point = "task"         // before a task
	Approval     Point = "approval"     // reviewers rejected a draft
	Execution    Point = "execution"    // an attempt failed
	Verification Point = "verification" // evidence is missing
)

// Threshold is the confidence from which on a proposal is acted on.
const Threshold = 0.70

// Hundredths is a confidence as people read it: none below [Threshold] reads as
// that.
func Hundredths(confidence float64) string {
	if confidence < Threshold {
		confidence = min(confidence, Threshold-0.01)
	}
	return fmt.Sprintf("%.2f", confidence)
}

// ErrNothing says that an advisor has nothing to say about a case. The ladder
// goes on with its next rung.
var ErrNothing = errors.New("advice: nothing to say")

// An Advisor proposes.
//
// Advise answers a case, or returns an error that wraps [ErrNothing]; what was
// looked for and where is recorded beside it. Any other error is recorded and
// has the same consequence. What the case points to must
// not be changed. Calls may be concurrent.
type Advisor interface {
	Advise(ctx context.Context, c Case) (Advice, error)
}

// A Case is all that is known when advice is asked for.
type Case struct {
	Kind  Kind
	Point Point
	Run   string
	Goal  string
	Task  *plan.Task
	Step  *plan.Step // nil where the case concerns a task
	// Method is the one that failed, as it was carried out.
	Method  Method
	Failure history.AttemptFailed
	// Attempts are those of the step, oldest first; the last one is the failed
	// one.
	Attempts []*history.Attempt
	// Earlier is the advice that was given in this run for this step or task,
	// oldest first.
	Earlier []history.Advised
	// Criteria are what is to be fulfilled: acceptance criteria, or the
	// evidence that is missing.
	Criteria []string
	// Plan is the plan that is carried out.
	Plan *plan.Plan
	// Files are the paths of the workspace's files, sorted.
	Files []string
	// Open reads a file of the workspace, confined to it; nil if there is none.
	Open func(path string) (io.ReadCloser, error)
	// Runner runs programs in the sandbox of the plan; what they write vanishes,
	// or is undone. Nil if there is none.
	Runner gate.CommandRunner
}

// A Method is what a step carries out, as far as advice concerns it.
type Method struct {
	ID     string
	Run    string
	Prompt string
	// Adjustable are the names of arguments that a patch may add to Run, or set
	// to any value, as the plan declares.
	Adjustable []string
	// From and To are where in Run the command stands that failed, of several that are
	// carried out one after another; 0 and 0 where that is not known. Arguments are
	// those of this one, if it has them.
	From, To int
}

// Advice is what an advisor says.
type Advice struct {
	Advisor string // its name
	Note    string // for people, one paragraph
	// RootCause names the cause in a few words, the same words for the same
	// cause.
	RootCause  string
	Confidence float64 // 0 to 1
	Severity   float64 // 0 to 1
	Risk       float64 // 0 to 1
	// Signals are the lines on which it is founded.
	Signals []string
	// Queries, Sources and Findings are what was looked for, where, and what
	// was found.
	Queries, Sources, Findings []string
	// Alternatives are other approaches, the most promising first.
	Alternatives []history.Approach
	// Patch changes the method; nil if there is nothing to change.
	Patch *Patch
	// Cost is what the advice has cost. Where it does not say how long it took, the
	// controller measures that.
	Cost history.AdviceCost
}

// Remembered reports whether it is founded on what worked in earlier runs.
func (a Advice) Remembered() bool {
	return len(a.Alternatives) > 0 && a.Alternatives[0].Source == fromMemory
}

// fromMemory is the source of an approach that worked in earlier runs.
const fromMemory = "memory"

// A Patch changes a method. What it leaves nil stays as it is.
type Patch struct {
	Summary string  `json:"summary"`
	Run     *string `json:"run,omitempty"`    // another command
	Prompt  *string `json:"prompt,omitempty"` // another prompt
	// values of arguments "--name value" or "--name=value" that Run has, or that
	// the method may be given
	Args map[string]string `json:"args,omitempty"`
	// variables of Run, of those that the plan names in sandbox.env
	Env      map[string]string `json:"env,omitempty"`
	Feedback []string          `json:"feedback,omitempty"` // told to the executor
}

// Func is an advisor made of a function.
type Func func(ctx context.Context, c Case) (Advice, error)

// Advise calls f.
func (f Func) Advise(ctx context.Context, c Case) (Advice, error) { return f(ctx, c) }
