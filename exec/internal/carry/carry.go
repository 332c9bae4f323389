package carry

import (
	"fmt"
	"path"
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/briefing"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Case is a run that begins, and the one that it finishes.
type Case struct {
	Now   *guard.Contract
	Order []plan.Address // of the steps of the run that begins
	Was   *guard.Contract
	Run   *history.Run // that has ended
	// Changed is what somebody did in the workspace since, which holds Tree now.
	Changed []ledger.Change
	Tree    *ledger.Tree
}

// An Anew is a step that was accepted and is carried out once more.
type Anew struct {
	Step plan.Address
	Why  string
	// Was is what the step would have been taken over with.
	Was *history.StepCarried
}

func (a Anew) String() string { return fmt.Sprintf("%s: %s", a.Step, a.Why) }

// Over are the facts that take steps over, in the order of execution, and the
// accepted steps that are carried out once more.
func (c *Case) Over() (facts []history.Located, anew []Anew) {
	var left []plan.Address // steps that are not taken over
	standings, owes := c.Run.Standings(), c.owing()
	for _, a := range c.Order {
		fact, why := c.Run.Carry(a, standings), ""
		if fact != nil {
			if why = c.against(a, left); why == "" {
				why = owes[a]
			}
		}
		if why != "" {
			if stays := c.Run.Step(a).Outlives(); stays != "" {
				why += "; " + stays
			}
			anew = append(anew, Anew{a, why, fact})
		}
		if fact == nil || why != "" {
			left = append(left, a)
			continue
		}
		if fact.Run == c.Run.Started.Run {
			fact.Answers = bound.First(briefing.Answers(c.Run.Step(a)), bound.Lines)
		}
		if met := meets(c.Changed, fact.Accounted); met != "" && fact.Basis != history.Unverified {
			fact.Basis = history.Unverified
			fact.Why = fmt.Sprintf("%s was changed since, and nobody looked at it again", met)
		}
		facts = append(facts, history.Where{Step: a}.Locate(fact)...)
	}
	return facts, anew
}

// against is why a step that was accepted is carried out once more; "" if it is
// not. left are the steps before it that are not taken over.
func (c *Case) against(a plan.Address, left []plan.Address) string {
	if contract(c.Now, a) != contract(c.Was, a) {
		return "the plan says something else of it than it did"
	}
	task, step := c.Now.At(a)
	for _, other := range left {
		if in, _ := c.Now.At(other); in == task || c.Now.Needs(task.ID, in.ID) {
			return fmt.Sprintf("it needs %s, which is carried out", other)
		}
	}
	if step.Access == nil || len(c.Changed) == 0 {
		return ""
	}
	read := c.Tree.Behind(step.Access.Reads)
	for _, change := range c.Changed {
		for _, glob := range read {
			if ledger.Match(glob, change.Path) {
				return fmt.Sprintf("%s was changed since, which it reads", ledger.Quote(change.Path))
			}
		}
	}
	return ""
}

// owing says of each step that a postcondition of it did not hold at the end, or
// that it left none of the evidence which its task lacks. A server may know by
// now what it did not know then, and what somebody put there since is looked
// at: nothing is carried out again for those. What cannot be undone is not done
// twice for evidence: see final.
func (c *Case) owing() map[plan.Address]string {
	why := map[plan.Address]string{}
	for a, check := range c.Run.Fallen() {
		why[a] = fmt.Sprintf("%s held after it, and did not hold at the end", bound.Text(check, bound.Short))
	}
	for i := range c.Was.Plan.Tasks {
		task := &c.Was.Plan.Tasks[i]
		seen := c.Run.Task(task.ID).Evidence()
		if seen == nil || !seen.Lacks() {
			continue
		}
		for _, item := range seen.Items {
			if item.State == evidence.Found || item.OnServer() || c.put(item.Name) {
				continue
			}
			on := c.Run.Producer(task, item)
			if on != nil && !c.final(on) && why[on.Address] == "" {
				why[on.Address] = fmt.Sprintf("it left no evidence of task %s: %s",
					task.ID, bound.Text(item.Why, bound.Short))
			}
		}
	}
	return why
}

// final reports whether a step is not to be done twice: it cannot be undone, or
// one that was done and needs it cannot.
func (c *Case) final(on *history.Step) bool {
	of, _ := c.Was.At(on.Address)
	return slices.ContainsFunc(c.Run.Steps, func(s *history.Step) bool {
		in, _ := c.Was.At(s.Address)
		return s.Rollback == plan.Irreversible && s.Status == history.Completed &&
			(s == on || in == of && on.Precedes(s) || c.Was.Needs(in.ID, of.ID))
	})
}

// put reports whether somebody made or changed a path since.
func (c *Case) put(name string) bool {
	return slices.ContainsFunc(c.Changed, func(change ledger.Change) bool {
		return change.After != nil && change.Path == path.Clean(name)
	})
}

// contract is the digest of what a plan says of a step: all that its attempts
// are held to, but for what other steps are.
func contract(c *guard.Contract, a plan.Address) ledger.Digest {
	task, step := c.At(a)
	if step == nil {
		return ""
	}
	alone := *task
	alone.DependsOn, alone.Steps = nil, []plan.Step{*step}
	return (&plan.Plan{Profile: c.Plan.Profile, NonGoals: c.Plan.NonGoals, Tasks: []plan.Task{alone}}).Digest()
}

// meets is the first path that was changed since a step had changed it, quoted;
// "" where there is none.
func meets(changed []ledger.Change, by *history.Accounted) string {
	if by == nil {
		return ""
	}
	for _, c := range changed {
		if slices.ContainsFunc(by.Changes, func(of ledger.Change) bool {
			return of.Path == c.Path && of.Kind() != ledger.Dir
		}) {
			return ledger.Quote(c.Path)
		}
	}
	return ""
}
