package tasks

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/briefing"
	"github.com/planlock/planlock/exec/internal/counsel"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
)

// Approvals are what reviewers decide about tasks before they begin.
type Approvals struct {
	*session.Session
	// Counsel has advice patch a task that was rejected.
	Counsel *counsel.Counsel
	// Reviewers decide, all of them about each draft.
	Reviewers review.Reviewers
	// Hints are what earlier runs taught, as the host has them.
	Hints []string
	// Ready are jobs that went well in earlier runs, as the host has them.
	Ready []history.ReadyJob
}

// Submit has the reviewers decide about the task of a step: a first draft of
// it, or one that advice has patched.
func (p *Approvals) Submit(ctx context.Context, s *history.Step, again bool) error {
	if again {
		return p.submitAgain(ctx, s, p.Rec.Run.Task(s.Task).Approval())
	}
	return p.review(ctx, s, &history.Approval{Task: s.Task})
}

// review asks the reviewers about a draft, and records what they decided.
// Whatever else belongs to it is recorded before, in the same batch.
//
// A reviewer may only look. One that changed the tree has rejected the draft,
// whatever it says, and what it changed is undone.
func (p *Approvals) review(ctx context.Context, s *history.Step, a *history.Approval, before ...history.Located) error {
	task, _ := p.Contract.At(s.Address)
	var err error
	if a.Ready, err = p.ready(ctx, task); err != nil {
		return err
	}
	shown := p.draft(s, a, before)
	reviews := p.Reviewers.Ask(ctx, shown)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	objections, jobs := review.Decide(reviews)
	chosen, unknown := review.Offered(reviews, shown.Ready)
	if objections = append(objections, unknown...); len(objections) == 0 && len(jobs) == 0 && chosen != "" {
		a.FromMemory = chosen
		jobs = a.ReadyJob().Jobs
	}
	if err := p.seat(ctx, s, a, jobs); err != nil {
		objections, jobs, a.FromMemory = append(objections, strings.TrimPrefix(err.Error(), "review: ")), nil, ""
	}
	a.Reviews, a.Reasons, a.Jobs = reviews, bound.First(objections, bound.Lines), jobs
	switch approved := len(objections) == 0; {
	case approved && a.Retry == 0:
		a.Status = history.Approved
	case approved:
		a.Status = history.ApprovedRetry
	case a.Retry >= recovery.Reflections:
		a.Status, a.Terminal = history.FailedRetry,
			fmt.Sprintf("the limit of %d retries is reached", recovery.Reflections)
	case p.Counsel.Advisor(advice.Reflection) == nil:
		a.Status, a.Terminal = history.Rejected, "nobody gives advice"
	default:
		a.Status = history.Rejected
	}
	p.Rec.Seen.Forget(disturbance.StrangersRan...)
	facts := append(before, history.Located{Fact: a})
	if undo, changed, err := p.Work.UntouchedBy(ctx, "while it was reviewed"); err != nil {
		return err
	} else if changed != nil {
		a.Status, a.Jobs, a.RunBy, a.Entries = history.Rejected, nil, "", nil
		a.FromMemory = ""
		a.Reasons, a.Terminal = append(a.Reasons, changed...), "a reviewer changed the tree"
		facts = append(facts, history.Located{Fact: undo})
	}
	return p.Rec.RecordAll(ctx, facts...)
}

// seat finds the step that carries out the jobs which reviewers propose, and what
// they begin with. An error says why they cannot be carried out.
func (p *Approvals) seat(ctx context.Context, s *history.Step, a *history.Approval, jobs []review.Job) error {
	a.RunBy, a.Entries = "", nil
	task, _ := p.Contract.At(s.Address)
	at := seatOf(task)
	if at < 0 || len(jobs) == 0 {
		return nil
	}
	if _, err := method.OfJobs(&task.Steps[at], jobs); err != nil {
		return err
	}
	tree, err := p.Work.Known(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(startable(jobs, at, tree), given(jobs, p.Plan.Sandbox.Env), agreed(jobs)); err != nil {
		return err
	}
	a.RunBy = task.Steps[at].Address
	for _, j := range jobs {
		if entry, ok := tree.Lookup(path.Clean(j.Entry)); ok && entry.Kind == ledger.File {
			a.Entries = append(a.Entries, history.ApprovedEntry{Path: path.Clean(j.Entry), Digest: entry.Digest})
		}
	}
	return nil
}

// submitAgain has a rejected draft patched by advice, and submits it anew, or
// says why nothing more is tried.
func (p *Approvals) submitAgain(ctx context.Context, s *history.Step, a *history.Approval) error {
	on, base := p.patchable(s), recovery.Primary
	if a.Patch != "" {
		on, base = p.Rec.Run.Step(a.Step), a.Patch // patches add up
	}
	rejected := &history.AttemptFailed{Class: history.Refused, Reasons: a.Reasons}
	said, made, err := p.Counsel.ReflectOn(ctx, on, rejected, advice.Approval, p.Method(on, base))
	if err != nil || session.Interrupted(ctx) {
		return err
	}
	facts := on.Where(0).Locate(said)
	if made != nil {
		facts = append(facts, history.Located{Where: on.Where(0), Fact: made})
	}
	if why := unfit(said, made); why != "" {
		given := &history.Approval{Task: a.Task, Status: history.FailedRetry, Retry: a.Retry, Reasons: a.Reasons,
			Attempt: attemptID(a.Task, p.decisions(a.Task)+1), Step: a.Step, Patch: a.Patch, Ready: a.Ready,
			Terminal: why}
		return p.Rec.RecordAll(ctx, append(facts, history.Located{Fact: given})...)
	}
	next := &history.Approval{Task: a.Task, Retry: a.Retry + 1, Step: on.Address, Patch: made.ID}
	return p.review(ctx, s, next, facts...)
}

// unfit says why advice cannot be acted on; "" if it can. The confidence that
// is needed is [advice.Threshold].
func unfit(said *history.Advised, made *history.Patched) string {
	switch {
	case said.Error != "":
		return "no advice: " + said.Error
	case made == nil && said.Confidence < advice.Threshold:
		return fmt.Sprintf("the advice changes nothing, and its confidence is %s, where %s is needed",
			advice.Hundredths(said.Confidence), advice.Hundredths(advice.Threshold))
	case said.Confidence < advice.Threshold:
		return fmt.Sprintf("the confidence of the advice is %s, and %s is needed", advice.Hundredths(said.Confidence),
			advice.Hundredths(advice.Threshold))
	case made == nil:
		return "the advice changes nothing"
	case made.Refused:
		return fmt.Sprintf("%s is refused: %s", made.ID, made.Why[0])
	}
	return ""
}

// patchable is the step of a task whose method a patch may change: the first
// that has one.
func (p *Approvals) patchable(s *history.Step) *history.Step {
	for _, other := range p.Rec.Run.Steps {
		if _, step := p.Contract.At(other.Address); other.Task == s.Task && other.Status == history.Pending &&
			(step.Run != "" || step.Prompt != "") {
			return other
		}
	}
	return s
}

// draft is what the reviewers are shown.
func (p *Approvals) draft(s *history.Step, a *history.Approval, before []history.Located) review.Request {
	task, _ := p.Contract.At(s.Address)
	a.Attempt = attemptID(task.ID, p.decisions(task.ID)+1)
	d := review.Request{About: review.AboutTask, Run: p.Rec.Run.Started.Run, Goal: p.Plan.Goal, Task: task.ID,
		Surfaces: p.Plan.PromisesOf(task),
		Title:    task.Title, Text: task.Description, Priority: task.Priority,
		Acceptance: task.AcceptanceCriteria, Retry: a.Retry, Attempt: a.Attempt, Patch: a.Patch,
		Hints: bound.First(slices.Concat(task.Hints, p.Hints), briefing.Most),
		Ready: offers(a.Ready),
		Dir:   p.Work.Dir, Runner: p.Runner(nil)}
	if last := p.Rec.Run.Task(task.ID).Approval(); last != nil {
		d.Feedback = last.Reasons
	}
	for i := range task.Steps {
		step := &task.Steps[i]
		m := p.Method(p.Rec.Run.Step(step.Address), recovery.Primary)
		for _, l := range before {
			if made, ok := l.Fact.(*history.Patched); ok && l.Where.Step == step.Address {
				m.ID, m.Run, m.Prompt = made.ID, made.Method.Run, made.Method.Prompt
			}
		}
		shown := d.AddStep(step)
		shown.Run, shown.Prompt, shown.Executor = m.Run, m.Prompt, m.Executor
		if m.ID != recovery.Primary {
			shown.Patch = m.ID
		}
	}
	return d
}

// decisions is how often decisions about a task were recorded, those that were
// undone too.
func (p *Approvals) decisions(task string) int {
	n := 0
	for i := range p.Rec.Run.Approvals {
		if p.Rec.Run.Approvals[i].Task == task {
			n++
		}
	}
	return n
}

func attemptID(task string, n int) string { return fmt.Sprintf("%s/approval#%d", task, n) }
