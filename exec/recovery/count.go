package recovery

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// No rung counts. How often one was used is read from the recoveries that stand
// in the history, and a counter that begins anew is one that is read from a
// later recovery on. A step that is completed ends all of its counters.

// since counts the uses of a rung since the last use of any of others; all uses
// where there are no others.
func since(s *history.Step, rung string, others ...string) int {
	n := 0
	for _, r := range s.Recoveries {
		switch {
		case r.Rung == rung:
			n++
		default:
			for _, other := range others {
				if r.Rung == other {
					n = 0
				}
			}
		}
	}
	return n
}

// inTask counts the uses of a rung in all steps of the situation's task.
func inTask(s Situation, rung string) int {
	if s.Run == nil || s.Run.Step(s.History.Address) == nil {
		return s.History.Rungs(rung)
	}
	n := 0
	for _, step := range s.Run.Steps {
		if step.Task == s.History.Task {
			n += step.Rungs(rung)
		}
	}
	return n
}

// current is the method that is to be tried again: the one of the latest
// attempt.
func current(s Situation) string {
	if last := s.History.Last(); last != nil {
		return last.Method.Method
	}
	return Primary
}

// unlawful says why nothing may be repeated, whatever failed; "" if it may.
func unlawful(s Situation) string {
	switch {
	case s.Step.Rollback == plan.Irreversible:
		return "the step cannot be undone"
	case s.Stateful:
		return "the executor changed something that restoring the tree does not undo"
	}
	return ""
}

// pass says why a rung has nothing to do.
func pass(why string) (Next, bool) { return Next{Why: why}, false }
