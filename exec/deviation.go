package exec

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
)

// reinstated is the attempt whose tree the next one puts back, or nil if an
// executor is to be called.
func reinstated(s *history.Step) *history.Attempt {
	number := 0
	last := s.Last()
	switch {
	case last == nil:
		return nil
	case s.Next != nil && s.Next.Rung == recovery.AcceptRung:
		number = last.Number
	case s.Next == nil: // it was cut off while it was put back
		number = last.Method.Reinstates
	}
	for _, a := range s.Attempts {
		if a.Number == number && number != 0 {
			return a
		}
	}
	return nil
}

// reinstate is an executor that puts back what an attempt did, and says what it
// said.
func (e *execution) reinstate(a *history.Attempt) Executor {
	return Func(func(ctx context.Context, _ Work) (Outcome, error) {
		want, err := e.Rec.Store.Tree(ctx, a.Discarded)
		if err != nil {
			return Outcome{}, fmt.Errorf("exec: what attempt %d did cannot be put back: %w", a.Number, err)
		}
		have, err := e.Work.Scanner.Scan(ctx, e.Work.Dir, e.Work.Tree)
		if err != nil {
			return Outcome{}, err
		}
		if err := e.Rec.Store.Restore(ctx, e.Work.Dir, want, have); err != nil {
			return Outcome{}, fmt.Errorf("exec: what attempt %d did cannot be put back: %w", a.Number, err)
		}
		out := Outcome{}
		if a.Said != nil {
			out = Outcome{Output: a.Said.Output, Stdout: a.Said.Output, Exit: a.Said.Exit, Stateful: a.Said.Stateful}
		}
		return out, nil
	})
}
