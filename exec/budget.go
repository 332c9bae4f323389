package exec

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/flow"
	"github.com/planlock/planlock/exec/history"
)

// ErrHandoff says that the token budget of a session is used up to four fifths: the run waits to be resumed, with a fresh count. It is
// an [ErrWaiting] as well.
var ErrHandoff = fmt.Errorf("%w: its token budget is nearly used up", ErrWaiting)

// tokenBudget is how many tokens a session may use, 0 if there is no limit.
func (e *execution) tokenBudget() int64 {
	if e.c.TokenBudget > 0 {
		return e.c.TokenBudget
	}
	return flow.SettingsOf(e.plan).TokenBudget
}

// spend looks how far the token budget is used up before the next thing is done. It warns once a session, and ends it in time: what
// was completed is kept, nothing is under way, and the next session begins with the next step.
func (e *execution) spend(ctx context.Context, next *history.Step) error {
	f, limit := &e.run.Flow, e.tokenBudget()
	level := flow.Level(f.Used, limit)
	if level == "" || e.busy() || level == history.Warned && f.Warned {
		return nil
	}
	b := &history.Budget{Level: level, Used: f.Used, Limit: limit, Total: f.Tokens, Session: f.Session, Next: next.Address}
	if err := e.record(ctx, history.Where{}, b); err != nil {
		return err
	}
	e.notify(e.c.Observer.BudgetReached, Event{Budget: b, Text: fmt.Sprintf("%d of %d tokens are used", b.Used, b.Limit)})
	if level == history.Handoff {
		return e.pause(ctx, string(history.Handoff), fmt.Errorf("%w: %d of %d tokens; step %s is next", ErrHandoff, b.Used, b.Limit, next.Address))
	}
	return nil
}
