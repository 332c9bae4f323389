package contract

import (
	"cmp"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Policy is how a run is carried out, as far as its plan leaves that open,
// and who is there.
type Policy struct {
	Ladder   recovery.Ladder
	Triggers modes.Triggers // where the plan has none
	// Compliance has tasks looked at before their first step.
	Compliance bool
	// Strategy is what the host wants; "" for what follows from the plan.
	Strategy history.Strategy
	// TokenBudget is what a session may use; 0 for no limit.
	TokenBudget int64
	// EvidenceWait is how long a server is given that may know later what it
	// does not know yet.
	EvidenceWait time.Duration

	Reviewers bool // somebody decides about tasks before their first step
	Evidence  bool // somebody looks for the evidence of tasks at their end
	Tracker   bool // among them a server
	Escalates bool // somebody can be asked
	// Silent are the kinds of advice that nobody gives.
	Silent []advice.Kind
	// Deaf are the names of executors that are not told why earlier attempts
	// failed; "" is the default one.
	Deaf []string
}

// PolicyOf is the policy of a run, with the rungs that it names. The ladder
// must be the one whose names it has.
func PolicyOf(run *history.Run, ladder recovery.Ladder) *Policy {
	p, r := &run.Policy, &run.Roles
	policy := &Policy{
		Ladder: ladder, Triggers: modes.Triggers(p.Triggers), Compliance: p.Compliance, Strategy: p.Strategy,
		TokenBudget: p.TokenBudget, EvidenceWait: p.EvidenceWait,
		Reviewers: len(r.Reviewers) > 0, Evidence: r.Evidence, Tracker: r.Tracker, Escalates: r.Escalator, Deaf: r.Deaf,
	}
	for _, kind := range advice.Kinds() {
		if !slices.Contains(r.Advisors, string(kind)) {
			policy.Silent = append(policy.Silent, kind)
		}
	}
	return policy
}

// Advises reports whether somebody gives advice of a kind.
func (p *Policy) Advises(kind advice.Kind) bool { return !slices.Contains(p.Silent, kind) }

// Pipeline reports whether tasks have last words: somebody reviews them, or
// looks for their evidence.
func (p *Policy) Pipeline() bool { return p.Reviewers || p.Evidence }

// A Case is what is decided about: all that a guard, a question or the decider
// may look at. It must not be changed.
type Case struct {
	*Contract
	*Policy
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
func (c *Case) Place() Place { return c.At(c.Step.Address) }

// Hears reports whether whoever would carry out the step again is told what
// went wrong. A shell command is not.
func (c *Case) Hears() bool {
	m := c.Method(c.Run, c.Step, method.Current(c.Step))
	return m.Prompt != "" || !slices.Contains(c.Deaf, cmp.Or(m.Executor, c.Place().Step.Executor))
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

// Blocker is the step because of which the step cannot run, or nil: a critical
// one that failed or was blocked, before it in its task, or in a task or
// speclet that its own depends on.
func (c *Case) Blocker() *history.Step {
	s := c.Step
	for _, other := range c.Run.NotCompleted() {
		if !other.Precedes(s) {
			break
		}
		if other.Status != history.Blocked && !(other.Status == history.Failed && other.Critical) {
			continue
		}
		if other.Task == s.Task || c.Needs(s.Task, other.Task) {
			return other
		}
	}
	return nil
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
	return Pending(c.Run) != nil || c.Run.Restoring != nil || InFlight(Current(c.Run))
}

// Chosen reports whether a question of a kind about the step was answered with
// a choice.
func Chosen(s *history.Step, kind ask.Kind, key string) bool {
	return slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
		return x.Question.Kind == kind && x.Answer != nil && x.Answer.Choice == key
	})
}

// ChosenLast reports whether the latest question about a step was answered with
// a choice.
func ChosenLast(s *history.Step, key string) bool {
	if len(s.Questions) == 0 {
		return false
	}
	a := s.Questions[len(s.Questions)-1].Answer
	return a != nil && a.Choice == key
}

// NextStep is the step that is under way, or the first that is not over; nil
// when none is left or a failure halted the run.
func (c *Case) NextStep() *history.Step {
	if s := Current(c.Run); s != nil {
		return s
	}
	if q := Pending(c.Run); q != nil && c.Run.Step(q.Step) != nil {
		return c.Run.Step(q.Step) // asked before it began
	}
	for _, s := range c.Run.NotCompleted() {
		if s.Failed != nil && s.Failed.Halts {
			return nil
		}
	}
	for _, s := range c.Run.Open() {
		if s.Status == history.Pending {
			return s
		}
	}
	return nil
}

// TaskOver reports whether nothing more happens to the steps of a task by
// itself.
func (c *Case) TaskOver(task *plan.Task) bool {
	return !slices.ContainsFunc(task.Steps, func(s plan.Step) bool { return !c.Run.Step(s.Address).Status.Over() })
}
