package history

import (
	"math"
	"slices"

	"github.com/planlock/planlock/plan"
)

// Flow is how a run is carried out as a whole: its strategy, its tasks that
// ended, and the tokens that were used.
type Flow struct {
	Strategy *StrategySet  // the latest; nil where none was set yet
	Switched []StrategySet // all but the first
	Phases   []PhaseOver   // since the strategy was last set
	Tasks    []TaskOver    // in the order in which they ended
	Budgets  []Budget      // levels that were reached
	Tokens   int64         // reported, of the run
	Used     int64         // of them, in this session
	Session  int           // from 1; a handoff ends one
	Warned   bool          // the warning was given in this session

	unphased bool // steps were added that belong to no phase
	handed   bool // a handoff was recorded, and the run not resumed since
}

// Task is how a task ended, or nil if it did not yet.
func (f *Flow) Task(id string) *TaskOver {
	for i := range f.Tasks {
		if f.Tasks[i].Task == id {
			return &f.Tasks[i]
		}
	}
	return nil
}

// HandedOver reports whether the session ended because its tokens were used up, and the next one has not begun.
func (f *Flow) HandedOver() bool { return f.handed }

// Unphased reports whether steps were added to the run that belong to no phase of its strategy.
func (f *Flow) Unphased() bool { return f.unphased }

// spend counts tokens. Nobody gives tokens back, and what is more than can be counted stays the most that can be.
func (f *Flow) spend(tokens int64) {
	tokens = max(tokens, 0)
	f.Tokens += min(tokens, math.MaxInt64-f.Tokens)
	f.Used += min(tokens, math.MaxInt64-f.Used)
}

// resumed begins a session, if the last one was handed on.
func (f *Flow) resumed() {
	if f.handed {
		f.handed, f.Warned, f.Used = false, false, 0
		f.Session++
	}
}

func (f *Flow) apply(fact Fact) {
	switch fact := fact.(type) {
	case *StrategySet:
		if f.Strategy != nil {
			f.Switched = append(f.Switched, *fact)
		}
		f.Strategy, f.Phases, f.unphased = fact, nil, false
	case *PhaseOver:
		f.Phases = append(f.Phases, *fact)
	case *TaskOver:
		f.Tasks = append(f.Tasks, *fact)
	case *Budget:
		f.Budgets = append(f.Budgets, *fact)
		f.Warned = true
		f.handed = fact.Level == Handoff
	}
}

// rollBack forgets what ended with steps, and with their tasks, that have not
// happened any more.
func (f *Flow) rollBack(steps map[plan.Address]bool, tasks map[string]bool) {
	f.Tasks = slices.DeleteFunc(slices.Clone(f.Tasks), func(t TaskOver) bool { return tasks[t.Task] })
	f.Phases = slices.DeleteFunc(slices.Clone(f.Phases), func(p PhaseOver) bool {
		n := p.Number - 1
		return f.Strategy != nil && n >= 0 && n < len(f.Strategy.Phases) &&
			slices.ContainsFunc(f.Strategy.Phases[n].Steps, func(a plan.Address) bool { return steps[a] })
	})
}
