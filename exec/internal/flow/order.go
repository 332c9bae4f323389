package flow

import "github.com/planlock/planlock/plan"

// Order is every step of a plan in the order of execution, see
// [plan.Plan.Sequence]. No locked plan has a cycle.
func Order(p *plan.Plan, format plan.Format) []plan.Address { return p.Sequence(format) }
