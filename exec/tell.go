package exec

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/flow"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/question"
	"github.com/planlock/planlock/exec/recovery"
)

// tell tells the observer of facts that were recorded.
func (e *execution) tell(facts []history.Located) {
	o := &e.c.Observer
	for _, l := range facts {
		s := e.Rec.Run.Step(l.Where.Step)
		switch f := l.Fact.(type) {
		case *history.ModeSwitched:
			e.notify(o.ModeSwitched, Event{History: s, Text: f.String()})
		case *history.Recovery:
			if f.Rung != recovery.AskRung && f.Rung != question.AcceptRung {
				e.notify(o.Recovering, Event{History: s, Next: f.Method, Text: f.Why})
			}
		case *history.Lesson:
			e.notify(o.Taught, Event{History: s, Lesson: f, Text: f.Lesson})
		case *history.StrategySet:
			e.notify(o.StrategySet, Event{Text: string(f.Strategy) + ": " + f.Why})
		case *history.TaskOver:
			for _, line := range flow.Discrepancies(f) {
				e.warn(line)
			}
			e.notify(o.TaskDone, Event{Task: f, Text: strings.TrimSpace("task " + f.Task + " " + string(f.Status) +
				" " + f.Reason)})
		case *history.Budget:
			e.notify(o.BudgetReached, Event{Budget: f, Text: fmt.Sprintf("%d of %d tokens are used", f.Used, f.Limit)})
		case *history.StepFailed, *history.StepSkipped, *history.StepBlocked:
			e.notify(o.StepDone, Event{History: s, Err: failure(s)})
		}
	}
}
