package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/plan"
)

// planSetting finds what a plan says of the pipeline: a key of [execution] of a
// native plan, or of the object around a list of pending actions.
func planSetting(p *plan.Plan, key string) plan.Value {
	for _, s := range p.Execution.Extra {
		if s.Key == key {
			return s.Value
		}
	}
	for _, s := range p.Settings {
		if s.Key == "intake."+key {
			return s.Value
		}
	}
	return plan.Value{}
}

// lacksReviewers refuses a controller without the reviewers that a plan names
// in reviewers = ["ops", …]. It may have others besides.
func (c *Controller) lacksReviewers(p *plan.Plan) error {
	value := planSetting(p, "reviewers")
	names := value.List
	if value.Kind == "string" {
		names = []plan.Value{value}
	}
	var errs []error
	for _, n := range names {
		if !slices.ContainsFunc(c.Reviewers, func(r Reviewer) bool { return r != nil && r.Name() == n.Text }) {
			errs = append(errs, fmt.Errorf("exec: the plan is to be approved by reviewer %q, and there is none of that name: add it to Controller.Reviewers", n.Text))
		}
	}
	return errors.Join(errs...)
}

// evidenceFor is the controller's policy, or, where it has none and the plan
// says evidence = true, one that looks at the workspace alone: a plan never
// says who may be asked over the network.
func (c *Controller) evidenceFor(p *plan.Plan) *search.Policy {
	if v := planSetting(p, "evidence"); c.Evidence == nil && v.Kind == "boolean" && v.Text == "true" {
		return &search.Policy{}
	}
	return c.Evidence
}
