package gate

import (
	"context"
	"slices"
	"time"
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

// Phases lists the phases in the order of a run.
func Phases() []Phase { return []Phase{Planning, Before, During, After, Final} }

// Info describes a gate. It must be the same on every call.
type Info struct {
	Name      string        // unique among the gates of a run
	Doc       string        // one sentence
	Version   string        // part of the envelope
	Level     Level         // what its "no" stops
	Phases    []Phase       // at least one
	Timeout   time.Duration // 0: none at level 0, 5 min at level 1, 1 min at level 2; else within the level's bounds
	Stateless bool          // may be asked again after a time-out that is provably not semantic
}

// A Gate judges. Judge reports what it found on pass and returns nil; an error means that it could not decide, never "no".
// What was reported before an error was returned is dropped, and what is more than MaxFindings, MaxText and MaxReport allow is only
// counted.
//
// Judge may be called concurrently for different passes. It must honour ctx: when ctx ends it returns soon, and
// everything that it started has ended by then. It keeps nothing of pass after it returned, and changes nothing that pass
// refers to. Info may be called at any time, also concurrently.
type Gate interface {
	Info() Info
	Judge(ctx context.Context, pass *Pass) error
}

// New makes a gate of a function.
func New(info Info, judge func(ctx context.Context, pass *Pass) error) Gate {
	info.Phases = slices.Clone(info.Phases)
	return &function{info: info, judge: judge}
}

// NewQuick makes a gate that often has next to nothing to do. Where quick says so of a pass, it is asked in the goroutine of
// [Panel.Ask], without a time-out: it only computes then, on what the pass holds, or looks up paths that the scan of pass.After looked up as well, so
// that a disk which does not answer would have kept that scan; it reads no content, runs no command, calls nothing that a host brought, and does not
// end its goroutine. Elsewhere it is like any other gate.
// quick may be called concurrently.
func NewQuick(info Info, quick func(pass *Pass) bool, judge func(ctx context.Context, pass *Pass) error) Gate {
	info.Phases = slices.Clone(info.Phases)
	return &function{info: info, judge: judge, quick: quick}
}

type function struct {
	info  Info
	judge func(ctx context.Context, pass *Pass) error
	quick func(pass *Pass) bool // nil: never
}

func (f *function) Info() Info {
	info := f.info
	info.Phases = slices.Clone(info.Phases)
	return info
}

func (f *function) Judge(ctx context.Context, pass *Pass) error { return f.judge(ctx, pass) }
