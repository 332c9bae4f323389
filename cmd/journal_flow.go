package cmd

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// gistOfFlow is gist for how a run is carried out as a whole.
func gistOfFlow(fact history.Fact) string {
	switch f := fact.(type) {
	case *history.StrategySet:
		return fmt.Sprintf("%s: %s", f.Strategy, f.Why)
	case *history.PhaseOver:
		return fmt.Sprintf("%s (%d of %d) is over, tree %s", f.Phase, f.Number, f.Of, f.Checkpoint.Tree.Short())
	case *history.Cycle:
		return strings.TrimSuffix(fmt.Sprintf("%s %s: %s ended with status %d: %s", f.Phase, f.Did, f.Test, f.Exit, f.Why), ": ")
	case *history.Budget:
		return fmt.Sprintf("%s: %d of %d tokens are used in session %d", f.Level, f.Used, f.Limit, f.Session)
	case *history.Differs:
		text := fmt.Sprintf("tree %s; attempt %d of step %s in run %s made %s of the same inputs", f.Tree.Short(), f.Attempt, f.Step, f.Run, f.Was.Short())
		if f.Refused {
			text += "; refused"
		}
		return strings.TrimSuffix(text+": "+strings.Join(f.Paths, ", "), ": ")
	case *history.TaskOver:
		text := fmt.Sprintf("task %s is %s: %s", f.Task, f.Status, f.Reason)
		if !f.Holds() {
			text += " (its record does not agree with itself)"
		}
		return strings.TrimSuffix(text, ": ")
	}
	return gistOfTask(fact)
}
