package screen

import (
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A work is a step that is under way, as the region shows it.
type work struct {
	step    plan.Address
	heading string // mark, address, title
	named   bool   // the log has a line with the heading
	doing   string // right now
	since   time.Time
}

// under remembers that a step is under way.
func (p *Progress) under(e event.Event) *work {
	w := p.of(e.Step)
	if w == nil {
		w = &work{step: e.Step}
		p.work = append(p.work, w)
	}
	w.heading, w.named, w.since = " ▸ "+p.cols.heading(e.OfStep()), false, p.now()
	return w
}

// over forgets that a step is under way.
func (p *Progress) over(a plan.Address) {
	p.work = slices.DeleteFunc(p.work, func(w *work) bool { return w.step == a })
}

// of is the work of a step, or nil.
func (p *Progress) of(a plan.Address) *work {
	for _, w := range p.work {
		if w.step == a {
			return w
		}
	}
	return nil
}

// does says what a step does right now, if it is under way.
func (p *Progress) does(a plan.Address, what string) {
	if w := p.of(a); w != nil {
		w.doing = what
	}
}

// rest says of the steps in other lanes of the group that they wait: the first
// one is looked at when all came back, and none is delivered before the last one
// was.
func (p *Progress) rest(e event.Event) {
	if laneOf(e.OfStep()) == nil {
		return
	}
	for _, w := range p.work {
		s := e.State.Step(w.step)
		if w.step == e.Step || laneOf(s) == nil {
			continue
		}
		switch s.Last().InLane() {
		case history.LaneBack, history.LaneOpen:
			w.doing = activity(s, toJoin)
		case history.LaneJoined:
			w.doing = activity(s, toDeliver)
		}
	}
}

// What a step does whose lane came back, and one whose work is joined.
const (
	toJoin    = "waits to be joined"
	toDeliver = "to be delivered"
)

// laneOf is where the latest attempt of a step was carried out, or nil.
func laneOf(s *history.Step) *history.Lane {
	if s == nil || s.Last() == nil {
		return nil
	}
	return s.Last().Lane
}

// lane says where an attempt is carried out, and what became of it there; ""
// where that is no lane.
func lane(a *history.Attempt) string {
	if a.Lane == nil {
		return ""
	}
	in := fmt.Sprintf("lane %d of %d", a.Lane.Number, len(a.Lane.Group.Steps))
	switch a.InLane() {
	case history.LaneJoined:
		return "joined from " + in
	case history.LaneAside:
		return "join-failed in " + in + ", set aside"
	case history.LaneGone:
		return "dropped in " + in
	}
	return in
}
