package document

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A group is steps that were attempted at once, each in a lane.
type group struct {
	Number int            `json:"number"` // from 1, in the run
	Steps  []plan.Address `json:"steps"`  // in the order in which their work was joined
	lanes  []*lane        // of them, in the same order
}

// A lane is where an attempt of a group was carried out, and what became of it.
type lane struct {
	Group  int               `json:"group"`
	Number int               `json:"number"` // from 1, in the group
	State  history.LaneState `json:"state"`
	With   []plan.Address    `json:"with,omitempty"`   // those that its work did not hold together with
	Parked bool              `json:"parked,omitempty"` // its step waits for an answer
}

// String names the steps, and says of each whose work was not joined what
// became of that.
func (g group) String() string {
	var names []string
	for i, l := range g.lanes {
		name := string(g.Steps[i])
		if said := l.said(); l.State != history.LaneJoined || l.Parked {
			name += " (" + said + ")"
		}
		names = append(names, name)
	}
	return "at once: " + strings.Join(names, ", ")
}

// said is what became of the work in the lane.
func (l *lane) said() string {
	said := string(l.State)
	if len(l.With) > 0 {
		said += " with " + plan.Addresses(l.With)
	}
	if l.Parked {
		said += ", parked"
	}
	return said
}

// groups are those of a run, with their lanes.
func groups(r *history.Run) (list []group) {
	for _, g := range r.Groups {
		made := group{Number: g.Number, Steps: g.Steps}
		for _, a := range g.Steps {
			made.lanes = append(made.lanes, newLane(r.Step(a), g))
		}
		list = append(list, made)
	}
	return list
}

// newLane is the lane of a step in a group. Work that was not joined before the
// run was set back never will be.
func newLane(s *history.Step, g *history.Group) *lane {
	made := &lane{Group: g.Number}
	for n, a := range slices.Concat(s.Undone, s.Attempts) {
		l, undone := a.Lane, n < len(s.Undone)
		if l == nil || l.Group != g {
			continue
		}
		made.Number, made.State = l.Number, a.InLane()
		if undone && !l.Joined {
			made.State = history.LaneGone
		}
		if a.Aside != nil {
			made.With = a.Aside.With
		}
		made.Parked = !undone && s.Group == g && s.Waits()
	}
	return made
}

// lane is where an attempt was carried out, or nil.
func (rep *Model) lane(a *history.Attempt) *lane {
	if a.Lane == nil {
		return nil
	}
	return rep.Groups[a.Lane.Group.Number-1].lanes[a.Lane.Number-1]
}
