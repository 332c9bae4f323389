package guard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Case is what is decided about: all that a guard, a question or the decider
// may look at. It must not be changed. How the run is carried out, and who is
// there, stand in the policy and the roles of the run.
//
// Everything that a case says is a pure function of its fields, so that a live
// run, a resumed one and another machine decide the same.
type Case struct {
	*Contract
	Run  *history.Run
	Seen *Seen
	Step *history.Step // nil: the run as a whole
}

// About is the case of a step.
func (c *Case) About(s *history.Step) *Case {
	about := *c
	about.Step = s
	return &about
}

// Place is where the step stands in the plan.
func (c *Case) Place() (*plan.Task, *plan.Step) { return c.At(c.Step.Address) }

// Mode is the mode that holds for the step: see [history.Run.ModeOf].
func (c *Case) Mode() plan.Mode {
	_, step := c.Place()
	return c.Run.ModeOf(step, c.Run.Mode)
}

// Hears reports whether whoever would carry out the step again is told what
// went wrong. A shell command is not.
func (c *Case) Hears() bool {
	_, step := c.Place()
	return c.Tells(method.Approved(c.Run, step, c.Step, method.Current(c.Step)))
}

// Tells reports whether whoever carries out the step by a method is told
// anything besides it.
func (c *Case) Tells(m method.Method) bool {
	_, step := c.Place()
	return m.Prompt != "" || !slices.Contains(c.Run.Roles.Deaf, cmp.Or(m.Executor, step.By()))
}

// LeftBehind reports whether the latest attempt of a step changed something
// that restoring the tree does not undo: its executor said so, or the plan
// tracks it only.
func (c *Case) LeftBehind(s *history.Step) bool {
	last := s.Last()
	if last == nil {
		return false
	}
	if last.Said != nil && last.Said.Stateful {
		return true
	}
	return last.Accounted != nil && slices.ContainsFunc(last.Accounted.Changes, func(change ledger.Change) bool {
		return slices.ContainsFunc(c.Plan.Scope.Track,
			func(glob string) bool { return ledger.Match(glob, change.Path) })
	})
}

// Blocker is the step because of which the step cannot run, or nil: the first
// that is missing before it in its task, or in a task or speclet that its own
// depends on.
func (c *Case) Blocker() *history.Step {
	s := c.Step
	for _, other := range c.Run.NotCompleted() {
		if !other.Precedes(s) {
			break
		}
		if c.Misses(other) {
			return other
		}
	}
	return nil
}

// Misses reports whether the step waits for another one before it that is not
// completed.
func (c *Case) Misses(other *history.Step) bool {
	s := c.Step
	return (other.Task == s.Task || c.Needs(s.Task, other.Task)) && c.missing(other) || c.behind(other)
}

// behind reports whether another step is a checkpoint that nobody settled, and the
// step comes after it in the same plan of a phase: tasks of such a plan need not
// say that they wait for it.
func (c *Case) behind(other *history.Step) bool {
	if c.Run.Started.Format != plan.PhasePlan || other.Status != history.Blocked || other.Blocked.By != other.Address {
		return false
	}
	task := c.Task(other.Task)
	return task != nil && strings.HasPrefix(task.Kind, "checkpoint") && c.Speclet(other.Task) == c.Speclet(c.Step.Task)
}

// missing reports whether the step cannot do without another one that it needs:
// that is blocked or failed, also where a person left it out then. A critical
// one that was left out before it failed is missing to other tasks; its own goes
// on, which that person decided. What was settled is there. Where failures are
// lenient, nobody misses a step that is not critical.
func (c *Case) missing(other *history.Step) bool {
	switch {
	case other.Status == history.Blocked:
		return true
	case !other.Critical && c.Run.Policy.Lenient:
		return false
	case other.Status == history.Failed, other.FailedAndLeftOut():
		return true
	}
	return other.Critical && other.Task != c.Step.Task && other.Status == history.Skipped && !other.Skipped.Done
}

// Advised is the latest advice of a kind that was given before a task, or
// before any if task is ""; nil if there is none.
func (c *Case) Advised(task string, kind advice.Kind) *history.Advised {
	var latest *history.Advised
	for _, s := range c.Run.Advised() {
		for i := range s.Advised {
			a := &s.Advised[i]
			if a.Kind == string(kind) && a.Point == string(advice.Task) && (task == "" || s.Task == task) {
				latest = a
			}
		}
	}
	return latest
}

// Busy reports whether something is under way that must be brought to its end
// before the run can stop or change its ways.
func (c *Case) Busy() bool {
	return lane.Pending(c.Run) != nil || c.Run.Restoring != nil || lane.InFlight(c.Run)
}
