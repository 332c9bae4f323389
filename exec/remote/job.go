package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// ErrLost says that whoever carried out a job is gone, or has it no more.
var ErrLost = errors.New("remote: the job is lost")

// A Job is one attempt of a step, or one phase of it, to be carried out anywhere.
type Job struct {
	// Key is the job's alone: the run, the step, the attempt, the phase, and how
	// often it was given away before.
	Key string `json:"key"`
	Run string `json:"run"`
	// Step and Attempt are for people.
	Step    plan.Address `json:"step"`
	Attempt int          `json:"attempt"`
	// Executor is who carries it out, by name, and Identity which one that must
	// be; "" if any of that name will do.
	Executor string `json:"executor,omitempty"`
	Identity string `json:"identity,omitempty"`
	// Base is the tree to begin with, and Made who made it, by its Host, and so has
	// it; "" where no worker did.
	Base record.Snapshot `json:"base"`
	Made string          `json:"made,omitempty"`
	// Request is the content that says what to do: a [Request] in JSON.
	Request ledger.Digest `json:"request"`
}

// A Request is what a worker is asked to do: the [exec.Work] of an executor,
// without what is of a machine, and without the steps of the task: so it is as large
// as what is said of one step, whatever the plan is.
type Request struct {
	Goal     string             `json:"goal"`
	Task     *plan.Task         `json:"task"`
	Step     *plan.Step         `json:"step"`
	Method   exec.Method        `json:"method"`
	Briefing exec.Briefing      `json:"briefing"`
	Within   []string           `json:"within,omitempty"`
	Bound    bool               `json:"bound,omitempty"`
	NonGoals []plan.NonGoal     `json:"non_goals,omitempty"`
	Phase    history.CyclePhase `json:"phase,omitempty"`
	Tests    []string           `json:"tests,omitempty"`
	Compress bool               `json:"compress,omitempty"`
	Feedback []string           `json:"feedback,omitempty"`
	Sandbox  plan.Sandbox       `json:"sandbox"`
	// NoSandbox runs commands at level none.
	NoSandbox bool `json:"no_sandbox,omitempty"`
}

// requestOf is what a worker is asked to do.
func requestOf(w exec.Work) Request {
	if w.Task != nil {
		task := *w.Task
		task.Steps = nil
		w.Task = &task
	}
	return Request{Goal: w.Goal, Task: w.Task, Step: w.Step, Method: w.Method, Briefing: w.Briefing,
		Within: w.Within, Bound: w.Bound, NonGoals: w.NonGoals, Phase: w.Phase, Tests: w.Tests, Compress: w.Compress,
		Feedback: w.Feedback, Sandbox: w.Sandbox}
}

// work is what is done for a request, but for what is of a machine.
func (r *Request) work(j Job) exec.Work {
	return exec.Work{RunID: j.Run, Attempt: j.Attempt, Goal: r.Goal, Task: r.Task, Step: r.Step, Method: r.Method,
		Briefing: r.Briefing, Within: r.Within, Bound: r.Bound, NonGoals: r.NonGoals, Phase: r.Phase, Tests: r.Tests, Compress: r.Compress,
		Feedback: r.Feedback, Sandbox: r.Sandbox}
}

// A Result is what came of a job.
type Result struct {
	Key string `json:"key"`
	// Host is who carried it out, for people.
	Host string `json:"host"`
	// Tree is what was made; zero where nothing is known of it.
	Tree record.Snapshot `json:"tree"`
	// Said is the content with what the executor said: a [Said] in JSON.
	Said ledger.Digest `json:"said"`
	// Broken is why the job could not be carried out at all, by no fault of the
	// executor's: its machine is full, or has not what it needs.
	Broken string `json:"broken,omitempty"`
}

// Said is what an executor said of its work.
type Said struct {
	Outcome exec.Outcome `json:"outcome"`
	Printed []byte       `json:"printed,omitempty"` // to Work.Output
	Error   string       `json:"error,omitempty"`   // "" if it said that it did it
	// Kind is what the controller has to know of the error.
	Kind  Kind      `json:"kind,omitempty"`
	Until time.Time `json:"until,omitzero"` // of NotServed
}

// A Kind is an error that a controller treats in a way of its own.
type Kind string

// Kinds of errors.
const (
	ContextExhausted Kind = "context-exhausted" // exec.ErrContextExhausted
	Declined         Kind = "declined"          // exec.ErrDeclined
	NotServed        Kind = "not-served"        // *exec.LimitError
)

// kindOf is what has to be known of an error.
func kindOf(err error) (k Kind, until time.Time) {
	var limit *exec.LimitError
	switch {
	case errors.Is(err, exec.ErrContextExhausted):
		return ContextExhausted, until
	case errors.Is(err, exec.ErrDeclined):
		return Declined, until
	case errors.As(err, &limit):
		return NotServed, limit.Until
	}
	return "", until
}

// err is the error that was said, in the same words.
func (s *Said) err() error {
	switch {
	case s.Error == "":
		return nil
	case s.Kind == ContextExhausted:
		return &said{s.Error, exec.ErrContextExhausted}
	case s.Kind == Declined:
		return &said{s.Error, exec.ErrDeclined}
	case s.Kind == NotServed:
		return &said{s.Error, &exec.LimitError{Until: s.Until, Reason: s.Error}}
	}
	return &said{text: s.Error}
}

// said is an error of another machine.
type said struct {
	text string
	is   error
}

func (e *said) Error() string { return e.text }

// Unwrap returns what it is.
func (e *said) Unwrap() error { return e.is }

// A Queue is how the owner of a run gives jobs away. It is safe for concurrent
// use.
type Queue interface {
	// Submit gives a job away. The same key again is harmless.
	Submit(ctx context.Context, j Job) error
	// Result waits for what came of a job. ErrLost where whoever had it is gone:
	// then nothing is applied that it still gives back.
	Result(ctx context.Context, key string) (Result, error)
	// Cancel has whoever carries a job out stop, and nobody take it any more.
	Cancel(ctx context.Context, key string) error
}

// A Fit is how well a job fits a worker: the larger the better.
type Fit int

// Fits of jobs.
const (
	Unfit    Fit = iota // another worker has to carry it out
	Able                // it can
	KnowsRun            // it can, and has an earlier tree of the run
	HasTree             // it can, and has the tree that the job begins with
)

// A Source is where workers take jobs from. It is safe for concurrent use.
type Source interface {
	// Take waits for a job that is not [Unfit], and has it be the caller's. Of
	// several that wait it should be the one that fits best, and of these the first.
	Take(ctx context.Context, fit func(Job) Fit) (Lease, error)
}

// A Lease is a job that a worker has taken. Its context ends when the job was
// cancelled or lost.
type Lease interface {
	Job() Job
	// Context ends when the work is to end; its cause says why.
	Context() context.Context
	// Done gives the result back. ErrLost where the job is somebody else's by
	// now: then it is dropped.
	Done(ctx context.Context, r Result) error
	// Return gives the job back undone, for another worker.
	Return(ctx context.Context) error
}

// key is that of a job that was given away so many times before.
func key(w exec.Work, again int) string {
	return fmt.Sprintf("%s-%s-%d-%s-%d", w.RunID, w.Step.Address, w.Attempt, w.Phase, again)
}
