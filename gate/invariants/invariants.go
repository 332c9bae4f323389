// Package invariants has decided what must hold before, between and after
// steps. Its gate blocks the step (level 1) and is asked before the first step,
// during, and at the end.
//
// An invariant is looked at before a step only as long as nobody has seen it
// hold, or nothing has been done, or the run was set back, or what others did was
// kept, or the step is tried again: after each step it is looked at anyway. A
// finding says since when it held and which step broke
// it, or that it was what others did. One that is not
// critical fails and stops nothing, and makes the end partial.
package invariants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that decides what must hold before, between and after steps.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "invariants",
		Doc:     "Every invariant that has a check must hold before the first step, after every step, before a step is tried again where one may look at more than the tree, and at the end; one that is not critical fails after a step without stopping it, and makes the end partial.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Before, gate.During, gate.Final},
		Stateless: true,
	}, nothingInvariant, judgeInvariants)
}

func judgeInvariants(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return errors.New("invariants: the pass has no plan")
	}
	var d decide.Several
	for _, inv := range bindingFirst(pass.Plan.Invariants) {
		if inv.Check == nil {
			pass.Nothingf("invariant %q has no check, so no machine judges it", inv.ID)
			continue
		}
		if pass.Phase == gate.Before && !firstLook(pass, inv) {
			continue
		}
		d.One(ctx, pass, *inv.Check, func(v gate.Verdict) { broken(pass, inv, v) })
	}
	return d.Finish(pass)
}

// bindingFirst are invariants with those before the others that stop what breaks
// them: what is found of those is why.
func bindingFirst(all []plan.Invariant) []plan.Invariant {
	binding, tolerated := make([]plan.Invariant, 0, len(all)), []plan.Invariant(nil)
	for _, inv := range all {
		if inv.Critical {
			binding = append(binding, inv)
		} else {
			tolerated = append(tolerated, inv)
		}
	}
	return append(binding, tolerated...)
}

// firstLook reports whether an invariant must be seen to hold before this step:
// nobody has seen it yet, or nothing has been done yet, or the run was set
// back to it, or others did what no step was judged on. One that stops steps is looked at again before a step that
// is tried again: what was restored is the tree.
func firstLook(pass *gate.Pass, inv plan.Invariant) bool {
	_, seen := pass.Introduced[inv.ID]
	if _, broken := pass.Broken[inv.ID]; !seen && !broken {
		return true
	}
	return len(pass.Kept) > 0 || pass.SetBack || decide.Untouched(pass) || inv.Critical && !pass.Began.IsZero()
}

func broken(pass *gate.Pass, inv plan.Invariant, v gate.Verdict) {
	f := gate.Finding{Code: code.Invariant, About: inv.ID, Message: story(pass, inv), Expected: inv.Check.String()}
	report := pass.Report
	if !inv.Critical {
		f.Message += " (it is not critical)"
		report = pass.Tolerate
		if pass.Phase == gate.Final {
			report = pass.Partially
		}
	}
	decide.Objections(v, f, report)
}

// story says which invariant is broken, since when it held, and which step
// broke it.
func story(pass *gate.Pass, inv plan.Invariant) string {
	name := fmt.Sprintf("invariant %q (%s)", inv.ID, inv.Text)
	since, known := pass.Introduced[inv.ID]
	by, broken := pass.Broken[inv.ID]
	kept := pass.Phase != gate.During && len(pass.Kept) > 0
	if pass.Phase == gate.Before && by == "" && (!kept || !known || broken) {
		return fmt.Sprintf("%s does not hold before step %s", name, address(pass))
	}
	if broken {
		held := "was broken by step " + string(by)
		switch {
		case by == "" && known:
			held = "was broken by what somebody else changed"
		case by == "":
			held = "did not hold before the run"
		}
		return fmt.Sprintf("%s %s, and does not hold %s", name, held, after(pass))
	}
	switch {
	case !known:
		since = "never seen to hold"
	case since == "base":
		since = "held since before the run"
	default:
		since = "held since step " + since
	}
	switch {
	case kept:
		return fmt.Sprintf("%s, %s, is broken by what somebody else changed, kept in answer to %s", name, since,
			strings.Join(pass.Kept, " and "))
	case pass.Step == nil:
		return fmt.Sprintf("%s, %s, does not hold %s", name, since, after(pass))
	}
	return fmt.Sprintf("%s, %s, is broken by step %s", name, since, pass.Step.Address)
}

// after is when it was looked at.
func after(pass *gate.Pass) string {
	switch {
	case pass.Step == nil:
		return "at the end"
	case pass.Phase == gate.Before:
		return "before step " + string(pass.Step.Address)
	}
	return "after step " + string(pass.Step.Address)
}

func address(pass *gate.Pass) plan.Address {
	if pass.Step == nil {
		return ""
	}
	return pass.Step.Address
}

func nothingInvariant(pass *gate.Pass) bool {
	return pass.Plan != nil && !slices.ContainsFunc(pass.Plan.Invariants,
		func(i plan.Invariant) bool { return i.Check != nil })
}
