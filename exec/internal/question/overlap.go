package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/choice"
)

// Overlap asks what becomes of steps that ran at once and changed the same. All
// of their work was dropped; nothing is ever merged.
func Overlap(c *guard.Case) ask.Question {
	return about(c, ask.Overlap, fmt.Sprintf("steps that ran at once with %s changed the same", title(c.Step)),
		"their declarations say that they are independent, and they are not", c.Step.Last().Failure.Reasons,
		ask.Choice{Key: choice.Again, Label: "run them one after another",
			Consequence: "each begins with what the one before it left; no retry is used up"},
		choice.ToStop())
}
