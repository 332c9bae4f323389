package gate

import (
	"context"
	"slices"
)

// A Gate judges. Judge reports what it found on pass and returns nil; an error
// means that it could not decide, never "no". What was reported before an error
// was returned is dropped, and what is more than 200 findings, 4 KiB in one text
// or 1 MiB in all of them is only counted.
//
// Judge may be called concurrently for different passes. It must honour ctx:
// when ctx ends it returns soon, and everything that it started has ended by
// then. It keeps nothing of pass after it returned, and changes nothing that
// pass refers to. Info may be called at any time, also concurrently.
type Gate interface {
	Info() Info
	Judge(ctx context.Context, pass *Pass) error
}

// Quick is what a Gate may implement besides, if it often has next to nothing
// to do. Where Quick says so of a pass, the gate is asked in the goroutine of
// whoever asks, without a time-out: it only computes then, on what the pass
// holds, or looks up paths that the scan of pass.After looked up as well, so
// that a disk which does not answer would have kept that scan; it reads no
// content, runs no command, calls nothing that a host brought, and does not end
// its goroutine. Elsewhere it is like any other gate. Quick may be called
// concurrently.
type Quick interface {
	Gate
	Quick(pass *Pass) bool
}

// New makes a gate of a function.
func New(info Info, judge func(ctx context.Context, pass *Pass) error) Gate {
	info.Phases = slices.Clone(info.Phases)
	return &function{info: info, judge: judge}
}

type function struct {
	info  Info
	judge func(ctx context.Context, pass *Pass) error
}

func (f *function) Info() Info { return f.info }

func (f *function) Judge(ctx context.Context, pass *Pass) error { return f.judge(ctx, pass) }
