package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// Keys of choices that only one kind of question has. Approaches of education
// mode are chosen by their letters.
const (
	yes      = "y"
	no       = "n"
	explain  = "e"
	tryOther = "t"
)

// runAgain says what running the step again is.
func runAgain(c *guard.Case) string {
	if !c.Hears() {
		return fmt.Sprintf("run %s again", c.Step.Address)
	}
	return fmt.Sprintf("run %s again with this report as feedback", c.Step.Address)
}

// choiceAgain tries a step once more as it is. Of one that cannot be undone it
// wants words, since what it did outside may happen twice.
func choiceAgain(c *guard.Case) ask.Choice {
	s := c.Step
	offered := ask.Choice{Key: choice.Again, Label: runAgain(c),
		Consequence: fmt.Sprintf("attempt %d from the same checkpoint, on the same tree", s.Tried()+1)}
	if s.Rollback == plan.Irreversible {
		offered.Acknowledge = fmt.Sprintf("run %s again", s.Address)
		offered.Consequence += "; what it did outside the workspace may happen twice"
	}
	return offered
}
