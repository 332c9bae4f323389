package flow

import "github.com/planlock/planlock/plan"

// Order is every step of a plan in the order of execution: tasks after what
// they depend on, and among those that are ready as declared. The speclets of a
// SPEC pair come stage by stage. Of a list of pending actions, which has no order
// of its own, the urgent ones come first.
// Steps of a task follow each other. No locked plan has a cycle.
func Order(p *plan.Plan, format plan.Format) []plan.Address {
	switch {
	case format == plan.SpecPair:
		return p.ByStage()
	case format != plan.PendingActions || len(p.Speclets) > 0:
		return p.Graph().Order
	}
	var order []plan.Address
	for _, i := range p.ByUrgency() {
		for _, s := range p.Tasks[i].Steps {
			order = append(order, s.Address)
		}
	}
	return order
}
