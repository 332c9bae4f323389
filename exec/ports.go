package exec

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/attempt"
	"github.com/planlock/planlock/exec/internal/briefing"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// An Executor carries out one attempt of a step in the workspace. It never
// judges its own work: what it says is recorded, and proves nothing.
//
// Execute is called once per attempt and must not return before everything that
// it started has ended. It honours ctx: when ctx ends it stops and returns an
// error that wraps context.Cause(ctx). A nil error means "I did it"; an error
// means that the attempt failed, and the tree is restored. Calls for different
// steps may be concurrent.
type Executor interface {
	Execute(ctx context.Context, w Work) (Outcome, error)
}

// A Versioned executor, reviewer or gate says which version of the agent it
// drives. The versions are part of the envelope: a run refuses to go on under
// another one.
type Versioned interface {
	Version(ctx context.Context) (string, error)
}

// A Named executor is also found under its name by steps that ask for it, as
// in executor = "shell".
type Named interface {
	Name() string
}

// identityOf is what tells an executor or a reviewer from others; "" if nobody
// can tell.
func identityOf(ctx context.Context, x any) (string, error) {
	if i, ok := x.(gate.Identified); ok {
		return i.Identity(ctx)
	}
	return "", nil
}

// CommandsOnly is implemented by an executor that touches the workspace by
// nothing but commands which it has Work.Runner run, one at a time. Where the
// machine can, they work in a layer that knows what was changed, so that a step
// costs what it changes, however large the workspace is. They see in Work.Path
// what they wrote; Work.Dir holds it once Execute has returned.
//
// A command may be run once more, in a plain copy, if it failed by what such a
// layer does not do.
type CommandsOnly interface {
	CommandsOnly()
}

// Away is implemented by an executor that has steps carried out elsewhere. Where
// several run at once, such a step has no folder here: see Work.Became.
type Away interface {
	// Away reports whether that is so of a step.
	Away(s *plan.Step) bool
}

// Executors are who carries out steps, by the name that a step or a backup
// gives. The one under the empty name is the default: it carries out what names
// nobody, and what asks for the name that it says it has (see [Named]).
type Executors map[string]Executor

// Default is an executor that carries out all steps.
func Default(x Executor) Executors { return Executors{"": x} }

// find is who carries out a method that names an executor, or names none.
func (x Executors) find(named string) (Executor, error) {
	if one := x[named]; one != nil {
		return one, nil
	}
	if one := x[""]; one != nil && named == name(one) {
		return one, nil
	}
	if named == "" {
		return nil, &AbsentError{Role: "executor"}
	}
	return nil, &AbsentError{Role: "executor", Name: named}
}

// name is what an executor calls itself.
func name(x Executor) string {
	if n, ok := x.(Named); ok {
		defer home.InPort("the name of an executor")
		return n.Name()
	}
	return ""
}

// A Method is one way to do a step: its own, a backup of the plan, or one of
// them with the patch of an advisor.
type Method = method.Method

// A Briefing is what whoever carries out a step is told besides it.
type Briefing = briefing.Briefing

// A Source is a file that research found to be about a task.
type Source = briefing.Source

// Work is one attempt of a step. What it points to must not be changed.
type Work struct {
	RunID string
	Goal  string
	// Task is what the step is a part of: its title and description say what for,
	// its acceptance criteria when it is done.
	Task    *plan.Task
	Step    *plan.Step
	Method  Method
	Attempt int // from 1, over all methods of the step
	// Briefing is what binds the step, what became of earlier ones, what people
	// decided, and what was found out: at most 50 lines of each.
	Briefing
	// Within are the paths, folders and globs that the plan names for the step
	// besides its artifacts: it may change them in any way, and nothing else. Nil
	// where the plan does not hold it to what it names (see [plan.Scoped]).
	Within []string
	// Bound says that the plan holds the step to what it declares and to Within:
	// whatever else changes fails it.
	Bound bool
	// NonGoals are what no step may touch.
	NonGoals []plan.NonGoal
	// Dir is where the step works, and the only folder that an executor may
	// write to: mostly a copy of the workspace, of which accepted work alone is
	// brought into the workspace itself.
	Dir string
	// Became is set where a step that is carried out elsewhere ([Away]) runs at once
	// with others. Dir is the folder of all of them then, and only read: Became takes
	// the tree that all of it held (a scan with no scope), and the one that was made of
	// that. The controller's Blobs have the contents, from which it joins what differs.
	Became func(from, now *ledger.Tree)
	// Path is where programs that Runner runs see Dir: mostly the path of the
	// workspace. "" where they see it as Dir.
	Path string
	// Phase is set where the step writes its test first: Execute is called for
	// each phase of an attempt in turn. In red the test is written, and must
	// fail; in green it is made to pass; in refactor the code is cleaned up,
	// and the test must pass still. The controller runs the test itself.
	Phase history.CyclePhase
	// Tests are the commands that the controller runs to see what came of the
	// phase; none where there are no phases.
	Tests []string
	// Compress asks for brevity: most of the token budget is used.
	Compress bool
	// Feedback is why earlier attempts failed, oldest first, each reason with what
	// was expected and the end of what was printed, on lines of its own (see
	// [history.Reason]); then what advisors and people said.
	Feedback []string
	// Home is a folder outside of the workspace, private to the run, which an
	// executor that asks for it (see [Needs]) has for its settings and logins. Of all
	// commands, those alone see it that name it in gate.Command.Private. It
	// lasts until the run ends or pauses. Steps that run at once share it.
	Home string
	// Activity tells whoever watches what the executor is at, in a few words, as
	// in "editing server/limit.go". It is shown and not kept.
	Activity func(text string)
	// Spent tells what the attempt has cost so far, in all. Where that is more
	// than the run may cost, the context of the attempt ends with [ErrBudget].
	// Outcome.Usage is what counts in the end.
	Spent func(Usage)
	// Sandbox is what holds the commands that Runner runs. What an executor does by
	// itself goes no further: it reaches no network where they have none.
	Sandbox plan.Sandbox
	Runner  gate.CommandRunner // runs programs in the step's sandbox; nothing that it started outlives the call
	Output  io.Writer          // live output for the host; what is written is also kept, bounded
}

// WorkOf is the work that a pass is about, done as the step says, with nobody
// listening: for whoever calls executors without a controller.
func WorkOf(p *gate.Pass) Work {
	return Work{Goal: p.Plan.Goal, Task: p.Task, Step: p.Step, Method: method.Of(p.Step), Attempt: p.Attempt,
		Within: p.Plan.Declared(p.Task, p.Step).Within, Bound: p.Plan.Binds(p.Task, p.Step), NonGoals: p.Plan.NonGoals,
		Dir: p.Dir, Sandbox: p.Plan.Sandbox, Runner: p.Runner, Output: io.Discard,
		Activity: func(string) {}, Spent: func(Usage) {}}
}

// An Outcome is what the executor says about an attempt.
type Outcome struct {
	Output string // text, as far as it was not written to Work.Output
	// Stdout is standard output alone, for the step's expect table; of an executor
	// that is not [CommandsOnly] "" is Output.
	Stdout   string
	Exit     int                // exit status, where there is one
	Usage    Usage              //
	Metrics  map[string]float64 //
	Stateful bool               // something outside the workspace was changed: no retry is lawful
	Summary  string             // with ErrContextExhausted: what a fresh attempt must know
	// Runs and Artifacts are ids of runs of experiments and paths of files,
	// besides those that programs named on their standard output (package
	// jobs). They prove nothing.
	Runs, Artifacts []string
	// Insights are what was learned on the way, Decisions what was decided that
	// the plan leaves open: they stand in the journal and the notepad, of each
	// the first MaxNotes, 1 KiB long at most. They prove nothing.
	Insights, Decisions []string
}

// MaxNotes is how many insights, and how many decisions, of an attempt are kept.
const MaxNotes = attempt.MaxNotes

// Usage is what an attempt cost.
type Usage struct {
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	Calls        int   `json:"calls,omitempty"`
	Cost         Money `json:"cost,omitempty"` // as the agent says; 0 where it says nothing
}

// spent is what it is counted as: nobody gives anything back.
func (u Usage) spent() attempt.Spent {
	return attempt.Spent{Tokens: attempt.AddTokens(u.InputTokens, u.OutputTokens), Calls: u.Calls, Cost: max(u.Cost, 0)}
}

// Func is an Executor made of a function.
type Func func(ctx context.Context, w Work) (Outcome, error)

// Execute calls f.
func (f Func) Execute(ctx context.Context, w Work) (Outcome, error) { return f(ctx, w) }

// escalate asks; a panic of the escalator is a way to ask that is broken.
func escalate(ctx context.Context, x ask.Escalator, q ask.Question) (a ask.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exec: the escalator panicked: %v", p)
		}
	}()
	return x.Ask(ctx, q)
}

// Advisors are who is asked for each kind of advice. A kind that is not among
// them is given by the built-in advisors of package advice, which need no
// model; one that is nil is not asked for.
type Advisors map[advice.Kind]advice.Advisor

// of finds who gives a kind of advice; nil if nobody does.
func (a Advisors) of(kind advice.Kind) advice.Advisor {
	if x, ok := a[kind]; ok {
		return x
	}
	return advice.Builtin{}
}
