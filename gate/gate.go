package gate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Level says what a gate's "no" stops.
type Level int

const (
	Informs        Level = 0 // logged, never blocks
	BlocksStep     Level = 1 // blocks execution from advancing
	BlocksApproval Level = 2 // blocks the plan from being approved, and execution as well
)

// Phase says when a gate looks.
type Phase string

const (
	Planning Phase = "planning" // before the lock
	Before   Phase = "before"   // before a step
	During   Phase = "during"   // per-step gates, right after the executor came back: syntax, types, invariants, non-goals, tests
	After    Phase = "after"    // post-execution: artifacts, postconditions, expected output, semantic class
	Final    Phase = "final"    // when all steps are done
)

// Info describes a gate.
type Info struct {
	Name      string        // unique among the gates of a run
	Doc       string        // one sentence
	Version   string        // part of the envelope
	Level     Level         //
	Phases    []Phase       // at least one
	Timeout   time.Duration // 0: none at level 0, 5 min at level 1, 1 min at level 2; else within the level's bounds
	Stateless bool          // may be asked again after a time-out that is provably not semantic
}

// A Gate judges. Judge reports what it found on pass and returns nil; an error means that it could not decide, never "no".
// Judge may be called concurrently for different passes.
type Gate interface {
	Info() Info
	Judge(ctx context.Context, pass *Pass) error
}

// New makes a gate of a function.
func New(info Info, judge func(ctx context.Context, pass *Pass) error) Gate { return nil }

// A Pass is everything a gate may look at, and where it reports. Gates must not change what it refers to.
// New fields may be added.
type Pass struct {
	Phase   Phase
	Plan    *plan.Plan
	Draft   *plan.Draft // in planning only
	Task    *plan.Task  // nil in planning and final
	Step    *plan.Step  // nil in planning and final
	Attempt int

	Dir     string       // the workspace (or clone) on disk
	Base    *ledger.Tree // before the run
	Before  *ledger.Tree // the step's checkpoint
	After   *ledger.Tree // after the attempt; equals Before in phase before; the final tree in phase final
	Changes []ledger.Change
	Account *ledger.Account  // nil before
	Symbols []ledger.Symbol  //
	Lines   ledger.LineCount //
	Content ledger.Content   // contents of entries of Base and Before (from the store) and After (from Dir)
	Output  *Output          // what the executor said; nil before

	// OpenIntents are the test intents whose step is done and whose fixing step is not yet.
	OpenIntents []*plan.TestIntent
	// Introduced says since when each invariant (by id) is known to hold: "base" or a step's address.
	Introduced map[string]string

	Runner CommandRunner // runs commands of checks, sandboxed as the plan says
	Log    *slog.Logger

	// private: findings
}

// Output is what an executor said about an attempt. It never proves anything by itself.
type Output struct {
	Text string // bounded, the tail kept
	Exit int
}

// A Command of a check or a gate.
type Command struct {
	Run  string   // a shell command, or
	Args []string // a program and its arguments
	Dir  string   // default: the workspace
	Env  []string // additional NAME=value

	Stdin  io.Reader // nil: empty
	Stdout io.Writer // gets standard output as it comes, whole; may be nil
}

// A CommandResult is how it ended.
type CommandResult struct {
	Exit   int
	Output string // standard output and error together, bounded, the tail kept
	Stdout string // bounded, the tail kept
	Took   time.Duration
}

// CommandRunner runs commands of gates: in the run's sandbox, with its environment, never outliving the call.
// The error is for a command that could not be run; a failing one has an Exit.
type CommandRunner interface {
	Run(ctx context.Context, c Command) (CommandResult, error)
}

// Result is pass, partial or fail.
type Result string

const (
	Passed  Result = "pass"
	Partial Result = "partial"
	Fail    Result = "fail"
)

// A Citation points at evidence.
type Citation struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
}

// A Verdict is what a gate decided.
type Verdict struct {
	Result    Result     `json:"result"`
	Findings  []Finding  `json:"findings,omitempty"`
	Evidence  []string   `json:"evidence,omitempty"`
	Citations []Citation `json:"citations,omitempty"`
}

// A Finding is one thing a gate objects to.
type Finding struct {
	Code     string `json:"code,omitempty"` // stable: "non-goal", "limit-files", "invariant", …
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	Expected string `json:"expected,omitempty"`
	Happened string `json:"happened,omitempty"`
}

// Reportf objects. path may be "".
func (p *Pass) Reportf(path, format string, args ...any) {}

// Report objects.
func (p *Pass) Report(f Finding) {}

// Partialf says that something is only partly as it should be.
func (p *Pass) Partialf(path, format string, args ...any) {}

// Evidencef adds to what the verdict rests on.
func (p *Pass) Evidencef(format string, args ...any) {}

// Cite adds a citation.
func (p *Pass) Cite(c Citation) {}

// A Judgement is what asking one gate came to: a verdict, or why there is none.
type Judgement struct {
	Gate    string
	Level   Level
	Phase   Phase
	Verdict *Verdict // nil: could not decide
	Err     error    // why not; *TimeoutError, *PanicError or what the gate returned
	Took    time.Duration
}

// Blocks reports whether it stops what is going on in its phase.
func (j Judgement) Blocks() bool { return false }

// Cause of a time-out.
type Cause string

const (
	Resources  Cause = "resources"
	Deadlock   Cause = "deadlock"
	ModelStall Cause = "model-stall"
	Dependency Cause = "dependency"
)

// A TimeoutError says that a gate (or an executor) did not answer in time, and probably why.
type TimeoutError struct {
	Name     string
	Limit    time.Duration
	Cause    Cause
	Evidence string
}

func (e *TimeoutError) Error() string { return fmt.Sprint(e.Name) }

// A Check decides one kind of plan.Check. The error means "could not decide".
type Check interface {
	Kind() string
	Decide(ctx context.Context, pass *Pass, c plan.Check) (Verdict, error)
}

// A Panel asks gates. The zero value asks none.
type Panel struct {
	Gates  []Gate
	Checks []Check // further kinds; the built-in kinds are always there
}

// Validate refuses nil, nameless, undocumented or doubled gates, and time-outs outside their level's bounds.
func (p *Panel) Validate() error { return nil }

// Ask asks the gates of a phase, in order, and returns every judgement.
func (p *Panel) Ask(ctx context.Context, phase Phase, pass *Pass) []Judgement { return nil }
