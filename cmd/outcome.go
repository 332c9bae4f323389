package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/document"
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
	if at.run.TriedOut() {
		return "what can be tried was, and holds: " + as.spell(action.Action{Kind: action.Run})
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
				"take the work away, and run the plan with nothing left out (no --ack done:STEP); " +
				"a plan without what is done already does not ask for it"
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
	ws, id, format := exec.Workspace{Dir: at.dir}, at.run.Started.Run, at.run.Started.Format
	all, idle, first := unlooked(ws, at.run)
	var parts []string
	for _, o := range as.anew(ws, at.run) {
		parts = append(parts, o.hint())
	}
	once := strings.Join(parts, ", ")
	if len(all) == 0 {
		return "all was carried out, and nobody judged what the report names: give the plan checks of it, " +
			"and run it once more:  " + once
	}
	text := "all was carried out, and nobody looked at " + plan.Addresses(all)
	over := slices.DeleteFunc(slices.Clone(all), func(a plan.Address) bool { return at.run.Step(a).Carried == nil })
	if len(over) > 0 {
		which := ""
		if len(over) < len(all) {
			which = " of which " + plan.Addresses(over) + " had been"
		}
		text += fmt.Sprintf(",%s taken over from run %s, and no reviewer is asked about what is taken over", which,
			at.run.Step(over[0]).Carried.Run)
	}
	var ways []string
	if len(idle) < len(all) {
		way := "give the plan checks that fail without the work"
		if line := format.Verify("COMMAND"); line != "" {
			way += " (in this plan:  " + line + ")"
		}
		ways = append(ways, way+", and have that alone carried out once more:  "+once)
	}
	if len(idle) > 0 {
		ways = append(ways, fmt.Sprintf("no check fails without what changed nothing (%s): "+
			"the goal does not depend on it with %s", plan.Addresses(idle), document.NotCritical(format)))
	}
	if first != nil && first.Carried == nil && !gives(as.given, "validator") {
		as.given = append(slices.Clone(as.given), "--validator=NAME")
		ways = append(ways, "or have an agent or a program look, once that and what came after it is set back:  "+
			as.spell(action.Action{Kind: action.Rollback, Run: id, Step: first.Address})+", and then "+
			as.spell(action.Action{Kind: action.Finish, Run: id}))
	}
	return text + ": " + strings.Join(ways, "; ")
}

// unlooked are the steps that nobody looked at and on which the goal depends,
// those of them that changed nothing, and the first that was carried out.
func unlooked(ws exec.Workspace, run *history.Run) (all, idle []plan.Address, first *history.Step) {
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
		if s.Idle() {
			idle = append(idle, s.Address)
		}
	}
	return all, idle, first
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
