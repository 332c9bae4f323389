package history

import (
	"slices"

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

	back bool // none of its lanes is open any more
}

// GroupBegun says that attempts of several steps begin at once.
type GroupBegun struct {
	Steps []plan.Address `json:"steps"` // in the order of execution
}

func (*GroupBegun) Type() string { return "group-begun" }

func (f *GroupBegun) String() string {
	return "at once: " + plan.Addresses(f.Steps)
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
	for i, a := range f.Steps {
		s := r.index[a]
		s.Group, s.lane = g, &Lane{Group: g, Number: i + 1}
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
	if a.Lane == nil || s.Checkpoint == nil {
		return at.refuse("the work of step %s is joined, which was in no group", s.Address)
	}
	a.Lane.Joined = true
	f.Onto = r.known(f.Onto)
	moved := *s.Checkpoint
	moved.Checkpoint = f.Onto
	s.Checkpoint, a.Base = &moved, f.Onto
	return nil
}

// lanes are the steps that are under way, in the order in which they began.
type lanes struct{ steps []*Step }

// enter notes that a step is under way.
func (l *lanes) enter(s *Step) {
	if !slices.Contains(l.steps, s) {
		l.steps = append(l.steps, s)
	}
}

// setBack leaves the steps that are still under way after a set back: those
// before the one to which the run was set back.
func (l *lanes) setBack() {
	l.steps = slices.DeleteFunc(slices.Clone(l.steps), func(s *Step) bool { return s.Status != InFlight })
}

// leave notes that a step is not under way any more.
func (l *lanes) leave(s *Step) {
	l.steps = slices.DeleteFunc(l.steps, func(o *Step) bool { return o == s })
}

// UnderWay are the steps that are under way, in the order in which they began.
// A step is under way from the first time it started until it is over, also
// while the run waits or nobody has it in hand; the end of the run ends that
// too. The caller must not change the list.
func (l *lanes) UnderWay() []*Step { return l.steps }

// Unjudged is the first step, in the order of execution, of which an attempt
// began, and neither failed nor was accepted; nil if there is none.
func (l *lanes) Unjudged() *Step {
	var first *Step
	for _, s := range l.steps {
		if s.InFlight() != nil && (first == nil || s.Precedes(first)) {
			first = s
		}
	}
	return first
}
