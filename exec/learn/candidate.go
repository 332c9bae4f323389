package learn

import (
	"cmp"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Kind of learning.
type Kind string

const (
	// Semantic: against a cause, a remedy that worked.
	Semantic Kind = "semantic"
	// Procedural: a step that works as it is written.
	Procedural Kind = "procedural"
	// Confirmed: a remedy that a person proposed, and that worked.
	Confirmed Kind = "confirmed"
)

// Confirmations is how many runs must have shown the same before a candidate of
// a kind can be promoted.
func (k Kind) Confirmations() int {
	switch k {
	case Semantic, Procedural:
		return 3
	case Confirmed:
		return 2
	}
	return 0
}

// A Candidate is what one run teaches.
type Candidate struct {
	ID      string       `json:"id"` // the same for the same lesson, whichever run it comes from
	Kind    Kind         `json:"kind"`
	Pattern string       `json:"pattern"` // the cause, or the step
	Remedy  string       `json:"remedy"`  // what worked
	Run     string       `json:"run"`
	Step    plan.Address `json:"step"`
}

func newCandidate(kind Kind, pattern, remedy, run string, step plan.Address) Candidate {
	sum := ledger.Sum([]byte(string(kind) + "\x00" + pattern + "\x00" + remedy))
	return Candidate{ID: sum.Short(), Kind: kind, Pattern: pattern, Remedy: remedy, Run: run, Step: step}
}

// An Exclusion says why nothing is learned from a step, or from the whole run.
type Exclusion struct {
	Step plan.Address `json:"step,omitempty"`
	Why  string       `json:"why"`
}

// A Meeting is a cause that a run met, and what helped against it in the end.
type Meeting struct {
	Step    plan.Address `json:"step"`
	Pattern string       `json:"pattern"`
	Helped  string       `json:"helped,omitempty"` // "" if nothing did
}

// A Harvest is everything that one finished run teaches.
type Harvest struct {
	Run        string
	Candidates []Candidate
	Meetings   []Meeting
	Excluded   []Exclusion
}

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
		slices.SortStableFunc(own, func(a, b Episode) int { return cmp.Compare(b.Attempt, a.Attempt) })
		all = append(all, own[:min(len(own), k)]...)
	}
	return all
}
