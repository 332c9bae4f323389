package cmd

import (
	"fmt"

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
	as := spellingOf(at.run, at.dir, at.given)
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
		if carried := carriedAlone(at.run); len(carried) > 0 {
			return fmt.Sprintf("all was carried out, and nobody looked at %s, taken over from run %s: give the plan checks of that which fail without the work, and run it once more:  %s",
				plan.Addresses(carried), at.run.Started.From.Run,
				as.spell(action.Action{Kind: action.Finish, Run: o.Run}))
		}
		return "all was carried out, and not all of it was looked at: roll it back" + back(at.run, as) +
			" and run it with checks that fail without the work" + checks(at.run.Started.Format) +
			", or have an agent or a program look with --validator"
	}
	for _, s := range at.run.Steps {
		if s.Failed != nil && s.Last() != nil {
			return fmt.Sprintf("%s; what step %s did:  planlock diff %s %s%s", text, s.Address, o.Run, s.Address,
				inDir(at.dir))
		}
	}
	return text
}

// checks says in brackets how a plan of a format has checks, and what there is
// instead where nothing is changed.
func checks(format plan.Format) string {
	if line := format.Verify("COMMAND"); line != "" {
		return " (in this plan:  " + line + ")"
	}
	return " (of a step that changes nothing there are none: critical_flag = false has the goal not depend on it)"
}

// back is how all that a run did is taken back, in brackets.
func back(run *history.Run, as spelling) string {
	for _, s := range run.Steps {
		if s.Status == history.Completed && s.Carried == nil {
			return " (" + as.spell(action.Action{Kind: action.Rollback, Run: run.Started.Run, Step: s.Address}) + ")"
		}
	}
	return ""
}

// carriedAlone are the steps that nobody looked at, where all of them were taken
// over from another run: setting this one back does not undo them.
func carriedAlone(run *history.Run) (all []plan.Address) {
	standings := run.Standings()
	for _, s := range run.Steps {
		basis, _ := standings.Of(s)
		switch {
		case basis == "" || basis.Counts():
		case s.Carried == nil:
			return nil
		default:
			all = append(all, s.Address)
		}
	}
	return all
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
