package document

import (
	"fmt"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/plan"
)

// A nextStep is something to do now, and why.
type nextStep struct {
	why  string
	do   action.Action // of no kind where why is all there is to say
	rest string        // what follows the action
}

// inHost follows what can be done about a run in stores of its host's own: no
// other program finds them.
const inHost = ", in the program that has its stores"

// say spells an action as the reader of the document would carry it out.
func (rep *Model) say(a action.Action) string {
	if rep.OwnStores {
		return a.String() + inHost
	}
	return rep.speller.Say(a)
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

func (rep *Model) prove() action.Action  { return action.Action{Kind: action.Verify, Run: rep.Run} }
func (rep *Model) resume() action.Action { return action.Action{Kind: action.Resume, Run: rep.Run} }
func (rep *Model) look() action.Action   { return action.Action{Kind: action.Status, Run: rep.Run} }

// answer is how a choice of the question that waits is made.
func (rep *Model) answer(c choice) action.Action {
	a := action.Action{Kind: action.Answer, Run: rep.Run, Question: rep.Waiting.ID, Choice: c.Key,
		Reason: c.needsReason}
	if c.Acknowledge != "" {
		a.Acknowledge = []string{c.Acknowledge}
	}
	return a
}

// withoutNamed is how many steps an action names that leaves them out; a check
// of the plan names all of them.
const withoutNamed = 8

// without is how the plan is run again without steps whose work is there, and
// what follows that in a sentence. A lock file says what was accepted, so that
// is where it has to stand.
func (rep *Model) without(steps []plan.Address) (a action.Action, rest string) {
	a.Kind = action.Run
	if n := len(steps) - withoutNamed; n > 0 {
		steps, rest = steps[:withoutNamed], fmt.Sprintf(" and so on for %d more", n)
	}
	a.Acknowledge = each(steps, plan.DoneCode)
	if rep.Lock.File != "" {
		a.Kind = action.Lock
		rest += ", and run it"
	}
	return a, rest
}

// diffs are how it is seen what the steps did that failed.
func (rep *Model) diffs() []nextStep {
	var out []nextStep
	for _, s := range rep.steps {
		if s.Failure != nil && s.account() != nil {
			out = append(out, nextStep{why: fmt.Sprintf("See what step %s did", s.Address),
				do: action.Action{Kind: action.Diff, Run: rep.Run, Step: s.Address}})
		}
	}
	return out
}

// actions are what can be done about a task that failed.
func (rep *Model) actions() ordered[string] {
	return ordered[string]{
		{"debug", rep.say(action.Action{Kind: action.Log, Run: rep.Run, Failures: true})},
		{"verify", rep.say(rep.prove())},
	}
}
