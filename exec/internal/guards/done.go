package guards

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
)

// done leaves a step out whose work the lock says is done, or a summary beside
// the plan. What the step declares must hold when its turn comes: a word of the
// lock that the workspace contradicts stops the run before the step, and a
// summary that it contradicts counts for nothing.
func done(c *guard.Case) guard.Verdict {
	why, by := "acknowledged as done", "the lock"
	if !slices.Contains(c.Run.Started.Acknowledged, c.Step.Address.DoneCode()) {
		if by = c.Run.Started.SaidBy(c.Step.Address); by == "" {
			return guard.Pass()
		}
		why = "said to be done"
	}
	if !c.Seen.Holds(guard.Done) {
		return guard.Look(guard.Done)
	}
	if len(c.Seen.Against) > 0 {
		return guard.Pass() // its checkpoint says so
	}
	if len(c.Seen.For) > 0 {
		why += ": " + strings.Join(c.Seen.For, "; ")
	}
	return guard.Record(&history.StepSkipped{Why: why, By: by, Done: true})
}

// refuted is what speaks against the summary that says that a step is done that
// begins all the same.
func refuted(c *guard.Case) []string {
	by := c.Run.Started.SaidBy(c.Step.Address)
	if by == "" || len(c.Seen.Against) == 0 {
		return nil
	}
	return bound.First(append([]string{by + " says that it is done, and it is not"}, c.Seen.Against...), bound.Lines)
}
