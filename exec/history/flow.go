package history

import (
	"math"
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// A Strategy is how much ceremony there is around the steps of a run. What is
// promised of a step is the same under each.
type Strategy string

const (
	Direct       Strategy = "direct"       // one checkpoint for the run as a whole, no phases: complexity 1 and 2
	Orchestrated Strategy = "orchestrated" // phases, each with its checkpoint: complexity 3 to 5
)

// StrategySet says how the run is carried out from here on: the first time
// before its first step, then when the work turned out to be harder.
type StrategySet struct {
	Strategy   Strategy `json:"strategy"`
	From       Strategy `json:"from,omitempty"`    // of a switch: what it was
	Complexity int      `json:"complexity"`        // 1 to 5, that decided
	Planned    int      `json:"planned,omitempty"` // of a switch: the complexity that the run began with
	// Source says where Complexity comes from: "plan" (a task says it),
	// "computed" (from what the plan declares), "asked" (the host wants it so)
	// or "measured".
	Source   string   `json:"source"`
	Why      string   `json:"why"`
	Measures Measures `json:"measures"`
	// Phases are those that were over before, and those of what is left; none if direct.
	Phases []Phase `json:"phases,omitempty"`
	// Checkpoint is the tree that the strategy begins with.
	Checkpoint record.Snapshot `json:"checkpoint"`
}

// Measures are what a complexity is computed from: what a plan declares, or what
// a run has taken.
type Measures struct {
	Tasks        int `json:"tasks,omitempty"`
	Steps        int `json:"steps,omitempty"`
	Files        int `json:"files"`                  // declared, or touched
	Dependencies int `json:"dependencies,omitempty"` // between tasks, and between speclets
	Minutes      int `json:"minutes,omitempty"`      // that attempts took, whole ones
	Errors       int `json:"errors,omitempty"`       // attempts that failed
}

// A Phase is a part of an orchestrated run.
type Phase struct {
	Name  string         `json:"name"`
	Steps []plan.Address `json:"steps"` // in the order of execution
}

func (*StrategySet) Type() string { return "strategy-set" }

func (f *StrategySet) String() string { return sprint("%s: %s", f.Strategy, f.Why) }

func (f *StrategySet) snapshots() []record.Snapshot { return snapshots(f.Checkpoint) }

// PhaseOver says that all steps of a phase are over, and what the tree is then.
type PhaseOver struct {
	Phase      string          `json:"phase"`
	Number     int             `json:"number"` // from 1
	Of         int             `json:"of"`
	Completed  int             `json:"completed"` // steps
	Left       int             `json:"left"`      // steps that failed, were left out or are blocked
	Checkpoint record.Snapshot `json:"checkpoint"`
}

func (*PhaseOver) Type() string { return "phase-over" }

func (f *PhaseOver) String() string {
	return sprint("%s (%d of %d) is over, tree %s", f.Phase, f.Number, f.Of, f.Checkpoint.Tree.Short())
}

func (f *PhaseOver) snapshots() []record.Snapshot { return snapshots(f.Checkpoint) }

// Budget says that a level of the token budget was reached: at 70 % executors
// are asked to be brief, and at 80 % the session ends. Or that the run cost what
// it may.
type Budget struct {
	Handoff bool         `json:"handoff,omitempty"` // the run stops, to be resumed with a fresh count
	Used    int64        `json:"used"`              // tokens in this session
	Limit   int64        `json:"limit"`             // tokens
	Total   int64        `json:"total"`             // tokens of the run, over all sessions
	Session int          `json:"session"`           // from 1
	Next    plan.Address `json:"next,omitempty"`    // the step that is next
	// Of a run that reached what it may cost, which hands over too: both in
	// millionths of a US dollar, of the run over all sessions.
	Cost      Money `json:"cost,omitempty"`
	CostLimit Money `json:"cost_limit,omitempty"`
}

func (*Budget) Type() string { return "budget" }

func (f *Budget) String() string {
	if f.CostLimit > 0 {
		return sprint("handoff: the run has cost %s of %s", f.Cost, f.CostLimit)
	}
	level := "warn"
	if f.Handoff {
		level = "handoff"
	}
	return sprint("%s: %d of %d tokens are used in session %d", level, f.Used, f.Limit, f.Session)
}

// Flow is how a run is carried out as a whole: its strategy, its tasks that
// ended, and the tokens that were used.
type Flow struct {
	Strategy *StrategySet  // the latest; nil where none was set yet
	Switched []StrategySet // all but the first
	Phases   []PhaseOver   // of the strategy
	Tasks    []TaskOver    // in the order in which they ended
	Budgets  []Budget      // levels that were reached
	Tokens   int64         // reported, of the run
	Used     int64         // of them, in this session
	Cost     Money         // reported, of the run
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

// kept are the phases that are over and which a further strategy has, too.
func (f *Flow) kept(next *StrategySet) (over []PhaseOver) {
	if f.Strategy == nil {
		return nil
	}
	for _, p := range f.Phases {
		if p.Number < 1 || p.Number > len(f.Strategy.Phases) {
			continue
		}
		was := f.Strategy.Phases[p.Number-1]
		if i := slices.IndexFunc(next.Phases, was.is); i >= 0 {
			p.Number, p.Of = i+1, len(next.Phases)
			over = append(over, p)
		}
	}
	return over
}

// is reports whether two phases are the same.
func (p Phase) is(other Phase) bool {
	return p.Name == other.Name && slices.Equal(p.Steps, other.Steps)
}

// HandedOver reports whether the session ended because its tokens were used up,
// and the next one has not begun.
func (f *Flow) HandedOver() bool { return f.handed }

// Spent is that the session ended because the run cost what it may, and the next one
// has not begun; nil if it did not.
func (f *Flow) Spent() *Budget {
	if last := len(f.Budgets) - 1; f.handed && f.Budgets[last].CostLimit > 0 {
		return &f.Budgets[last]
	}
	return nil
}

// Unphased reports whether steps were added to the run that belong to no phase
// of its strategy.
func (f *Flow) Unphased() bool { return f.unphased }

// spend counts tokens and money. Nobody gives any back, and what is more than can be
// counted stays the most that can be.
func (f *Flow) spend(tokens int64, cost Money) {
	f.Cost = f.Cost.Plus(cost)
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
