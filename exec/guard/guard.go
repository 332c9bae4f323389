// Package guard is what may hold up a step before it begins.
//
// A [Guard] is a pure function of a [Case]: plan, policy, history, and what the
// controller saw and still holds. It acts on nothing and asks nobody. It says
// that the step may pass ([Pass]), that a person is to be asked first ([Ask],
// [Hold]), that something is to be recorded, or that the step is left out
// ([Record]), or that it needs to know something ([Look], [Consult],
// [Review]), which the controller then finds out. Every run has guards of its
// own; those of a host are asked behind them.
//
//	freeze := guard.Of("freeze", func(c *guard.Case) guard.Verdict {
//		return guard.Ask(c, "freeze", "nothing is changed before the release")
//	})
package guard

import (
	"fmt"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
)

// A Guard may hold up a step.
//
// Look is asked again after anything that came of what it said, and for every
// step that is about to begin, so it must pass once what it wanted stands in
// the history. It must not keep or change the case.
type Guard interface {
	// Name is a word for documents and errors, as in "dependency".
	Name() string
	Look(c *Case) Verdict
}

// MostHolds is how often a guard of the host may hold up one step before it
// begins. One that does so once more is taken for one that never lets it pass:
// the run is let go with an error that names guard and step, and can be
// resumed.
const MostHolds = 100

// A Verdict is what a guard says. The zero value lets the step pass.
type Verdict struct {
	// Facts are recorded at the step, before the question where there is one.
	// With Run they concern the run as a whole.
	Facts []history.Fact
	Run   bool
	// Question is put to a person.
	Question *ask.Question

	// What has to be found out first: an observation must hold, advice of a
	// kind must stand in the history, or the decision of the reviewers must.
	Look    Observation
	Consult advice.Kind
	Review  bool
}

// Pass lets the step pass.
func Pass() Verdict { return Verdict{} }

// Hold puts a question first; the facts are recorded with it.
//
// The question needs a kind of the guard's own, What, Why and Choices, each
// with a label and a consequence. Its run and step are those of the case where
// it names none, and it gets an id; one that it brings must be that of no other
// question of the run. When it was asked, and until when it waits, is set by
// whoever puts it. Of the choices these keys bring something about by
// themselves, as they do everywhere: "k" leaves the step out, "y" counts it as
// done, "x" gives it up, "s" stops the run, "b" sets it back to before Target,
// and "a", "p" and "r" are for steps that have failed. Any other key, such as
// "g" for going on, only stands in the history, where the guard finds it with
// [history.Step.Chosen] when it is asked again. It must pass then.
func Hold(q ask.Question, facts ...history.Fact) Verdict { return Verdict{Question: &q, Facts: facts} }

// Ask asks a person before the step begins, in the words of whoever holds it
// up, and lets the step pass once that person has. The choices are to run it
// all the same, to leave it out, to stop, and to give it up; what follows from
// them happens by itself. Where nobody answers, that is a refusal, and the step
// has failed. The kind is the guard's own, as in "freeze".
func Ask(c *Case, kind ask.Kind, why string, evidence ...string) Verdict {
	s := c.Step
	if s.Chosen(kind, choice.GoOn) {
		return Pass()
	}
	return Hold(ask.Question{Kind: kind, What: fmt.Sprintf("step %s (%s)", s.Address, s.Title), Why: why,
		Evidence: evidence,
		Choices: []ask.Choice{choice.ToGoOn(s), choice.ToSkip(s, c.Run.Policy.Lenient), choice.ToStop(),
			choice.ToGiveUp(s)}})
}

// Record has facts about the step recorded: [history.StepSkipped],
// [history.StepBlocked] or [history.StepFailed], one of them, which leave it
// out; [history.ModeSwitched], [history.Advised], [history.Lesson]. Others are
// refused: a journal must not say what did not happen.
func Record(facts ...history.Fact) Verdict { return Verdict{Facts: facts} }

// RecordRun has facts about the run recorded: [history.ModeSwitched],
// [history.StrategySet], [history.Budget], [history.Compliance],
// [history.Approval]. Others are refused.
func RecordRun(facts ...history.Fact) Verdict { return Verdict{Facts: facts, Run: true} }

// Look needs an observation to hold.
func Look(o Observation) Verdict { return Verdict{Look: o} }

// Consult needs advice of a kind, about the task of the step, to stand in the
// history.
func Consult(kind advice.Kind) Verdict { return Verdict{Consult: kind} }

// Review needs the decision of the reviewers about the task of the step: a
// first one, or, where there is one, one about a patched draft.
func Review() Verdict { return Verdict{Review: true} }

// Passes reports whether the step may pass.
func (v Verdict) Passes() bool {
	return len(v.Facts) == 0 && v.Question == nil && v.Look == 0 && v.Consult == "" && !v.Review
}

// Of makes a guard of a function.
func Of(name string, look func(c *Case) Verdict) Guard { return named{name, look} }

type named struct {
	name string
	look func(c *Case) Verdict
}

func (g named) Name() string         { return g.name }
func (g named) Look(c *Case) Verdict { return g.look(c) }
