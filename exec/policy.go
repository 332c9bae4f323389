package exec

import (
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Policy says how runs are carried out: who is asked and when, what is tried
// after a failure, and what must hold besides the plan. Zero fields leave it to
// the plan, and to defaults where that says nothing. A run keeps the policy
// that it began with in its journal, and each change.
type Policy struct {
	// Mode says who is asked and when. Empty: what the plan says, else dynamic.
	Mode plan.Mode
	// ModeBy says in the journal who chose Mode, as in "person"; empty: the
	// host.
	ModeBy string
	// Triggers are the thresholds of dynamic mode where the plan has none; zero
	// fields are the defaults.
	Triggers history.Triggers
	// Strategy is how much ceremony there is; "" for what the plan says, else
	// what follows from its complexity.
	Strategy history.Strategy
	// TestFirst has steps that can write their test first do so, in phases that
	// the controller judges by running the test. The plan can ask for it as
	// well.
	TestFirst bool
	// Deterministic refuses a step that makes another tree than an earlier
	// attempt of the same inputs did. The plan can ask for it as well.
	Deterministic bool
	// TokenBudget is how many tokens a session may use; 0 for what the plan
	// says, else no limit. At 70 % executors are asked to be brief, at 80 % the
	// run stops with [ErrHandoff], and is resumed with a fresh count.
	TokenBudget int64
	// Preset names the way to cope with failure, one of package preset. Empty:
	// what the plan says (preset in [execution]), else "contract". A run that
	// is resumed keeps its own.
	Preset string
	// Ladder is what is tried after a failure; nil for the preset's.
	Ladder recovery.Ladder
	// Patience is how long a question waits for its answer; 0: as long as the
	// escalator does.
	Patience time.Duration
}
