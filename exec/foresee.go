package exec

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
)

// foresee asks advisors before a task begins: once in a run how a plan that names a pattern fits it, and, for a task with
// research_enabled, what should be known. What they say stands in the history and decides nothing; where they have nothing to say, the run
// goes on without.
func (e *execution) foresee(ctx context.Context, s *history.Step) (asked bool, err error) {
	task, _ := e.step(s)
	_, patterned := advice.PatternOf(e.plan)
	switch {
	case patterned && e.heardBefore("", advice.Feasible) == nil:
		return true, e.consultBefore(ctx, s, advice.Feasible)
	case task.ResearchEnabled && e.heardBefore(task.ID, advice.Research) == nil:
		return true, e.consultBefore(ctx, s, advice.Research)
	}
	return false, nil
}

// heardBefore is the latest advice of a kind that was given before a task, or before any if task is ""; nil if there is none.
func (e *execution) heardBefore(task string, kind advice.Kind) *history.Advised {
	var latest *history.Advised
	for _, s := range e.run.Advised() {
		for i := range s.Advised {
			a := &s.Advised[i]
			if a.Kind == string(kind) && a.Point == string(advice.Task) && (task == "" || s.Task == task) {
				latest = a
			}
		}
	}
	return latest
}

// consultBefore asks an advisor about the task of a step that is about to begin, and records what it says.
func (e *execution) consultBefore(ctx context.Context, s *history.Step, kind advice.Kind) error {
	tree, err := e.known(ctx)
	if err != nil {
		return err
	}
	task, _ := e.step(s)
	shown := e.shown[s.Address]
	said, _ := e.hear(ctx, advice.Case{
		Kind: kind, Point: advice.Task, Run: e.run.Started.Run, Goal: e.plan.Goal, Task: shown.task, Step: shown.step,
		Criteria: task.AcceptanceCriteria, Plan: e.locked.Plan(), Files: filesOf(tree),
		Open: func(path string) (io.ReadCloser, error) { return openIn(e.dir, path) },
	})
	e.unsure()
	if interrupted(ctx) {
		return e.pause(ctx, "interrupted", context.Cause(ctx))
	}
	if err := e.record(ctx, of(s, 0), said); err != nil {
		return err
	}
	if said.Error != "" {
		e.warn(fmt.Sprintf("task %s begins without %s: %s", s.Task, kind, said.Error))
	}
	e.notify(e.c.Observer.Advised, Event{History: s, Advice: said, Text: string(kind), Err: adviceError(said)})
	return nil
}

// foundBefore is what research found before a task, as executors are told.
func (e *execution) foundBefore(task string) []string {
	a := e.heardBefore(task, advice.Research)
	if a == nil || a.Error != "" {
		return nil
	}
	var lines []string
	for _, f := range a.Findings {
		lines = append(lines, "research found: "+f)
	}
	return lines
}

// otherPatternsShown is how many other patterns a question about a failure names.
const otherPatternsShown = 2

// otherPatterns are the patterns that could serve instead of the plan's own, for whoever is asked about a failure.
func (e *execution) otherPatterns() []string {
	a := e.heardBefore("", advice.Feasible)
	if a == nil {
		return nil
	}
	var lines []string
	for _, x := range a.Alternatives[:min(len(a.Alternatives), otherPatternsShown)] {
		lines = append(lines, clip(fmt.Sprintf("another pattern (similarity %.2f): %s", x.Confidence, x.Description), stuckLine))
	}
	return lines
}
