package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/approval"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Reviewer looks at a task before its first step; see package gate/approval.
type Reviewer = approval.Reviewer

// submit has the reviewers decide about the task of a step, before the first of
// its steps. It reports whether it did something, so that the step waits; the
// steps of a task that was not approved are left out.
func (e *execution) submit(ctx context.Context, s *history.Step) (bool, error) {
	if len(e.c.Reviewers) == 0 {
		return false, nil
	}
	a := e.run.Approval(s.Task)
	switch {
	case a == nil:
		return true, e.review(ctx, s, &history.Approval{Task: s.Task})
	case a.Status.Runs():
		return false, nil
	case a.Open():
		return true, e.submitAgain(ctx, s, a)
	}
	why := fmt.Sprintf("task %s is %s: %s", s.Task, a.Status, firstReason(a))
	return true, e.leaveOut(ctx, s, &history.StepSkipped{Why: why, By: "the reviewers"})
}

// firstReason says why a task was not approved.
func firstReason(a *history.Approval) string {
	if len(a.Reasons) == 0 {
		return a.Terminal
	}
	return a.Reasons[0]
}

// review asks the reviewers about a draft, and records what they decided.
// Whatever else belongs to it is recorded before, in the same batch.
func (e *execution) review(ctx context.Context, s *history.Step, a *history.Approval, before ...located) error {
	reviews := approval.Ask(ctx, e.c.Reviewers, e.draft(s, a, before))
	if interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	d := approval.Decide(reviews)
	a.Reviews, a.Reasons, a.Jobs = reviews, firstOf(d.Reasons, listed), d.Jobs
	switch {
	case d.Approved && a.Retry == 0:
		a.Status = history.Approved
	case d.Approved:
		a.Status = history.ApprovedRetry
	case a.Retry >= recovery.Reflections:
		a.Status, a.Terminal = history.FailedRetry, fmt.Sprintf("the limit of %d retries is reached", recovery.Reflections)
	case e.c.Advisors.of(advice.Reflection) == nil:
		a.Status, a.Terminal = history.Rejected, "nobody gives advice"
	default:
		a.Status = history.Rejected
	}
	e.unsure()
	facts := append(before, located{fact: a})
	if undo, changed, err := e.untouchedBy(ctx, "while it was reviewed"); err != nil {
		return err
	} else if changed != nil {
		a.Status, a.Jobs = history.Rejected, nil
		a.Reasons, a.Terminal = append(a.Reasons, changed...), "a reviewer changed the tree"
		facts = append(facts, located{fact: undo})
	}
	return e.recordAll(ctx, facts...)
}

// submitAgain has a rejected draft patched by advice, and submits it anew, or
// says why nothing more is tried.
func (e *execution) submitAgain(ctx context.Context, s *history.Step, a *history.Approval) error {
	on, base := e.patchable(s), recovery.Primary
	if a.Patch != "" {
		on, base = e.run.Step(a.Step), a.Patch // patches add up
	}
	rejected := &history.AttemptFailed{Class: history.Refused, Reasons: a.Reasons}
	said, made, err := e.reflectOn(ctx, on, rejected, advice.Approval, e.method(on, base))
	if err != nil || interrupted(ctx) {
		return err
	}
	facts := []located{{of(on, 0), said}}
	if made != nil {
		facts = append(facts, located{of(on, 0), made})
	}
	if why := unfit(said, made); why != "" {
		given := &history.Approval{Task: a.Task, Status: history.FailedRetry, Retry: a.Retry, Reasons: a.Reasons,
			Attempt: attemptID(a.Task, e.decisions(a.Task)+1), Step: a.Step, Patch: a.Patch, Terminal: why}
		return e.recordAll(ctx, append(facts, located{fact: given})...)
	}
	next := &history.Approval{Task: a.Task, Retry: a.Retry + 1, Step: on.Address, Patch: made.ID}
	return e.review(ctx, s, next, facts...)
}

// unfit says why advice cannot be acted on; "" if it can. The confidence that is needed is [advice.Threshold].
func unfit(said *history.Advised, made *history.Patched) string {
	switch {
	case said.Error != "":
		return "no advice: " + said.Error
	case said.Confidence < advice.Threshold:
		return fmt.Sprintf("the confidence of the advice is %.2f, and %.2f is needed", said.Confidence, advice.Threshold)
	case made == nil:
		return "the advice changes nothing"
	case made.Refused:
		return fmt.Sprintf("%s is refused: %s", made.ID, made.Why[0])
	}
	return ""
}

// patchable is the step of a task whose method a patch may change: the first that has one.
func (e *execution) patchable(s *history.Step) *history.Step {
	for _, other := range e.run.Steps {
		if _, step := e.step(other); other.Task == s.Task && other.Status == history.Pending && (step.Run != "" || step.Prompt != "") {
			return other
		}
	}
	return s
}

// draft is what the reviewers are shown.
func (e *execution) draft(s *history.Step, a *history.Approval, before []located) approval.Draft {
	task, _ := e.step(s)
	a.Attempt = attemptID(task.ID, e.decisions(task.ID)+1)
	d := approval.Draft{Run: e.run.Started.Run, Goal: e.plan.Goal, Task: task.ID, Title: task.Title, Text: task.Description,
		Priority: task.Priority, Acceptance: slices.Clone(task.AcceptanceCriteria), Retry: a.Retry, Attempt: a.Attempt, Patch: a.Patch,
		Dir: e.dir, Runner: e.runner(nil)}
	if last := e.run.Approval(task.ID); last != nil {
		d.Feedback = slices.Clone(last.Reasons)
	}
	for i := range task.Steps {
		step := &task.Steps[i]
		m := e.method(e.run.Step(step.Address), recovery.Primary)
		for _, l := range before {
			if p, ok := l.fact.(*history.Patched); ok && l.where.Step == step.Address {
				m.ID, m.Run, m.Prompt = p.ID, p.Method.Run, p.Method.Prompt
			}
		}
		shown := approval.Step{Address: string(step.Address), Description: step.Description, Run: m.Run, Prompt: m.Prompt,
			Executor: m.Executor, Artifacts: expected(step)}
		if m.ID != recovery.Primary {
			shown.Patch = m.ID
		}
		d.Steps = append(d.Steps, shown)
	}
	return d
}

// expected are the paths that a step promises to leave behind.
func expected(step *plan.Step) []string {
	var paths []string
	if step.Artifacts != nil {
		paths = slices.Concat(step.Artifacts.Create, step.Artifacts.Modify)
	}
	paths = append(paths, step.Evidence...)
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), isGlob)
}

// decisions is how often decisions about a task were recorded, those that were undone too.
func (e *execution) decisions(task string) int {
	n := 0
	for i := range e.run.Approvals {
		if e.run.Approvals[i].Task == task {
			n++
		}
	}
	return n
}

func attemptID(task string, n int) string { return fmt.Sprintf("%s/approval#%d", task, n) }

// approvedPatch is the patch in whose form a step was approved, or nil.
func (e *execution) approvedPatch(s *history.Step) *history.Patched {
	if a := e.run.Approval(s.Task); a != nil && a.Status == history.ApprovedRetry && a.Step == s.Address {
		return s.Patch(a.Patch)
	}
	return nil
}

// A located fact knows where it belongs.
type located struct {
	where history.Where
	fact  history.Fact
}

// recordAll makes facts durable that belong to several places, all or none.
func (e *execution) recordAll(ctx context.Context, facts ...located) error {
	batch, plain := make([]checkpoint.Fact, len(facts)), make([]history.Fact, len(facts))
	for i, l := range facts {
		var err error
		if batch[i], err = history.Encode(l.where, l.fact); err != nil {
			return err
		}
		plain[i] = l.fact
	}
	return e.add(ctx, e.journal.Append, plain, batch...)
}

// untouchedBy makes sure that somebody who may only look changed nothing. What
// changed is named, and undone by the restore that is to be recorded.
func (e *execution) untouchedBy(ctx context.Context, when string) (*history.RestoreBegun, []string, error) {
	now, err := e.scanner.Scan(context.WithoutCancel(ctx), e.dir, e.tree)
	if err != nil {
		return nil, nil, err
	}
	if now.Digest() == e.run.Tree.Tree || e.tree == nil {
		return nil, nil, nil
	}
	lines := []string{"the tree changed " + when}
	for _, change := range ledger.Diff(e.tree, now) {
		lines = append(lines, change.String())
	}
	return &history.RestoreBegun{To: e.run.Tree}, firstOf(lines, listed), nil
}
