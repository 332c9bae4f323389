package learn

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// An Episode is what was found out about one failure of a run.
type Episode struct {
	Step       plan.Address `json:"step"`
	Attempt    int          `json:"attempt"`
	RootCause  string       `json:"root_cause"`
	Proposed   string       `json:"proposed_fix,omitempty"`
	Confidence float64      `json:"confidence"`
}

// Episodes are what was found out about the failures of a run, at most k for
// each step, the newest first. The run need not be over.
func Episodes(r *history.Run, k int) []Episode {
	var all []Episode
	for _, s := range r.Steps {
		var own []Episode
		for _, a := range s.Advised {
			if a.RootCause == "" {
				continue
			}
			e := Episode{Step: s.Address, Attempt: a.Attempt, RootCause: a.RootCause, Confidence: a.Confidence}
			if p := s.Patch(a.Patch); p != nil {
				e.Proposed = p.Summary
			}
			own = append(own, e)
		}
		slices.Reverse(own) // several may answer the same attempt
		all = append(all, own[:min(len(own), k)]...)
	}
	return all
}
