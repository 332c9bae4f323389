package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/choice"
)

// Overlap asks what becomes of steps that ran at once, where one changed what
// another one changed or read. All of their work was dropped; nothing is ever
// merged.
func Overlap(c *guard.Case) ask.Question {
	return about(c, ask.Overlap,
		fmt.Sprintf("step %s and steps that ran at once with it do not go together", title(c.Step)),
		"their declarations say that they are independent, and they are not", c.Step.Last().Failure.Reasons,
		ask.Choice{Key: choice.Again, Label: "run them one after another",
			Consequence: "each begins with what the one before it left; no retry is used up"},
		choice.ToStop())
}
