package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// outcomeHint names the step to look at.
func outcomeHint(o *exec.OutcomeError, at placedError) string {
	text := "mend what the report names, then lock and run again"
	if at.run == nil {
		return text
	}
	as := spellingOf(at.run, at.dir, at.flags())
	if _, lock := (exec.Workspace{Dir: at.dir}).Sources(at.run); lock == "" || at.run.Started.Shadow {
		text = "mend what the report names; once that is mended:  " + as.spell(action.Action{Kind: action.Run})
	}
	if at.run.Count(history.Completed) > 0 && !at.run.Started.Shadow {
		text = "mend what the report names; once that is mended:  " +
			as.spell(action.Action{Kind: action.Finish, Run: o.Run})
	}
	unmet := len(gate.Judgements(at.run.Final).Blocking()) > 0 // some criteria of the whole do not hold
	if at.run.CarriedOut() && o.Status == history.Partial && !unmet && !at.run.Started.Shadow &&
		len(at.run.LackEvidence()) == 0 {
		if leftOutAlone(at.run) {
			return "nobody saw a check of what was left out, as it was there already, fail without its work: to have that seen, " +
				"take the work away, and run the plan with nothing left out (no --ack done:STEP)"
		}
		return unlookedHint(at, as)
	}
	for _, s := range at.run.Steps {
		if s.Failed != nil && s.Last() != nil {
			return fmt.Sprintf("%s; what step %s did:  planlock diff %s %s%s", text, s.Address, o.Run, s.Address,
				inDir(at.dir))
		}
	}
	return text
}

// unlookedHint says how the steps are verified of a run that carried all out: by
// checks of theirs, for which they are carried out once more, or by whoever looks
// at work, for which they are set back first, if it was this run that did them.
func unlookedHint(at placedError, as spelling) string {
	ws, id := exec.Workspace{Dir: at.dir}, at.run.Started.Run
	steps, first := unlooked(ws, at.run)
	text := "all was carried out, and nobody looked at " + plan.Addresses(steps)
	over := slices.DeleteFunc(slices.Clone(steps), func(a plan.Address) bool { return at.run.Step(a).Carried == nil })
	if len(over) > 0 {
		which := ""
		if len(over) < len(steps) {
			which = " of which " + plan.Addresses(over) + " had been"
		}
		text += fmt.Sprintf(",%s taken over from run %s, and no reviewer is asked about what is taken over", which,
			at.run.Step(over[0]).Carried.Run)
	}
	text += ": give the plan checks that fail without the work" + checks(at.run.Started.Format) +
		", and have that alone carried out once more:  "
	var once []string
	for _, way := range as.anew(ws, at.run) {
		once = append(once, way.hint())
	}
	text += strings.Join(once, ", ")
	if first == nil || first.Carried != nil || gives(as.given, "validator") {
		return text
	}
	as.given = append(slices.Clone(as.given), "--validator=NAME")
	back := as.spell(action.Action{Kind: action.Rollback, Run: id, Step: first.Address})
	return text + "; or have an agent or a program look, once that and what came after it is set back:  " + back +
		", and then " + as.spell(action.Action{Kind: action.Finish, Run: id})
}

// checks says in brackets how a plan of a format has checks, and what there is
// instead where nothing is changed.
func checks(format plan.Format) string {
	if line := format.Verify("COMMAND"); line != "" {
		return " (in this plan:  " + line + ")"
	}
	return " (of a step that changes nothing there are none: critical_flag = false has the goal not depend on it)"
}

// unlooked are the steps that nobody looked at and on which the goal depends, and
// the first of them that was carried out.
func unlooked(ws exec.Workspace, run *history.Run) (all []plan.Address, first *history.Step) {
	depends := func(plan.Address) bool { return true }
	if p, err := ws.Plan(context.Background(), run); err == nil {
		essential := p.Essential()
		depends = func(a plan.Address) bool {
			_, step, ok := p.Step(a)
			return ok && essential(step)
		}
	}
	standings := run.Standings()
	for _, s := range run.Steps {
		if basis, _ := standings.Of(s); basis == "" || basis.Counts() || !depends(s.Address) {
			continue
		}
		if all = append(all, s.Address); first == nil && s.Status == history.Completed {
			first = s
		}
	}
	return all, first
}

// leftOutAlone reports whether all that nobody looked at was left out because
// its work was there.
func leftOutAlone(run *history.Run) bool {
	out, standings := false, run.Standings()
	for _, s := range run.Steps {
		basis, _ := standings.Of(s)
		switch {
		case s.Skipped != nil && s.Skipped.Done:
			out = out || !basis.Counts()
		case !basis.Counts():
			return false
		}
	}
	return out
}
