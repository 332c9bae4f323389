package history

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// A Group is steps that are carried out at once, each in a lane: a copy of its
// own of the tree that the run had when the group began. Their work is joined,
// judged and accepted one step after another, in the order of execution.
type Group struct {
	Number int             // from 1, in the run
	At     uint64          // position in the journal
	Base   record.Snapshot // the tree that all of them begin with
	Steps  []plan.Address  // in the order of execution
}

// GroupBegun says that attempts of several steps begin at once.
type GroupBegun struct {
	Steps []plan.Address `json:"steps"` // in the order of execution
}

func (*GroupBegun) Type() string { return "group-begun" }

func (f *GroupBegun) String() string {
	names := make([]string, len(f.Steps))
	for i, a := range f.Steps {
		names[i] = string(a)
	}
	return "at once: " + strings.Join(names, ", ")
}

func (f *GroupBegun) ofRun(r *Run, at moment) error {
	g := &Group{Number: len(r.Groups) + 1, At: at.seq, Base: r.Tree, Steps: f.Steps}
	for _, a := range f.Steps {
		s := r.index[a]
		switch {
		case s == nil:
			return at.refuse("step %q of a group is not part of the plan", a)
		case s.Status != InFlight || s.InFlight() != nil:
			return at.refuse("step %s of a group is not about to be attempted", a)
		}
	}
	for _, a := range f.Steps {
		r.index[a].Group = g
	}
	r.Groups = append(r.Groups, g)
	return nil
}

// Joined says that the work of an attempt, which was done in a lane, was brought
// onto the tree that the run has now. From here on the attempt counts as one
// that began with that tree.
type Joined struct {
	Onto record.Snapshot `json:"onto"`
}

func (*Joined) Type() string { return "joined" }

func (f *Joined) String() string { return "onto tree " + f.Onto.Tree.Short() }

func (f *Joined) snapshots() []record.Snapshot { return snapshots(f.Onto) }

func (f *Joined) ofAttempt(r *Run, s *Step, a *Attempt, at moment) error {
	if s.Group == nil || s.Checkpoint == nil {
		return at.refuse("the work of step %s is joined, which was in no group", s.Address)
	}
	f.Onto = r.known(f.Onto)
	moved := *s.Checkpoint
	moved.Checkpoint = f.Onto
	s.Checkpoint, a.Base = &moved, f.Onto
	return nil
}

// Unjudged is the first step, in the order of execution, of which an attempt
// began, and neither failed nor was accepted; nil if there is none.
func (r *Run) Unjudged() *Step {
	var first *Step
	for _, s := range r.lanes {
		if s.InFlight() != nil && (first == nil || s.Precedes(first)) {
			first = s
		}
	}
	return first
}

// SetBack are the steps that have not happened any more once the run is set
// back to before one, in the order of execution: that one and all behind it. A
// step of a group is set back with all of its group, and with all that began
// since, wherever that stands in the plan; what came before stays. To is the
// tree before all of them, and since the position of the checkpoint that it is
// of. A step that has not begun is before the tree that the run has now.
func (r *Run) SetBack(s *Step) (steps []*Step, to record.Snapshot, since uint64) {
	if len(r.Groups) == 0 || s.At == 0 {
		to = r.Tree
		if s.Checkpoint != nil {
			to = s.Checkpoint.Checkpoint
		}
		return r.Steps[slices.Index(r.Steps, s):], to, s.At
	}
	since, first := s.At, s
	for {
		earliest := first
		steps = nil
		for _, o := range r.Steps {
			if o != s && max(o.At, o.EndedAt) < since && (o.At != 0 || o.Status.Over() || o.Precedes(s)) {
				continue
			}
			steps = append(steps, o)
			earliest = earlier(earliest, o)
			if o.Group != nil {
				for _, a := range o.Group.Steps {
					earliest = earlier(earliest, r.index[a])
				}
			}
		}
		if earliest == first {
			break
		}
		since, first = earliest.At, earliest
	}
	if to = first.Checkpoint.Checkpoint; first.Group != nil {
		to = first.Group.Base
	}
	return steps, to, since
}

// unfinished are the steps that are under way, those behind s that were not
// completed, and s itself.
func (r *Run) unfinished(s *Step) []*Step {
	var list []*Step
	for _, o := range r.Steps {
		if o == s || o.Status == InFlight || o.Status != Completed && s.Precedes(o) {
			list = append(list, o)
		}
	}
	return list
}

// earlier is the step of two that has begun before the other.
func earlier(a, b *Step) *Step {
	if b.At != 0 && b.At < a.At {
		return b
	}
	return a
}
