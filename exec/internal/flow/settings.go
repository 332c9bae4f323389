package flow

import (
	"strconv"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Settings are what a plan says in [execution] about how it is carried out. The
// zero value says nothing.
type Settings struct {
	Strategy      history.Strategy // strategy = "direct" or "orchestrated"
	Complexity    int              // complexity = 1 to 5
	TestFirst     bool             // test_first = true
	Deterministic bool             // deterministic = true
	TokenBudget   int64            // token_budget = tokens of one session
	Jobs          int              // jobs = steps that may run at once
	OnConflict    string           // on_conflict = "sequential"; "" is "ask"
	External      string           // external = "every-step"; "" is "checkpoints"
	Controls      string           // controls = "off"; "" is "on"
}

// SettingsOf reads them. What is out of range counts as not said.
func SettingsOf(p *plan.Plan) Settings {
	var s Settings
	for _, e := range p.Execution.Extra {
		text := e.Value.Text
		switch e.Key {
		case "strategy":
			if x := history.Strategy(text); x == history.Direct || x == history.Orchestrated {
				s.Strategy = x
			}
		case "complexity":
			if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= hardest {
				s.Complexity = n
			}
		case "test_first":
			s.TestFirst = e.Value.Kind == "boolean" && text == "true"
		case "deterministic":
			s.Deterministic = e.Value.Kind == "boolean" && text == "true"
		case "token_budget":
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
				s.TokenBudget = n
			}
		case "jobs":
			if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= plan.MaxJobs {
				s.Jobs = n
			}
		case "on_conflict":
			if text == "sequential" {
				s.OnConflict = text
			}
		case "external":
			if text == EveryStep {
				s.External = text
			}
		case "controls":
			if text == ControlsOff {
				s.Controls = text
			}
		}
	}
	return s
}

// EveryStep has others' changes looked for before each step.
const EveryStep = "every-step"

// ControlsOff holds no check against trees that lack the work.
const ControlsOff = "off"

// hardest is the highest complexity.
const hardest = 5
