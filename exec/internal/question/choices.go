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

func choicePropose(s *history.Step) ask.Choice {
	return ask.Choice{Key: Propose, Label: "propose a solution", NeedsReason: true,
		Consequence: fmt.Sprintf("attempt %d of %s gets your words as feedback", s.Tried()+1, s.Address)}
}

func choiceDetails() ask.Choice {
	return ask.Choice{Key: Details, Label: "show everything that was tried",
		Consequence: "the question is asked again, with all that is known"}
}

func choiceBack(to *history.Step) ask.Choice {
	return ask.Choice{Key: Back, Label: fmt.Sprintf("roll the run back to the checkpoint before %s", to.Address),
		Consequence: fmt.Sprintf("%s and everything after it is undone and runs again; what is there now is kept in the store", to.Address),
		Acknowledge: fmt.Sprintf("roll back to %s", to.Address)}
}

func choiceDynamic() ask.Choice {
	return ask.Choice{Key: Dynamic, Label: "go on in dynamic mode", Consequence: "nobody is asked until failures pile up anew"}
}

func choiceSkip(s *history.Step) ask.Choice {
	return ask.Choice{Key: Skip, Label: fmt.Sprintf("leave %s out", s.Address),
		Consequence: "the run goes on without it; the end is PARTIAL at best if it is critical",
		Acknowledge: fmt.Sprintf("skip %s", s.Address)}
}

func choiceStop() ask.Choice {
	return ask.Choice{Key: Stop, Label: "stop here", Consequence: "nothing more runs; resume later"}
}

func choiceGiveUp(s *history.Step) ask.Choice {
	return ask.Choice{Key: GiveUp, Label: fmt.Sprintf("give %s up", s.Address), Consequence: "the step has failed and the run ends"}
}
