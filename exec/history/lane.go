package history

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
	JoinFailed LaneState = "join-failed" // its work did not hold on that tree, and was undone
	LaneFailed LaneState = "failed"      // its executor failed
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
	case l.Joined && a.Failure == nil:
		return LaneJoined
	case l.Joined && a.Said != nil && a.Said.Error != "":
		return LaneFailed
	case l.Joined:
		return JoinFailed
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

// SetAside is the latest attempt of the step whose work did not hold when it was
// joined, or nil. What follows it is carried out alone.
func (s *Step) SetAside() *Attempt {
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if a := s.Attempts[i]; a.InLane() == JoinFailed {
			return a
		}
	}
	return nil
}

// Waits reports whether a question about the step is open.
func (s *Step) Waits() bool {
	n := len(s.Questions)
	return n > 0 && s.Questions[n-1].Open()
}
