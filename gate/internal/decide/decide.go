// Package decide has checks of a plan decided for a gate that asks several of
// them.
//
// A check that cannot be decided does not hide what the others found: findings
// are reported, and what was undecided is said beside them. Only where nothing
// else objects does the gate as a whole fail to decide.
package decide

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// Untouched reports whether no step is completed, or the tree is the one that
// the run began with.
func Untouched(pass *gate.Pass) bool {
	return pass.Opening || pass.Base != nil && pass.Before != nil && pass.Base.Digest() == pass.Before.Digest()
}

// All decides checks and reports those that do not hold under code.
func All(ctx context.Context, pass *gate.Pass, code, noun string, checks []plan.Check) error {
	var d Several
	d.Each(ctx, pass, code, noun, checks)
	return d.Finish(pass)
}

// Several decides several checks of which some may stay undecided.
type Several struct {
	errs  []error
	found bool
	asked bool
	holds bool // one of them
}

// One decides c; no is called if it does not hold.
func (d *Several) One(ctx context.Context, pass *gate.Pass, c plan.Check, no func(gate.Verdict)) {
	d.asked = true
	v, err := pass.Decide(ctx, c)
	if err != nil {
		d.errs = append(d.errs, fmt.Errorf("gate: %s: %w", c.String(), err))
		return
	}
	for _, e := range v.Evidence {
		pass.Evidencef("%s: %s", c.String(), e)
	}
	for _, cite := range v.Citations {
		pass.Cite(cite)
	}
	switch {
	case v.Result != gate.Passed:
		d.found = true
		no(v)
		return
	case len(v.Evidence) == 0:
		pass.Evidencef("%s: it holds", c.String())
	}
	d.holds = true
}

// Each decides checks and reports those that do not hold under code.
func (d *Several) Each(ctx context.Context, pass *gate.Pass, code, noun string, checks []plan.Check) {
	for n, c := range checks {
		d.named(ctx, pass, code, fmt.Sprintf("%s %d", noun, n+1), c, pass.Report)
	}
}

// Criteria decides checks one by one as All does. Where one of them holds, those
// that do not make the verdict partial.
func Criteria(ctx context.Context, pass *gate.Pass, code string, checks []plan.FinalCheck) error {
	var d Several
	var found []gate.Finding
	for _, c := range checks {
		d.named(ctx, pass, code, c.Label, c.Check, func(f gate.Finding) { found = append(found, f) })
	}
	for _, f := range found {
		if d.holds {
			pass.Partially(f)
		} else {
			pass.Report(f)
		}
	}
	return d.Finish(pass)
}

// named decides a check that has a name, and reports that it does not hold.
func (d *Several) named(ctx context.Context, pass *gate.Pass, code, name string, c plan.Check,
	report func(gate.Finding)) {
	d.One(ctx, pass, c, func(v gate.Verdict) {
		Objections(v, gate.Finding{Code: code, Message: fmt.Sprintf("%s (%s) does not hold", name, c.String()),
			Expected: c.String()}, report)
	})
}

// Finish says what could not be decided: as the gate's error, or, where
// something was found to be wrong already, beside it. Where no check was to be
// decided there was nothing to judge.
func (d *Several) Finish(pass *gate.Pass) error {
	if !d.asked {
		pass.Nothingf("there is no check to be decided")
	}
	if !d.found {
		return errors.Join(d.errs...)
	}
	for _, err := range d.errs {
		pass.Report(gate.Finding{Code: code.Undecided, Message: err.Error()})
	}
	return nil
}

// Objections reports every finding of a check's verdict under the code and
// words of f, by the method of a pass that says how grave it is.
func Objections(v gate.Verdict, f gate.Finding, report func(gate.Finding)) {
	if len(v.Findings) == 0 {
		report(f)
	}
	for _, g := range v.Findings {
		if g.Expected == "" {
			g.Expected = f.Expected
		}
		if g.Happened == "" {
			g.Happened = g.Message
		}
		g.Code, g.About, g.Message = f.Code, f.About, f.Message+": "+g.Message
		report(g)
	}
}
