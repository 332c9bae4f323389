package exec

import (
	"cmp"
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Keys of the choices. Those of education mode stand in educate.go, those about a plan
// that no longer holds in obsolete.go.
const (
	goOn    = "g"
	again   = "r"
	skip    = "k"
	stop    = "s"
	giveUp  = "x"
	accept  = "a"
	propose = "p"
	details = "d"
	back    = "b"
	dynamic = "m"
)

func choiceGo(s *history.Step) ask.Choice {
	return ask.Choice{Key: goOn, Label: fmt.Sprintf("run %s all the same", s.Address),
		Consequence: "the concern is recorded, and the step runs"}
}

// hears reports whether whoever would carry out a step again is told what went wrong. A shell command is not.
func (e *execution) hears(s *history.Step) bool {
	m := e.method(s, currentMethod(s))
	_, step := e.step(s)
	x, err := e.c.executor(cmp.Or(m.Executor, step.Executor))
	return m.Prompt != "" || err != nil || name(x) != "shell"
}

// runAgain says what running a step again is.
func (e *execution) runAgain(s *history.Step) string {
	if !e.hears(s) {
		return fmt.Sprintf("run %s again", s.Address)
	}
	return fmt.Sprintf("run %s again with this report as feedback", s.Address)
}

func (e *execution) choiceAgain(s *history.Step) ask.Choice {
	c := ask.Choice{Key: again, Label: e.runAgain(s),
		Consequence: fmt.Sprintf("attempt %d from the same checkpoint, on the same tree", s.Tried()+1)}
	if s.Rollback == plan.Irreversible {
		c.Acknowledge = fmt.Sprintf("run %s again", s.Address)
		c.Consequence += "; what it did outside the workspace may happen twice"
	}
	return c
}

func choicePropose(s *history.Step) ask.Choice {
	return ask.Choice{Key: propose, Label: "propose a solution", NeedsReason: true,
		Consequence: fmt.Sprintf("attempt %d of %s gets your words as feedback", s.Tried()+1, s.Address)}
}

func choiceDetails() ask.Choice {
	return ask.Choice{Key: details, Label: "show everything that was tried", Consequence: "the question is asked again, with all that is known"}
}

func choiceBack(to *history.Step) ask.Choice {
	return ask.Choice{Key: back, Label: fmt.Sprintf("roll the run back to the checkpoint before %s", to.Address),
		Consequence: fmt.Sprintf("%s and everything after it is undone and runs again; what is there now is kept in the store", to.Address),
		Acknowledge: fmt.Sprintf("roll back to %s", to.Address)}
}

func choiceDynamic() ask.Choice {
	return ask.Choice{Key: dynamic, Label: "go on in dynamic mode", Consequence: "nobody is asked until failures pile up anew"}
}

func choiceSkip(s *history.Step) ask.Choice {
	return ask.Choice{Key: skip, Label: fmt.Sprintf("leave %s out", s.Address),
		Consequence: "the run goes on without it; the end is PARTIAL at best if it is critical",
		Acknowledge: fmt.Sprintf("skip %s", s.Address)}
}

func choiceStop() ask.Choice {
	return ask.Choice{Key: stop, Label: "stop here", Consequence: "nothing more runs; resume later"}
}

func choiceGiveUp(s *history.Step) ask.Choice {
	return ask.Choice{Key: giveUp, Label: fmt.Sprintf("give %s up", s.Address), Consequence: "the step has failed and the run ends"}
}
