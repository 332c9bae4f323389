package standard

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// postconditions decides what must hold after a step.
func postconditions() gate.Gate {
	return gate.NewQuick(info("postconditions",
		"Every postcondition of the step must hold; a step is not complete before.",
		gate.BlocksStep, gate.After), quickAfter, func(ctx context.Context, pass *gate.Pass) error {
		if pass.Step == nil {
			return errors.New("standard: postconditions: the pass has no step")
		}
		return decideAll(ctx, pass, gate.CodePostcondition, "postcondition", pass.Step.Postconditions)
	})
}

// preconditions decides what must hold before a step, and what the plan takes for granted before anything is done.
func preconditions() gate.Gate {
	return gate.NewQuick(info("preconditions",
		"Every precondition of the step must hold before it begins, and before the first step every assumption of the plan that has a check.",
		gate.BlocksStep, gate.Before), quickBefore, func(ctx context.Context, pass *gate.Pass) error {
		if pass.Step == nil {
			return errors.New("standard: preconditions: the pass has no step")
		}
		var d deciding
		assumptions(ctx, pass, &d)
		d.each(ctx, pass, gate.CodePrecondition, "precondition", pass.Step.Preconditions)
		return d.finish(pass)
	})
}

// assumptions decides what the plan takes for granted, as long as nothing has been done. A step may make it false afterwards.
func assumptions(ctx context.Context, pass *gate.Pass, d *deciding) {
	if pass.Plan == nil || !untouched(pass) {
		return
	}
	for _, a := range pass.Plan.Assumptions {
		if a.Check == nil {
			continue
		}
		d.decide(ctx, pass, *a.Check, func(v gate.Verdict) {
			objections(pass, v, gate.Finding{Code: gate.CodePrecondition, Message: fmt.Sprintf("assumption %q (%s) does not hold", a.ID, a.Text), Expected: Describe(*a.Check)})
		})
	}
}

// untouched reports whether the tree is the one that the run began with.
func untouched(pass *gate.Pass) bool {
	return pass.Base != nil && pass.Before != nil && pass.Base.Digest() == pass.Before.Digest()
}

// decideAll decides checks and reports those that do not hold under code.
func decideAll(ctx context.Context, pass *gate.Pass, code, noun string, checks []plan.Check) error {
	var d deciding
	d.each(ctx, pass, code, noun, checks)
	return d.finish(pass)
}

// deciding decides several checks of which some may stay undecided.
type deciding struct {
	errs  []error
	found bool
}

// decide decides c; no is called if it does not hold.
func (d *deciding) decide(ctx context.Context, pass *gate.Pass, c plan.Check, no func(gate.Verdict)) {
	v, err := pass.Decide(ctx, c)
	if err != nil {
		d.errs = append(d.errs, fmt.Errorf("standard: %s: %w", Describe(c), err))
		return
	}
	for _, e := range v.Evidence {
		pass.Evidencef("%s: %s", Describe(c), e)
	}
	for _, cite := range v.Citations {
		pass.Cite(cite)
	}
	if v.Result != gate.Passed {
		d.found = true
		no(v)
	}
}

// each decides checks and reports those that do not hold under code.
func (d *deciding) each(ctx context.Context, pass *gate.Pass, code, noun string, checks []plan.Check) {
	for n, c := range checks {
		d.decide(ctx, pass, c, func(v gate.Verdict) {
			objections(pass, v, gate.Finding{Code: code, Message: fmt.Sprintf("%s %d (%s) does not hold", noun, n+1, Describe(c)), Expected: Describe(c)})
		})
	}
}

// finish says what could not be decided: as the gate's error, or, where something was found to
// be wrong already, beside it.
func (d *deciding) finish(pass *gate.Pass) error {
	if !d.found {
		return errors.Join(d.errs...)
	}
	for _, err := range d.errs {
		pass.Report(gate.Finding{Code: gate.CodeUndecided, Message: err.Error()})
	}
	return nil
}

// objections reports every finding of a check's verdict under the code and words of f.
func objections(pass *gate.Pass, v gate.Verdict, f gate.Finding) {
	if len(v.Findings) == 0 {
		pass.Report(f)
		return
	}
	for _, g := range v.Findings {
		if g.Expected == "" {
			g.Expected = f.Expected
		}
		if g.Happened == "" {
			g.Happened = g.Message
		}
		g.Code, g.Message = f.Code, f.Message+": "+g.Message
		pass.Report(g)
	}
}
