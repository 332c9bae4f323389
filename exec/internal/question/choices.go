package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Keys of the choices. Approaches of education mode are chosen by their
// letters.
const (
	GoOn    = "g"
	Again   = "r"
	Skip    = "k"
	Stop    = "s"
	GiveUp  = "x"
	Accept  = "a"
	Propose = "p"
	Details = "d"
	Back    = "b"
	Dynamic = "m"
	Block   = "w" // leave a step blocked
	Replan  = "n" // stop, so that another plan can be made
	Settled = "y" // the person has done, seen or decided what a checkpoint is about

	yes      = "y"
	no       = "n"
	explain  = "e"
	tryOther = "t"
)

// choiceGo begins a step although something speaks against it.
func choiceGo(s *history.Step) ask.Choice {
	return ask.Choice{Key: GoOn, Label: fmt.Sprintf("run %s all the same", s.Address),
		Consequence: "the concern is recorded, and the step runs"}
}

// runAgain says what running the step again is.
func runAgain(c *contract.Case) string {
	if !c.Hears() {
		return fmt.Sprintf("run %s again", c.Step.Address)
	}
	return fmt.Sprintf("run %s again with this report as feedback", c.Step.Address)
}

// choiceAgain tries a step once more as it is. Of one that cannot be undone it
// wants words, since what it did outside may happen twice.
func choiceAgain(c *contract.Case) ask.Choice {
	s := c.Step
	choice := ask.Choice{Key: Again, Label: runAgain(c),
		Consequence: fmt.Sprintf("attempt %d from the same checkpoint, on the same tree", s.Tried()+1)}
	if s.Rollback == plan.Irreversible {
		choice.Acknowledge = fmt.Sprintf("run %s again", s.Address)
		choice.Consequence += "; what it did outside the workspace may happen twice"
	}
	return choice
}

// choicePropose tries a step once more with what the person says about it.
func choicePropose(s *history.Step) ask.Choice {
	return ask.Choice{Key: Propose, Label: "propose a solution", NeedsReason: true,
		Consequence: fmt.Sprintf("attempt %d of %s gets your words as feedback", s.Tried()+1, s.Address)}
}

// choiceDetails decides nothing: the question is put again, with more evidence.
func choiceDetails() ask.Choice {
	return ask.Choice{Key: Details, Label: "show everything that was tried",
		Consequence: "the question is asked again, with all that is known"}
}

// choiceBack sets the run back to before an earlier step. It undoes what was
// accepted, so it wants words.
func choiceBack(to *history.Step) ask.Choice {
	return ask.Choice{Key: Back, Label: fmt.Sprintf("roll the run back to the checkpoint before %s", to.Address),
		Consequence: fmt.Sprintf("%s and everything after it is undone and runs again; what is there now is kept in the store", to.Address),
		Acknowledge: fmt.Sprintf("roll back to %s", to.Address)}
}

// choiceDynamic ends the asking that a measurement began.
func choiceDynamic() ask.Choice {
	return ask.Choice{Key: Dynamic, Label: "go on in dynamic mode", Consequence: "nobody is asked until failures pile up anew"}
}

// choiceSkip leaves a step out on the word of a person.
func choiceSkip(s *history.Step) ask.Choice {
	return ask.Choice{Key: Skip, Label: fmt.Sprintf("leave %s out", s.Address),
		Consequence: "the run goes on without it; the end is PARTIAL at best if it is critical",
		Acknowledge: fmt.Sprintf("skip %s", s.Address)}
}

// choiceStop lets go of the run, which waits as it is.
func choiceStop() ask.Choice {
	return ask.Choice{Key: Stop, Label: "stop here", Consequence: "nothing more runs; resume later"}
}

// choiceGiveUp ends the tries: the step has failed for good.
func choiceGiveUp(s *history.Step) ask.Choice {
	return ask.Choice{Key: GiveUp, Label: fmt.Sprintf("give %s up", s.Address), Consequence: "the step has failed and the run ends"}
}
