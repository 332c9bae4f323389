// Package guard is what may hold up a step before it begins.
//
// A [Guard] is a pure function of a [contract.Case]: plan, policy, history, and
// what the controller saw and still holds. It acts on nothing and asks nobody.
// It says that the step may pass, that a person is to be asked first, that
// something is to be recorded, that the step is left out, or that it needs to
// know something, which the controller then finds out. [Table] lists all of
// them in the order in which they are asked; those of a host stand behind it.
package guard

import (
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/question"
)

// A Guard may hold up a step.
//
// Look is asked again after anything that came of what it said, and for every
// step that is about to begin, so it must pass once what it wanted stands in
// the history. It must not keep or change the case.
type Guard interface {
	// Name is a word for documents and errors, as in "dependency".
	Name() string
	Look(c *contract.Case) Verdict
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
	// Need is what has to be found out first.
	Need Need
}

// A Need is something that only the world can tell: an observation, advice or a
// review. The zero value needs nothing.
type Need interface{ need() }

// Look needs an observation to hold.
type Look struct{ What contract.Observation }

// Consult needs advice of a kind to stand in the history, about the task of the
// step.
type Consult struct{ Kind string }

// Review needs the decision of the reviewers about the task of the step: a
// first one, or, with Again, one about a patched draft.
type Review struct{ Again bool }

func (Look) need()    {}
func (Consult) need() {}
func (Review) need()  {}

// Pass lets the step pass.
func Pass() Verdict { return Verdict{} }

// Hold puts a question first; the facts are recorded with it.
//
// The question needs a kind of the guard's own, What, Why and Choices, each
// with a label and a consequence. Its id, run and step are those of the case
// where it names none; when it was asked, and until when it waits, is set by
// whoever puts it. Of the choices these keys bring something about by
// themselves, as they do everywhere: "k" leaves the step out, "y" counts it as
// done, "x" gives it up, "s" stops the run, "b" sets it back to before Target,
// and "a", "p" and "r" are for steps that have failed. Any other key, such as
// "g" for going on, only stands in the history, where the guard finds it with
// [contract.Chosen] when it is asked again. It must pass then.
func Hold(q ask.Question, facts ...history.Fact) Verdict { return Verdict{Question: &q, Facts: facts} }

// Ask asks a person before the step begins, in the words of whoever holds it
// up, and lets the step pass once that person has. The choices are to run it
// all the same, to leave it out, to stop, and to give it up; what follows from
// them happens by itself. The kind is the guard's own, as in "freeze".
func Ask(c *contract.Case, kind ask.Kind, why string, evidence ...string) Verdict {
	if contract.Chosen(c.Step, kind, question.GoOn) {
		return Pass()
	}
	return Hold(question.Hold(c, kind, why, evidence...))
}

// Record has facts about the step recorded. A fact that ends the step leaves it
// out.
func Record(facts ...history.Fact) Verdict { return Verdict{Facts: facts} }

// RecordRun has facts about the run recorded.
func RecordRun(facts ...history.Fact) Verdict { return Verdict{Facts: facts, Run: true} }

// Find needs something found out.
func Find(n Need) Verdict { return Verdict{Need: n} }

// Passes reports whether the step may pass.
func (v Verdict) Passes() bool { return len(v.Facts) == 0 && v.Question == nil && v.Need == nil }

// Of makes a guard of a function.
func Of(name string, look func(c *contract.Case) Verdict) Guard { return named{name, look} }

type named struct {
	name string
	look func(c *contract.Case) Verdict
}

func (g named) Name() string                  { return g.name }
func (g named) Look(c *contract.Case) Verdict { return g.look(c) }
