package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/carry"
	"github.com/planlock/planlock/plan"
)

// A nextStep is something to do now, and why.
type nextStep struct {
	why  string
	do   action.Action // of no kind where why is all there is to say
	rest string        // what follows the action
}

// told is a next step as one sentence.
func (rep *Model) told(n nextStep) string {
	if n.do.Kind == "" {
		return n.why
	}
	return n.why + ": " + rep.say(n.do) + n.rest
}

// typed is an action in Markdown: marked where it is to be typed.
func (rep *Model) typed(a action.Action) string {
	if rep.OwnStores || !rep.speller.Spells(a) {
		return md(rep.say(a))
	}
	return "`" + rep.say(a) + "`"
}

// prove is the action by which somebody checks that the documents are what the
// journal says.
func (rep *Model) prove() action.Action { return action.Action{Kind: action.Verify, Run: rep.Run} }

// resume is the action by which the run goes on.
func (rep *Model) resume() action.Action { return action.Action{Kind: action.Resume, Run: rep.Run} }

// look is the action by which somebody sees where the run stands.
func (rep *Model) look() action.Action { return action.Action{Kind: action.Status, Run: rep.Run} }

// answer is how a choice of the question that waits is made.
func (rep *Model) answer(c choice) action.Action {
	a := action.Action{Kind: action.Answer, Run: rep.Run, Question: rep.Waiting.ID, Choice: c.Key,
		Reason: c.needsReason}
	if c.Acknowledge != "" {
		a.Acknowledge = []string{c.Acknowledge}
	}
	return a
}

// Answered tells the model of an answer that lies there for the question that
// the run waits for, which the journal does not know before the run goes on.
func (rep *Model) Answered(said string) { rep.given = said }

// diffs are how it is seen what the steps did that failed.
func diffs(rep *Model) []nextStep {
	var out []nextStep
	for _, s := range rep.steps {
		if s.Failure != nil && s.account() != nil {
			out = append(out, nextStep{why: fmt.Sprintf("See what step %s did", s.Address),
				do: action.Action{Kind: action.Diff, Run: rep.Run, Step: s.Address}})
		}
	}
	return out
}

// actions are what can be done about a task that failed, with attempts that failed
// or without.
func (rep *Model) actions(attempts bool) ordered[string] {
	verify := pair[string]{"verify", rep.say(rep.prove())}
	if !attempts {
		return ordered[string]{verify}
	}
	return ordered[string]{{"debug", rep.say(action.Action{Kind: action.Log, Run: rep.Run, Failures: true})}, verify}
}

// tried is what is to be done after a trial that held.
const tried = "The workspace is as it was: run the plan in it, and each step is compared with what it made here"

// nextSteps says what to do now, most pressing first.
func nextSteps(rep *Model) []nextStep {
	if back := rep.of.After.Last(); back != nil {
		if !back.Done {
			return []nextStep{{why: "Have it set back to its end",
				do: action.Action{Kind: action.Rollback, Run: rep.Run, Step: back.To}}}
		}
		return []nextStep{rep.finish("Carry out again what was set back: what stays is taken over"),
			{why: "Prove it", do: rep.prove()}}
	}
	switch rep.Status {
	case history.Achieved:
		if rep.Shadow {
			return []nextStep{{why: tried}, {why: "Prove it", do: rep.prove()}}
		}
		return []nextStep{{why: "Prove it", do: rep.prove()}}
	case history.Partial, history.NotAchieved:
		if rep.of.TriedOut() {
			return []nextStep{{why: tried + "; what acts outside of it is no trial"}, {why: "Prove the report", do: rep.prove()}}
		}
		return rep.afterFailure()
	}
	if q := rep.Waiting; q != nil && rep.given != "" {
		return []nextStep{{why: fmt.Sprintf("Question %s is answered, %s. Go on", q.ID, rep.given), do: rep.resume()}}
	} else if q != nil {
		out := []nextStep{}
		for _, c := range q.Choices {
			out = append(out, nextStep{why: fmt.Sprintf("%s (%s)", c.Label, c.Consequence), do: rep.answer(c)})
		}
		return append(out, nextStep{why: "Then go on", do: rep.resume()})
	}
	if f := rep.of.Foreign; f != nil && rep.Status == history.Waiting {
		return rep.unsettled(f)
	}
	if rep.of.Replans() {
		return rep.planAgain()
	}
	if rep.Status == history.Waiting {
		why := "Go on"
		if refusal, refused := strings.CutPrefix(rep.Paused, "refused: "); refused {
			why = fmt.Sprintf("It was refused to go on: %s. Then go on", refusal)
		} else if mark := rep.of.Mark(); mark != nil && mark.Reason == history.MarkHandoff {
			why = handedOver(&rep.of.Flow)
		}
		return []nextStep{{why: why, do: rep.resume()}}
	}
	// Of a run that was killed the journal says no more than of one that goes
	// on.
	return []nextStep{{why: "If it was killed, go on", do: rep.resume()},
		{why: "If it is under way, look again", do: rep.look()}}
}

// handedOver is why a session ended before the run did, and what goes on.
func handedOver(f *history.Flow) string {
	if b := f.Spent(); b != nil {
		return fmt.Sprintf("The run has cost %s of %s. Go on with a larger budget", b.Cost, b.CostLimit)
	}
	b := f.Budgets[len(f.Budgets)-1]
	return fmt.Sprintf("The session ended, as %d of %d tokens are used. Go on in another one", b.Used, b.Limit)
}

// unsettled is what to do about a run of which nobody was there to say what
// becomes of what others did in the workspace.
func (rep *Model) unsettled(f *history.Foreign) []nextStep {
	most := min(len(f.Changes), 3)
	what := strings.Join(f.Changes[:most], ", ")
	if more := len(f.Changes) - most; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return []nextStep{
		{why: fmt.Sprintf("The workspace holds what no step made (%s). Put it back, then go on", what),
			do: rep.resume()},
		{why: "Or have the question put again, and answer that it stays, or what else becomes of it",
			do: action.Action{Kind: action.Attend, Run: rep.Run}},
		{why: "Or give the run up", do: action.Action{Kind: action.Abandon, Run: rep.Run}},
	}
}

// planAgain is what to do about a run whose plan no longer holds.
func (rep *Model) planAgain() []nextStep {
	run := action.Action{Kind: action.Run}
	if rep.Counts.Completed > 0 && !rep.Shadow {
		run = action.Action{Kind: action.Finish, Run: rep.Run}
	}
	again := nextStep{why: "Then run the new plan", do: run}
	if rep.Lock.File != "" {
		again.rest = ", once it is locked"
	}
	return []nextStep{
		{why: "The plan no longer holds. Add steps to it, and have the run amended"},
		{why: "Or give this run up", do: action.Action{Kind: action.Abandon, Run: rep.Run}},
		again,
		{why: "Or have the question put again", do: rep.resume()},
	}
}

// afterFailure is what to do about a run that was halted: about each step that
// failed, about gates that said no at the end, and about what is left.
func (rep *Model) afterFailure() []nextStep {
	out := []nextStep{}
	note := func(format string, args ...any) { out = append(out, nextStep{why: fmt.Sprintf(format, args...)}) }
	for _, s := range rep.steps {
		if s.Failure == nil {
			if s.Blocked != nil && s.unanswered() {
				note("Step %s (nobody said that it may begin): %s", s.Address, s.remedy())
			}
			continue
		}
		note("Step %s (%s): %s", s.Address, s.meaning(), s.remedy())
	}
	for _, j := range rep.Final {
		if j.Blocks {
			note("Final gate %s (%s): mend what the findings name", j.Gate, j.Result)
		}
	}
	n := rep.Counts.Blocked
	for _, s := range rep.steps {
		if s.Blocked != nil && (s.unanswered() || rep.of.Untried(rep.of.Step(s.Address))) {
			n--
		}
	}
	if n > 0 {
		wait := "they wait"
		if n == 1 {
			wait = "it waits"
		}
		note("%s blocked: unblocked by mending the steps that %s for", count(n, "step is", "steps are"), wait)
	}
	switch {
	case rep.Shadow:
		note("The workspace is as it was before the run: mend the plan and run it; only a plan that was changed is locked again")
	case len(rep.there()) == 0 && rep.Isolated && rep.Delivered == "":
		note("The workspace is as it was before the run: mend the plan, lock it and run it again")
	case slices.ContainsFunc(rep.Final, func(j judgement) bool { return j.Blocks }):
		out = append(out, rep.afterVerdict()...)
	case len(rep.of.LackEvidence()) > 0:
		out = append(out, rep.finish("Once that is mended, look for the evidence again: steps that left none are carried out again if they can be undone, with what needs them, and all else is taken over"))
	case rep.Counts.Completed > 0 && !rep.of.CarriedOut():
		out = append(out, rep.finish("Once the rest is mended, "+rep.again()))
	case rep.Status == history.Partial && rep.of.CarriedOut() && !rep.Shadow &&
		slices.ContainsFunc(rep.unlooked(), func(s *step) bool { return !s.Standing.looks }):
		out = append(out, rep.finish("Once the plan checks it, have what nobody looked at carried out anew; the rest is taken over"))
	}
	return append(append(out, diffs(rep)...), nextStep{why: "Prove the report", do: rep.prove()})
}

// again says what a run that finishes this one carries out, while the plan and
// the workspace are what they are.
func (rep *Model) again() string {
	contract := &guard.Contract{Plan: rep.plan}
	c := &carry.Case{Now: contract, Was: contract, Run: rep.of}
	for _, o := range rep.of.Started.Steps {
		c.Order = append(c.Order, o.Address)
	}
	over, anew := c.Over()
	if len(anew) == 0 {
		return "carry out that alone: what was completed is taken over, and nothing runs twice"
	}
	left := "nothing is taken over"
	if len(over) > 0 {
		left = count(len(over), "step is", "steps are") + " taken over"
	}
	var names []string
	for _, a := range anew[:min(len(anew), anewListed)] {
		names = append(names, fmt.Sprintf("%s (%s)", a.Step, a.Why))
	}
	if n := len(anew) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("carry it out: %s, and %s carried out once more: %s", left,
		count(len(anew), "step that was completed is", "steps that were completed are"), strings.Join(names, ", "))
}

// anewListed is how many of the steps that are carried out once more are named.
const anewListed = 20

// finish is how the run is finished by another one, and why.
func (rep *Model) finish(why string) nextStep {
	next := nextStep{why: why, do: action.Action{Kind: action.Finish, Run: rep.Run}}
	if rep.Lock.File != "" {
		next.rest = ", once the plan is locked again"
	}
	return next
}

// there are the steps whose work is there: carried out again, they would find
// it.
func (rep *Model) there() []plan.Address {
	var all []plan.Address
	for _, s := range rep.steps {
		if s.Status == history.Completed || s.Skipped != nil && s.Skipped.Done {
			all = append(all, s.Address)
		}
	}
	return all
}

// afterVerdict names the ways out where the final gates said no to what the
// steps did: run again as they are, they would find their own work.
func (rep *Model) afterVerdict() []nextStep {
	there := rep.there()
	var did []plan.Address
	for _, s := range rep.steps {
		if s.Status == history.Completed {
			did = append(did, s.Address)
		}
	}
	var out []nextStep
	switch {
	case len(there) == 0:
	case len(rep.of.Fallen()) > 0:
		out = append(out, rep.finish("Once that is mended in the plan, "+rep.again()))
	default:
		out = append(out, rep.finish("What the steps did is there, and is taken over: mend the rest by hand, or in the plan"))
	}
	if len(did) > 0 {
		out = append(out, nextStep{why: "Or take back what they did, and run a plan that was mended",
			do: action.Action{Kind: action.Rollback, Run: rep.Run, Step: did[0]}})
	}
	return out
}
