package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// How deep approaches are compared.
const (
	depthBrief    = "brief"    // the weightiest point for and against each
	depthModerate = "moderate" // all points, and what is run
	depthDetailed = "detailed" // all of it, with the step's whole contract
)

// teaching is the situation of a step, the approaches that its plan has, and
// which of them is recommended.
func teaching(c *guard.Case, how course) *ask.Teaching {
	s := c.Step
	task, step := c.Place()
	t := &ask.Teaching{Depth: how.depth, Recommended: recovery.Primary,
		Situation: fmt.Sprintf("%s comes next, in task %s (%s). The goal: %s", title(s), task.ID,
			bound.FirstLine(cmp.Or(task.Title, task.Description)), c.Plan.Goal)}
	t.Recommended, t.Rationale = recommended(c, step)
	t.Approaches = append(t.Approaches, primaryApproach(c, step))
	for _, b := range step.Backups {
		t.Approaches = append(t.Approaches, backupApproach(c, step, b))
	}
	if !how.alternatives {
		t.Approaches = slices.DeleteFunc(t.Approaches, func(a ask.Approach) bool { return a.Method != t.Recommended })
	}
	if !how.rationale {
		t.Rationale = ""
	}
	for i := range t.Approaches {
		t.Approaches[i].Key = string(rune('A' + i%26))
		deepen(&t.Approaches[i], step, how.depth)
	}
	return t
}

// recommended is the primary method, unless the same backup has done the work
// of primary methods of late.
func recommended(c *guard.Case, step *plan.Step) (method, why string) {
	for _, m := range modes.For(c.Plan, modes.Triggers(c.Run.Policy.Triggers)).MeasureRun(c.Run, nil) {
		if m.Condition != modes.SameBackup || !m.Fired {
			continue
		}
		for _, b := range step.Backups {
			if strings.Contains(m.Recommendation, recovery.BackupName(b)+" "+b.Description) {
				return recovery.BackupName(b), m.String() + ", so it is likely to work here too"
			}
		}
	}
	why = "it is what the plan was approved with"
	if len(step.Backups) > 0 {
		why += fmt.Sprintf("; should it fail, %d other %s left", len(step.Backups),
			map[bool]string{true: "way is", false: "ways are"}[len(step.Backups) == 1])
	}
	return recovery.Primary, why
}

// primaryApproach describes the way of the plan. What speaks for it and against
// it is what the run has shown so far, not an opinion.
func primaryApproach(c *guard.Case, step *plan.Step) ask.Approach {
	a := ask.Approach{Method: recovery.Primary, Description: cmp.Or(bound.FirstLine(step.Prompt), step.Description),
		Pros: []string{"it is the way that the plan was checked and approved with"}}
	a.Details = example(a.Description, step.Run, step.Prompt)
	if done, tried := usesOf(c.Run, recovery.Primary, ""); tried > 0 {
		point := fmt.Sprintf("primary methods succeeded in %d of %d steps so far", done, tried)
		if 2*done >= tried {
			a.Pros = append(a.Pros, point)
		} else {
			a.Cons = append(a.Cons, point)
		}
	}
	a.Cons = append(a.Cons, risks(step)...)
	if len(step.Backups) == 0 {
		a.Cons = append(a.Cons, "there is no other way, should it fail")
	}
	if len(a.Cons) == 0 && len(step.Postconditions) == 0 && step.Expect == nil {
		a.Cons = []string{"the step has no check of its own that would show that it went wrong"}
	}
	if len(a.Cons) == 0 {
		untried := "it has not been tried on this step"
		if c.Run.Started.From != nil {
			untried = "it has not been tried on this step in this run; what became of it before stands in the run that this one finishes"
		}
		a.Cons = []string{untried}
	}
	return a
}

// backupApproach describes another way, by what the plan says of it and what it
// did in this run.
func backupApproach(c *guard.Case, step *plan.Step, b plan.Backup) ask.Approach {
	a := ask.Approach{Method: recovery.BackupName(b), Description: b.Description,
		Details: example(b.Description, b.Run, b.Prompt)}
	if b.TriggerCondition != "" {
		a.Pros = append(a.Pros, "it is meant for: "+b.TriggerCondition)
	}
	if tool := cmp.Or(b.ToolPath, b.Tool); tool != "" {
		a.Pros = append(a.Pros, "it uses a tool: "+tool)
	}
	if done, tried := usesOf(c.Run, a.Method, b.Description); tried > 0 {
		point := fmt.Sprintf("it succeeded in %d of %d steps so far", done, tried)
		if 2*done >= tried {
			a.Pros = append(a.Pros, point)
		} else {
			a.Cons = append(a.Cons, point)
		}
	}
	if len(a.Pros) == 0 {
		a.Pros = []string{"it is a different way, which may work where the first one does not"}
	}
	a.Cons = append(append(a.Cons, "the plan prefers the primary method"), risks(step)...)
	return a
}

// usesOf counts the steps so far in which a method was tried, and those that it
// completed. Of a backup the description must be the same; an empty one stands
// for any.
func usesOf(run *history.Run, method, description string) (done, tried int) {
	for _, s := range run.Steps {
		used := slices.ContainsFunc(s.Attempts, func(a *history.Attempt) bool {
			return a.Method.Method == method && (description == "" || a.Method.Text == description)
		})
		if used && s.Status.Over() {
			tried++
			if s.Completed != nil && s.Completed.Method == method {
				done++
			}
		}
	}
	return done, tried
}

// risks are what can go wrong with any approach: what the step may touch, what
// it does to behaviour, and whether it can be undone.
func risks(step *plan.Step) []string {
	var list []string
	switch step.Rollback {
	case plan.Irreversible:
		list = append(list, "it cannot be undone")
	case plan.Compensatable:
		list = append(list, "what it does outside of the workspace is undone by a command of its own")
	}
	switch step.SemanticChange {
	case plan.Modifying:
		list = append(list, "something behaves otherwise afterwards")
	case plan.Breaking:
		list = append(list, "it breaks who relies on what it changes")
	}
	if a := step.Artifacts; a != nil {
		if n := len(a.Modify) + len(a.Delete); n > 0 {
			list = append(list, fmt.Sprintf("it changes or deletes what is there: %s",
				strings.Join(bound.First(slices.Concat(a.Modify, a.Delete), 5), ", ")))
		}
	}
	return list
}

// example is what an approach runs, where its description does not say it.
func example(description, run, prompt string) []string {
	switch {
	case run != "":
		return []string{"runs: " + run}
	case prompt != "" && prompt != description:
		return []string{"asks an agent: " + prompt}
	}
	return nil
}

// deepen cuts an approach to the depth of the comparison, or adds to it.
func deepen(a *ask.Approach, step *plan.Step, depth string) {
	switch depth {
	case depthBrief:
		a.Pros, a.Cons, a.Details = a.Pros[:min(1, len(a.Pros))], a.Cons[:min(1, len(a.Cons))], nil
	case depthDetailed:
		a.Details = append(a.Details, promises(step)...)
	}
}

// promises are what a step is bound to, in lines.
func promises(step *plan.Step) []string {
	var lines []string
	if d := step.Artifacts; d != nil {
		for _, part := range []struct {
			what  string
			paths []string
		}{{"creates", d.Create}, {"modifies", d.Modify}, {"deletes", d.Delete}} {
			if len(part.paths) > 0 {
				lines = append(lines, part.what+": "+strings.Join(bound.First(part.paths, 10), ", "))
			}
		}
	}
	if l := step.Limits; l != nil && l.MaxFiles != nil {
		lines = append(lines, fmt.Sprintf("files: at most %d", *l.MaxFiles))
	}
	if l := step.Limits; l != nil && l.MaxLines != nil {
		lines = append(lines, fmt.Sprintf("lines: at most %d", *l.MaxLines))
	}
	if step.ExpectedOutput != "" {
		lines = append(lines, "expected: "+step.ExpectedOutput)
	}
	for _, c := range step.Postconditions {
		lines = append(lines, "must hold afterwards: "+checkText(c))
	}
	return lines
}

// checkText is a check of the plan in one line.
func checkText(c plan.Check) string {
	parts := []string{c.Kind}
	for _, part := range []string{c.Path, c.Text, c.Matches, c.Run, c.Symbol, c.Package} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// explained is what is said to who wants to know more about a step.
func explained(c *guard.Case) []string {
	_, step := c.Place()
	var lines []string
	for _, r := range c.Plan.Requirements {
		if slices.Contains(step.Requirements, r.ID) {
			lines = append(lines, fmt.Sprintf("it serves %s: %s", r.ID, r.Text))
		}
	}
	lines = append(lines, promises(step)...)
	for _, promise := range c.Plan.Promises(step) {
		lines = append(lines, "promises, "+promise)
	}
	for _, c := range step.Preconditions {
		lines = append(lines, "must hold before: "+checkText(c))
	}
	for _, i := range c.Plan.Invariants {
		lines = append(lines, fmt.Sprintf("must hold all the time, %s: %s", i.ID, i.Text))
	}
	for _, n := range c.Plan.NonGoals {
		lines = append(lines, fmt.Sprintf("must be left alone, %s: %s", n.ID, n.Text))
	}
	return bound.First(append(lines, whenItFails(step)), 60)
}

// whenItFails says what the plan has for a step that fails, and how it is undone.
func whenItFails(step *plan.Step) string {
	weight := "it is critical"
	if !step.IsCritical() {
		weight = "it is not critical"
	}
	return fmt.Sprintf("%s; on failure: %s; rollback: %s", weight,
		cmp.Or(string(step.OnFailure), "what the policy of the run allows"), cmp.Or(step.Rollback, plan.Reversible))
}
