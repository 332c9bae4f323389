package learn

import "github.com/planlock/planlock/plan"

// What a book records, besides its times and its order.

// taken says that a run was read.
type taken struct {
	Run        string      `json:"run"`
	Candidates []candidate `json:"candidates,omitempty"`
	Trials     []trial     `json:"trials,omitempty"`
	Excluded   []exclusion `json:"excluded,omitempty"`
}

// A trial is what an entry would have said in a run, and what was true. It is
// made in shadow: nothing was decided by it.
type trial struct {
	Entry string       `json:"entry"`
	Run   string       `json:"run"`
	Right bool         `json:"right"`
	Why   string       `json:"why"`
	Step  plan.Address `json:"step,omitempty"` // of the run; "" in books of older versions
}

// withdrawn says that what steps of a run taught, which was read before, does not
// count: they were set back since.
type withdrawn struct {
	Run   string         `json:"run"`
	Steps []plan.Address `json:"steps"`
	Why   string         `json:"why"`
}

// decided says that somebody promoted or revoked an entry, or pruned it.
type decided struct {
	Entry   string `json:"entry"`
	By      string `json:"by"`
	Why     string `json:"why"`
	Version int    `json:"version,omitempty"` // of the memory that it makes; 0 where it makes none, and in older books
}

const (
	takenType    = "taken"
	withdrawType = "withdrawn"
	promotedType = "promoted"
	revokedType  = "revoked"
	prunedType   = "pruned"
)
