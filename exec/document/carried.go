package document

import (
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// An origin is the run that this one finishes.
type origin struct {
	Run    string        `json:"run"`
	Record uint64        `json:"record"` // where its journal ended
	Head   ledger.Digest `json:"head"`   // of that record
	Left   tree          `json:"left"`   // the tree that it left
	Moved  []string      `json:"moved,omitempty"`
	Anew   []string      `json:"anew,omitempty"`
	over   int
}

// newOrigin describes the run that a run finishes; nil if there is none.
func newOrigin(r *history.Run) *origin {
	o := r.Started.From
	if o == nil {
		return nil
	}
	out := &origin{o.Run, o.Head.Seq, o.Head.Hash, newTree(o.Left), o.Moved, o.Anew, 0}
	for _, s := range r.Steps {
		if s.Carried != nil {
			out.over++
		}
	}
	return out
}

// String is one line for people.
func (o *origin) String() string {
	text := fmt.Sprintf("run %s, whose journal was verified up to record %d (%s): %s carried over", o.Run, o.Record,
		o.Head.Short(), count(o.over, "step is", "steps are"))
	if len(o.Moved) > 0 {
		text += "; moved since: " + join(o.Moved)
	}
	return text
}

// carriedOver says which run carried a step out that this one took over, and
// which record of its journal accepted it.
type carriedOver struct {
	Run    string        `json:"run"`
	Record uint64        `json:"record"`
	Head   ledger.Digest `json:"head"` // of the journal when it was verified
	ledger *entry
	said   []string // what people decided about the step
}

// newCarriedOver describes where a step was carried out; nil if that is this
// run.
func newCarriedOver(f *history.StepCarried) *carriedOver {
	if f == nil {
		return nil
	}
	out := &carriedOver{Run: f.Run, Record: f.Seq, Head: f.Head.Hash, said: f.Answers}
	if f.Accounted != nil {
		out.ledger = newEntry(f.Accounted)
	}
	return out
}

// decidedBefore is what people decided about a step in the run that it is taken
// over from, a line each.
func decidedBefore(s *step) []string {
	if s.Carried == nil {
		return nil
	}
	return s.Carried.said
}

// String is a remark for people.
func (c *carriedOver) String() string {
	return fmt.Sprintf("carried over from run %s, record %d", c.Run, c.Record)
}
