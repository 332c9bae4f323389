package learn

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Kind of learning.
type Kind string

const (
	// Semantic: against a cause, a remedy that worked.
	Semantic Kind = "semantic"
	// Procedural: a step that works as it is written, or the jobs that did it.
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

// A candidate is what one run teaches.
type candidate struct {
	ID      string       `json:"id"` // the same for the same lesson, whichever run it comes from
	Kind    Kind         `json:"kind"`
	Pattern string       `json:"pattern"`        // the cause, or what the step does
	Does    string       `json:"does,omitempty"` // what the step does
	Remedy  string       `json:"remedy"`         // what worked
	How     string       `json:"how,omitempty"`  // the command or the prompt of it
	Run     string       `json:"run"`
	Step    plan.Address `json:"step"`
	// Ready are the jobs that did the step, where reviewers approved them for it, and
	// Basis is what their work rests on.
	Ready *history.ReadyJob `json:"ready_job,omitempty"`
	Basis history.Basis     `json:"basis,omitempty"`
}

// named is a candidate with its id.
func (c candidate) named() candidate {
	text := string(c.Kind) + "\x00" + c.Pattern + "\x00" + c.Does + "\x00" + c.Remedy
	if c.Ready != nil {
		text += "\x00" + string(c.Ready.Digest)
	}
	c.ID = ledger.Sum([]byte(text)).Short()
	return c
}

// An exclusion says why nothing is learned from a step, or from the whole run.
type exclusion struct {
	Step plan.Address `json:"step,omitempty"`
	Why  string       `json:"why"`
}

// A meeting is a cause that a run met, and what helped against it in the end.
type meeting struct {
	step    plan.Address
	pattern string
	does    string
	helped  string // "" if nothing did
}

// A harvest is everything that one finished run teaches.
type harvest struct {
	run        string
	candidates []candidate
	meetings   []meeting
	excluded   []exclusion
	lost       []lost
}

// A lost is a ready job that did not do its step.
type lost struct {
	job  ledger.Digest
	step plan.Address
	why  string
}
