package exec

import (
	"context"

	"github.com/planlock/planlock/exec/history"
)

// setStrategy records how the run is carried out from here on, with the tree that this begins with. Under each strategy every step has a
// checkpoint of its own that it is restored to; they differ in phases, in when tests come first, and in whether somebody is asked when a
// stage cannot be finished.
func (e *execution) setStrategy(ctx context.Context, set *history.StrategySet) error {
	set.Checkpoint = e.run.Tree
	if err := e.record(ctx, history.Where{}, set); err != nil {
		return err
	}
	e.notify(e.c.Observer.StrategySet, Event{Text: string(set.Strategy) + ": " + set.Why})
	return nil
}
