package history

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// A Lane is where an attempt of a group was carried out.
type Lane struct {
	Group  *Group
	Number int  // from 1, in the order of execution
	Joined bool // its work was brought onto the tree that the run had
}

// A LaneState is what became of an attempt that was carried out in a lane.
type LaneState string

const (
	LaneOpen   LaneState = "at-work"     // nobody knows yet that it came back
	LaneBack   LaneState = "to-join"     // it came back, and waits to be joined
	LaneJoined LaneState = "joined"      // its work is part of the tree of the run
	LaneAside  LaneState = "join-failed" // its work did not hold together with that of others, and was undone
	LaneFailed LaneState = "failed"      // it failed by itself, whatever others did
	LaneGone   LaneState = "dropped"     // its work was never joined: it met that of another, or was cut off
)

// InLane says what became of the attempt; "" if it was carried out by itself.
//
// A lane counts as open until the first one of its group is joined, or dropped:
// before that the journal does not tell which of them came back.
func (a *Attempt) InLane() LaneState {
	l := a.Lane
	switch {
	case l == nil:
		return ""
	case a.Aside != nil:
		return LaneAside
	case l.Joined && a.Failure == nil:
		return LaneJoined
	case l.Joined && a.Failure.Class != Met:
		return LaneFailed
	case a.Failure != nil:
		return LaneGone
	case l.Group.back:
		return LaneBack
	}
	return LaneOpen
}

// cameBack notes that no attempt of the lane's group is at work any more. An
// attempt that was carried out by itself has no lane.
func (l *Lane) cameBack() {
	if l != nil {
		l.Group.back = true
	}
}

// JoinFailed says that the work of an attempt, which was done in a lane, does not
// hold on the tree that it was joined to, where the work of others of its group
// is: the attempt counts for nothing, and its step is set aside. The failure
// that says why follows.
type JoinFailed struct {
	// With are the steps that it was joined with, in the order of execution.
	With []plan.Address `json:"with"`
}

func (*JoinFailed) Type() string { return "join-failed" }

func (f *JoinFailed) String() string { return "joined with " + plan.Addresses(f.With) }

func (f *JoinFailed) ofAttempt(_ *Run, s *Step, a *Attempt, at moment) error {
	if a.Lane == nil || !a.Lane.Joined || a.Failure != nil {
		return at.refuse("the work of step %s is set aside, which was not joined", s.Address)
	}
	a.Aside = f
	return nil
}

// JoinedWith are the steps of the step's group whose work was joined and
// accepted, in the order of execution: what the step does must hold together
// with it.
func (r *Run) JoinedWith(s *Step) (list []*Step) {
	if s.Group == nil {
		return nil
	}
	for _, a := range s.Group.Steps {
		o := r.index[a]
		if o != s && o.Group == s.Group && o.Status == Completed && o.Last().InLane() == LaneJoined {
			list = append(list, o)
		}
	}
	return list
}

// SetAside is the latest attempt of the step whose work did not hold when it was
// joined, or nil. What follows it is carried out alone.
func (s *Step) SetAside() *Attempt {
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if a := s.Attempts[i]; a.Aside != nil {
			return a
		}
	}
	return nil
}

// AbortedBy is who ended the run at the step because its plan no longer holds;
// "" if nobody did.
func (s *Step) AbortedBy() string {
	n := len(s.Questions)
	if s.Status != Failed || s.Failed.Class != Refused || n == 0 {
		return ""
	}
	last := s.Questions[n-1]
	if last.Question.Kind != ask.Obsolete || last.Answer == nil {
		return ""
	}
	return last.Answer.By
}

// PlanAgain is why a run was let go of of which somebody says that its plan no
// longer holds.
const PlanAgain = "the plan no longer holds"

// Replans reports whether the run was stopped so that another plan is made. Resumed
// without one it asks again.
func (r *Run) Replans() bool {
	d := r.Doubted()
	return r.Paused != nil && r.Paused.Why == PlanAgain && d != nil && d.Answer != nil
}

// Waits reports whether a question about the step is open.
func (s *Step) Waits() bool {
	n := len(s.Questions)
	return n > 0 && s.Questions[n-1].Open()
}
