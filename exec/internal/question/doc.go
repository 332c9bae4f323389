// Package question makes the questions that a run puts to persons, with what
// they must know to answer, and says what follows from an answer.
//
// Every question is a pure function of a [guard.Case]. Its number follows
// from the history; when it was asked, and until when it waits, is set by
// whoever puts it.
package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// about makes a question about the step of a case.
func about(c *guard.Case, kind ask.Kind, what, why string, evidence []string, choices ...ask.Choice) ask.Question {
	s := c.Step
	return ask.Question{ID: fmt.Sprintf("q%d", c.Run.Asked+1), Run: c.Run.Started.Run, Step: s.Address,
		Attempt: s.Tried(),
		Kind:    kind, What: what, Why: why, Evidence: evidence, Choices: choices}
}

// title names a step for people.
func title(s *history.Step) string { return fmt.Sprintf("%s (%s)", s.Address, s.Title) }
