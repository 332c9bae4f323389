package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// tasksThatAreOver is the next thing that a task needs which is over: its
// evidence is looked for, and it gets its last word.
func tasksThatAreOver(c *guard.Case) []Wanted {
	if !c.Run.Roles.Pipeline() || lane.Current(c.Run) != nil {
		return nil
	}
	halted := lane.Next(c.Run) == nil
	for i := range c.Plan.Tasks {
		task := &c.Plan.Tasks[i]
		if len(task.Steps) > 0 && c.Run.Task(task.ID).Outcome() == nil && (halted || taskOver(c.Run, task)) {
			return conclude(c, task)
		}
	}
	return nil
}

// taskOver reports whether nothing more happens to the steps of a task by
// itself.
func taskOver(run *history.Run, task *plan.Task) bool {
	return !slices.ContainsFunc(task.Steps, func(s plan.Step) bool { return !run.Step(s.Address).Status.Over() })
}

// conclude is what a task still needs whose steps are over: a look for its
// evidence, a retry, or its last word.
func conclude(c *guard.Case, task *plan.Task) []Wanted {
	of := c.Run.Task(task.ID)
	if !c.Run.Roles.Evidence || !of.Execution().Succeeded() {
		return lastWord(c, task)
	}
	seen, retry := of.Evidence(), of.EvidenceRetry()
	switch {
	case seen == nil:
		return verify(c, Verify{Task: task.ID})
	case !seen.Lacks():
	case retry != nil && retry.Terminal != "":
	case retry != nil && retry.Retry > seen.Retry:
		if retry.After > 0 && !c.Seen.Holds(guard.Due) {
			return one(Wait{Since: retry.At, For: retry.After})
		}
		return verify(c, Verify{Task: task.ID, Retry: retry.Retry, Action: retry.Action})
	case seen.Retry < recovery.Reflections && slices.Contains(c.Run.Roles.Advisors, string(advice.Reflection)):
		return one(Repair{Task: task.ID})
	}
	return lastWord(c, task)
}

// verify looks for evidence in a tree that is known to be the run's.
func verify(c *guard.Case, v Verify) []Wanted {
	for _, o := range []guard.Observation{guard.Bindings, guard.Tree} {
		if !c.Seen.Holds(o) {
			return one(Look{What: o})
		}
	}
	return one(v)
}

// lastWord is what a task came to.
func lastWord(c *guard.Case, task *plan.Task) []Wanted {
	of := c.Run.Task(task.ID)
	o := of.Conclude()
	if a := of.Approval(); a != nil && !a.Status.Runs() {
		o.Reason += because(a)
	}
	if seen := of.Evidence(); seen != nil && seen.Lacks() && o.Status != history.Completed {
		o.Reason += ": " + lacks(c, seen)
	}
	if r := of.EvidenceRetry(); o.Status != history.Completed && r != nil && r.Terminal != "" {
		o.Reason += "; nothing more was tried: " + r.Terminal
	}
	runs, _ := of.Named()
	_, artifacts := Claimed(c.Run, task)
	artifacts = slices.DeleteFunc(artifacts, func(name string) bool { return !left(of, name) })
	o.Runs, o.Artifacts = bound.First(runs, bound.Lines), bound.First(artifacts, bound.Lines)
	return one(Record{Facts: history.Where{}.Locate(o)})
}

// left reports whether a task left an artifact that is claimed for it: nothing that
// was looked for in vain, or may have been where the journal does not list all that
// was, and of a task that failed nothing at all.
func left(of history.Task, name string) bool {
	if !of.Execution().Succeeded() {
		return false
	}
	seen := of.Evidence()
	return seen == nil || seen.Lost == 0 && !slices.ContainsFunc(seen.Items, func(i evidence.Item) bool {
		return i.Kind == evidence.File && i.Name == name && i.State != evidence.Found
	})
}

// because is why reviewers did not approve a task, as the end of a sentence, and
// why nothing more was tried.
func because(a *history.Approval) string {
	text := ""
	if len(a.Reasons) > 0 {
		text = ": " + bound.Text(strings.Join(bound.First(a.Reasons, lacksShown), "; "), bound.Line)
	}
	if a.Terminal != "" {
		text += "; nothing more was tried: " + bound.Text(a.Terminal, bound.Short)
	}
	return text
}

// lacksShown is how much of the evidence that is missing the last word about a
// task names; the journal has all of it.
const lacksShown = 3

// lacks says of what type a task is, which evidence it lacks, and the ways out
// that a person would not guess.
func lacks(c *guard.Case, seen *history.Evidence) string {
	var missing []string // the first, and what stands for the others
	run := false
	for _, i := range seen.Items {
		if i.State == evidence.Found {
			continue
		}
		run = run || i.Kind == evidence.Run
		what := string(i.Kind)
		if i.Name != "" {
			what += fmt.Sprintf(" %q", i.Name)
		}
		missing = append(missing, what+": "+bound.Text(i.Why, bound.Short))
	}
	if all := seen.Missing(); all > lacksShown {
		missing = append(missing[:lacksShown], fmt.Sprintf("and %d more", all-lacksShown))
	}
	text := fmt.Sprintf("it counts as %s, and lacks %s", seen.Kind, strings.Join(missing, "; "))
	if run && seen.Kind == evidence.Experimental {
		text += "; if it is no experiment, name it as documentation (docs/pipeline.md lists the words)"
		if !c.Run.Roles.Tracker {
			text += "; if it is one, give a tracker (--tracker, or Policy.Tracker) and have its job print MLFLOW_RUN_ID=…"
		}
	}
	return text
}

// Claimed is what is said about a task, by its plan, its reviewers, and the jobs
// of its completed steps: the ids of runs, and the paths of artifacts.
func Claimed(run *history.Run, task *plan.Task) (runs, artifacts []string) {
	add := func(to *[]string, names ...string) {
		for _, name := range names {
			if !slices.Contains(*to, name) {
				*to = append(*to, name)
			}
		}
	}
	if run.Started.Format == plan.PendingActions { // elsewhere what a task names is what it may change
		add(&artifacts, task.Expected()...)
	}
	if a := run.Task(task.ID).Approval(); a != nil {
		for _, job := range a.Jobs {
			add(&artifacts, job.Artifacts...)
		}
	}
	for i := range task.Steps {
		s := run.Step(task.Steps[i].Address)
		if s.Status != history.Completed {
			continue
		}
		add(&artifacts, task.Steps[i].Expected()...)
		claimedRuns, claimed := s.Claimed()
		add(&runs, claimedRuns...)
		add(&artifacts, claimed...)
	}
	return runs, artifacts
}
