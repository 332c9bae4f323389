// Package question makes the questions that a run puts to persons, with what
// they must know to answer, and says what follows from an answer.
//
// Every question is a pure function of a [contract.Case]. Its number follows
// from the history; when it was asked, and until when it waits, is set by
// whoever puts it.
package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
)

// about makes a question about the step of a case.
func about(c *contract.Case, kind ask.Kind, what, why string, evidence []string, choices ...ask.Choice) ask.Question {
	s := c.Step
	return ask.Question{ID: fmt.Sprintf("q%d", c.Run.Asked+1), Run: c.Run.Started.Run, Step: s.Address,
		Attempt: s.Tried(),
		Kind:    kind, What: what, Why: why, Evidence: evidence, Choices: choices}
}

// Hold asks a person before the step begins, in the words of a guard of the
// host. The choices are to run it all the same ([GoOn]), to leave it out, to
// stop, and to give it up.
func Hold(c *contract.Case, kind ask.Kind, why string, evidence ...string) ask.Question {
	return about(c, kind, "step "+title(c.Step), why, evidence,
		choiceGo(c.Step), choiceSkip(c.Step), choiceStop(), choiceGiveUp(c.Step))
}

// title names a step for people.
func title(s *history.Step) string { return fmt.Sprintf("%s (%s)", s.Address, s.Title) }
