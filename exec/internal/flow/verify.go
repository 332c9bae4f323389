package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// verify looks whether what stands in the history about a task that ended
// agrees with the plan and with itself. It finds what a custom ladder, or an
// older version, left out; the controller's own runs hold.
func verify(p *plan.Plan, run *history.Run, t *plan.Task, steps []*history.Step) []history.TaskCheck {
	var checks []history.TaskCheck
	add := func(name string, found []string) {
		checks = append(checks, history.TaskCheck{Name: name, Holds: len(found) == 0, Found: found})
	}
	add(history.StepsOver, open(steps))
	add("ids", strangers(t, steps))
	add("propagation-decided", undecided(steps))
	add("failures-acknowledged", unacknowledged(run, steps))
	add("escalated", quiet(t, steps))
	add("strategy-followed", astray(p, run, steps))
	add("counters", miscounted(run))
	return checks
}

// open are the steps that are not over, also where the run ended before them.
func open(steps []*history.Step) (found []string) {
	for _, s := range steps {
		switch {
		case s.Status == history.Pending:
			found = append(found, fmt.Sprintf("step %s %s", s.Address, s.Lacks()))
		case !s.Status.Over():
			found = append(found, fmt.Sprintf("step %s is %s", s.Address, s.Status))
		}
	}
	return found
}

// strangers are steps that only the plan has, or only the history.
func strangers(t *plan.Task, steps []*history.Step) (found []string) {
	planned, ran := map[plan.Address]bool{}, map[plan.Address]bool{}
	for _, s := range steps {
		ran[s.Address] = true
	}
	for i := range t.Steps {
		a := t.Steps[i].Address
		planned[a] = true
		if !ran[a] {
			found = append(found, fmt.Sprintf("step %s of the plan is not in the history", a))
		}
	}
	for _, s := range steps {
		if !planned[s.Address] {
			found = append(found, fmt.Sprintf("step %s of the history is not in the plan", s.Address))
		}
	}
	return found
}

// undecided are steps that ran without it being said what earlier failures mean
// for them.
func undecided(steps []*history.Step) (found []string) {
	for _, s := range steps {
		if len(s.Attempts) > 0 && (s.Checkpoint == nil || s.Checkpoint.Decision == "" || s.Checkpoint.Strategy == "") {
			found = append(found, fmt.Sprintf("step %s ran, and nothing says what earlier failures meant for it",
				s.Address))
		}
	}
	return found
}

// unacknowledged are steps that began after one before them had failed, and do
// not name it.
func unacknowledged(run *history.Run, steps []*history.Step) (found []string) {
	for _, s := range steps {
		for _, prior := range failedBefore(run, s) {
			if s.Checkpoint.Concern == "" || !slices.Contains(s.Checkpoint.Prior, prior.Address) {
				found = append(found, fmt.Sprintf("step %s ran without acknowledging that %s failed", s.Address,
					prior.Address))
			}
		}
	}
	return found
}

// quiet are critical steps that failed without anybody being asked, though the
// plan does not say to block.
func quiet(t *plan.Task, steps []*history.Step) (found []string) {
	for _, s := range steps {
		if s.Status != history.Failed || !s.Critical || len(s.Questions) > 0 || s.Failed.Halts {
			continue
		}
		i := slices.IndexFunc(t.Steps, func(x plan.Step) bool { return x.Address == s.Address })
		if i < 0 || t.Steps[i].OnFailure != plan.Block {
			found = append(found, fmt.Sprintf("critical step %s failed and nobody was asked", s.Address))
		}
	}
	return found
}

// astray are failures of critical steps that did not end a run which was to halt,
// or behind which one went on that was to be reviewed, though nobody said that it
// should go on.
func astray(p *plan.Plan, run *history.Run, steps []*history.Step) (found []string) {
	for _, s := range steps {
		switch p.ErrorPropagation.Strategy {
		case "", plan.HaltOnCritical:
			if s.Status == history.Failed && s.Critical && !s.Failed.Halts && !s.ChosenLast(choice.Block) {
				found = append(found, fmt.Sprintf("critical step %s failed, and the run went on", s.Address))
			}
		case plan.CollaborativeReview:
			for _, prior := range failedBefore(run, s) {
				if prior.Critical && !choice.Reviewed(run, prior) {
					found = append(found, fmt.Sprintf("step %s ran, and nobody had reviewed that critical step %s failed",
						s.Address, prior.Address))
				}
			}
		}
	}
	return found
}

// failedBefore are the steps before one that had failed when it began.
func failedBefore(run *history.Run, s *history.Step) (failed []*history.Step) {
	if s.Checkpoint == nil {
		return nil
	}
	for _, prior := range run.NotCompleted() {
		if !prior.Precedes(s) {
			break
		}
		if prior.Status == history.Failed && prior.EndedAt < s.At {
			failed = append(failed, prior)
		}
	}
	return failed
}

// miscounted compares the number of failed steps in a row with the steps, in the
// order in which they ended. After a rollback the count begins again.
func miscounted(run *history.Run) []string {
	row := 0
	for _, s := range slices.Backward(run.Concluded()) {
		if s.Status == history.Completed {
			break
		}
		row++
	}
	if run.Consecutive == row || len(run.RolledBack) > 0 && run.Consecutive < row {
		return nil
	}
	return []string{fmt.Sprintf("%d steps failed in a row, and %d were counted", row, run.Consecutive)}
}

// Discrepancies are the checks of a task that do not agree, a line each.
func Discrepancies(over *history.TaskOver) []string {
	var lines []string
	for _, c := range over.Broken() {
		lines = append(lines, fmt.Sprintf("task %s: %s: %s", over.Task, c.Name, strings.Join(c.Found, "; ")))
	}
	return lines
}
