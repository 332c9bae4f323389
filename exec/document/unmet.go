package document

import (
	"fmt"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// unmetOf are the dependencies that were not met: because of which a step is
// blocked and, once the run has ended, what each step lacks that did not begin.
func unmetOf(p *plan.Plan, r *history.Run, rep *Model) []unmet {
	list := []unmet{}
	contract := &guard.Contract{Plan: p}
	var open map[string]*history.Step // the first step of each task that is not over
	for _, s := range rep.steps {
		switch b := s.Blocked; {
		case b != nil && b.By != s.Address: // else nobody said that it may begin: it lacks nothing that it depends on
			list = append(list, unmet{s.Address, b.By, b.Why})
		case s.Status == history.Pending && r.Ended != nil:
			if open == nil {
				open = firstOpen(r)
			}
			c := &guard.Case{Contract: contract, Run: r, Step: r.Step(s.Address)}
			by, what := c.Blocker(), ""
			if by != nil {
				what = fmt.Sprintf("is %s", by.Status)
			} else if by = lacking(c, open); by != nil {
				what = by.Lacks()
			}
			if by != nil {
				list = append(list, unmet{s.Address, by.Address,
					fmt.Sprintf("it needs %s, which %s", by.Address, what)})
			}
		}
	}
	return list
}

// firstOpen finds the first step of each task that is not over.
func firstOpen(r *history.Run) map[string]*history.Step {
	open := make(map[string]*history.Step)
	for _, s := range r.Steps {
		if open[s.Task] == nil && !s.Status.Over() {
			open[s.Task] = s
		}
	}
	return open
}

// lacking is a step that is not over and that the step of the case needs
// directly: before it in its task, or in one that its task or speclet depends
// on; nil if there is none.
func lacking(c *guard.Case, open map[string]*history.Step) *history.Step {
	if first := open[c.Step.Task]; first != nil && first != c.Step {
		return first
	}
	if task, _ := c.Place(); task != nil {
		for _, id := range task.DependsOn {
			if open[id] != nil {
				return open[id]
			}
		}
	}
	own := c.Speclet(c.Step.Task)
	for i := range c.Plan.Speclets {
		if s := &c.Plan.Speclets[i]; s.ID == own {
			return lackingOf(c.Plan, s, open)
		}
	}
	return nil
}

// lackingOf is a step that is not over of a speclet that one depends on, or nil.
func lackingOf(p *plan.Plan, in *plan.Speclet, open map[string]*history.Step) *history.Step {
	for _, need := range in.DependsOn {
		for i := range p.Speclets {
			if p.Speclets[i].ID != need {
				continue
			}
			for _, id := range p.Speclets[i].Tasks {
				if open[id] != nil {
					return open[id]
				}
			}
		}
	}
	return nil
}
