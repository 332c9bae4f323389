package attempt

import (
	"context"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// Before asks whether a step may begin, and records its checkpoint. Questions
// are answered before anything is attempted.
//
// A step that may begin is only staged: its first attempt makes it durable, so
// that a step costs one sync. One that may not is recorded at once. Gates must
// not change the tree; where code that could have done so ran, it is looked at,
// and what was changed is undone and refused.
func (a *Attempts) Before(ctx context.Context, s *history.Step, start *history.StepStarted) error {
	tree, err := a.Work.Known(ctx)
	if err != nil {
		return err
	}
	r := a.Runner(nil)
	pass := a.Pass(gate.Before, s, r)
	pass.Before, pass.After = tree, tree
	judged := a.askGates(ctx, s, pass)
	facts := append([]history.Fact{start}, history.Judged(judged).Facts()...)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	if blocking := judged.Blocking(); len(blocking) > 0 {
		f := blocked(blocking)
		if f.Class == history.GateFailed {
			f.Class = history.Refused
		}
		if a.Work.Layered() { // else that is a refusal of its own
			f.Reasons = append(f.Reasons, a.meddled(ctx, r, tree)...)
		}
		facts = append(facts, f.bounded())
	}
	if r.Ran() || a.Touchy {
		undone, err := a.smuggled(ctx)
		if err != nil {
			return err
		}
		if len(undone) > 0 {
			if err := a.Rec.Record(ctx, s.Where(0), append(facts, undone...)...); err != nil {
				return err
			}
			return a.Rewind.Restored(ctx, s, 0)
		}
	}
	if len(judged.Blocking()) > 0 {
		return a.Rec.Record(ctx, s.Where(0), facts...)
	}
	return a.Rec.Stage(ctx, s.Where(0).Locate(facts...)...) // durable once the attempt is
}

// smuggled looks whether judging changed the tree before anything was
// attempted. It returns what is to be recorded then: the refusal, and the
// restore.
func (a *Attempts) smuggled(ctx context.Context) ([]history.Fact, error) {
	if a.Touchy {
		a.Work.Disturb()
	}
	if a.Work.Layered() {
		_, err := a.Work.TakeBack(ctx, a.Work.Tree)
		return nil, err
	}
	now, err := a.Work.Scanner.Scan(context.WithoutCancel(ctx), a.Work.Dir, a.Work.Tree)
	if err != nil {
		return nil, err
	}
	if now.Digest() == a.Rec.Run.Tree.Tree {
		a.Work.Found(now)
		return nil, nil
	}
	f := faultf(history.Refused, "the tree changed before the step began, and gates and checks must not change it")
	f.Reasons = append(f.Reasons, worktree.Described(ledger.Diff(a.Work.Tree, now))...)
	return []history.Fact{f.bounded(), &history.RestoreBegun{To: a.Rec.Run.Tree}}, nil
}

// askGates asks the gates of a pass, and says so.
func (a *Attempts) askGates(ctx context.Context, s *history.Step, pass *gate.Pass) gate.Judgements {
	a.Tell(event.Event{Kind: event.Judging, Step: s.Address, Attempt: pass.Attempt, Phase: pass.Phase})
	return a.Panel.Ask(ctx, pass)
}
