package plan

import (
	"fmt"
	"slices"
)

// A FinalCheck must hold when all steps are done.
type FinalCheck struct {
	Check
	Label string // whose it is, as in "completion check 1", or "check of requirement R1"
	// Requirement is whose check it is; "" of one that is for the plan as a whole.
	Requirement string
}

// FinalChecks are what must hold when all steps are done: the checks of
// completion_criteria, and then those of requirements.
func (p *Plan) FinalChecks() []FinalCheck {
	var all []FinalCheck
	for i, c := range p.Completion.Checks {
		all = append(all, FinalCheck{Check: c, Label: fmt.Sprintf("completion check %d", i+1)})
	}
	for _, r := range p.Requirements {
		if r.Check != nil {
			all = append(all, FinalCheck{Check: *r.Check, Label: "check of requirement " + r.ID, Requirement: r.ID})
		}
	}
	return all
}

// ProvingChecks are those of [Plan.FinalChecks] that are to tell the work from its
// absence. That it compiles is a condition, where other checks say more.
func (p *Plan) ProvingChecks() []FinalCheck {
	all := p.FinalChecks()
	if !slices.ContainsFunc(all, func(f FinalCheck) bool { return f.CanProve() }) {
		return all
	}
	return slices.DeleteFunc(all, func(f FinalCheck) bool { return f.LooksInside() && !f.CanProve() })
}

// Serving are the steps that serve a requirement, in the order of the plan.
func (p *Plan) Serving(requirement string) []Address {
	var serving []Address
	for _, s := range p.Steps() {
		if slices.Contains(s.Requirements, requirement) {
			serving = append(serving, s.Address)
		}
	}
	return serving
}
