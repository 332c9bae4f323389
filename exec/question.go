package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// afterDeadline is how long an escalator may look for an answer that came in
// time, when the deadline has passed already.
const afterDeadline = time.Second

// mistakes is how many answers to one question may not count before nobody is
// asked any more.
const mistakes = 3

// reasonKept is how much of what a person says freely stands in the journal, in bytes.
const reasonKept = 64 << 10

func title(s *history.Step) string { return fmt.Sprintf("%s (%s)", s.Address, s.Title) }

// question makes an escalation about a step.
func (e *execution) question(s *history.Step, kind ask.Kind, what, why string, evidence []string, choices ...ask.Choice) ask.Question {
	now := e.c.now().UTC()
	q := ask.Question{
		ID: fmt.Sprintf("q%d", e.run.Asked+1), Run: e.run.Started.Run, Step: s.Address, Attempt: s.Tried(),
		Kind: kind, What: what, Why: why, Evidence: evidence, Choices: choices, Asked: now,
	}
	if e.c.Patience > 0 {
		q.Deadline = now.Add(e.c.Patience)
	}
	return q
}

// ask puts a question, durably, and acts on what comes of it.
func (e *execution) ask(ctx context.Context, s *history.Step, q ask.Question) error {
	if err := e.record(ctx, of(s, s.Tried()), &history.Asked{Question: q}); err != nil {
		return err
	}
	return e.askAgain(ctx, s)
}

// askAgain puts the question that is open.
func (e *execution) askAgain(ctx context.Context, s *history.Step) error {
	q := *e.run.Pending()
	if q.Kind == ask.Obsolete || q.Kind == ask.Rollback {
		if err := e.withdraw(ctx); err != nil {
			return err
		}
	}
	e.notify(e.c.Observer.Asked, Event{History: s, Question: &q})
	e.unsure() // whoever answers may have looked at the tree, and touched it
	var err error
	for range mistakes {
		var a ask.Answer
		if a, err = e.consult(ctx, q); err != nil {
			break
		}
		if err = q.Check(a); err == nil {
			return e.settle(ctx, s, q, a)
		}
		if err := e.record(ctx, of(s, q.Attempt), &history.Unanswered{Question: q.ID, Why: clip(err.Error(), longest)}); err != nil {
			return err
		}
	}
	var mistaken *ask.RefusedError
	switch {
	case errors.Is(err, ask.ErrWaiting):
		return e.pause(ctx, "waiting", fmt.Errorf("%w for an answer to question %s: %s", ErrWaiting, q.ID, q.What))
	case interrupted(ctx):
		return e.pause(ctx, "interrupted", context.Cause(ctx))
	case errors.Is(err, ask.ErrNoAnswer), errors.As(err, &mistaken), !q.Deadline.IsZero() && !e.c.now().Before(q.Deadline):
		return e.refuse(ctx, s, q, err)
	}
	// Nobody refused: the way to whoever answers is broken.
	return e.pause(ctx, "question "+q.ID+" could not be put", fmt.Errorf("exec: question %s could not be put: %w", q.ID, err))
}

// consult asks, no longer than the deadline. Where the deadline has passed
// already, the escalator is asked once more for an answer that came in time.
func (e *execution) consult(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if a, ok := e.answeredBefore(ctx, q); ok {
		return a, nil
	}
	if e.c.Escalator == nil {
		return ask.Answer{}, fmt.Errorf("%w: nobody is there to be asked", ask.ErrNoAnswer)
	}
	if !q.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(q.Deadline.Sub(e.c.now()), afterDeadline))
		defer cancel()
	}
	a, err := put(ctx, e.c.Escalator, q)
	if err == nil && a.At.IsZero() {
		a.At = e.c.now().UTC()
	}
	return heard(a), err
}

// put asks; a panic of the escalator is a way to ask that is broken.
func put(ctx context.Context, x Escalator, q ask.Question) (a ask.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exec: the escalator panicked: %v", p)
		}
	}()
	return x.Ask(ctx, q)
}

// heard is an answer as the journal takes it: what was said freely is text, and not endless.
func heard(a ask.Answer) ask.Answer {
	for _, text := range []*string{&a.Reason, &a.By, &a.Confirmed, (*string)(&a.Remember)} {
		*text = clip(strings.ToValidUTF8(*text, "\uFFFD"), reasonKept)
	}
	return a
}

// refuse ends a step because nobody let it go on.
func (e *execution) refuse(ctx context.Context, s *history.Step, q ask.Question, why error) error {
	said := clip(why.Error(), longest)
	if q.Kind == ask.Stage { // what needs the speclet is blocked when its turn comes
		return e.record(ctx, of(s, q.Attempt), &history.Unanswered{Question: q.ID, Why: said, Final: true})
	}
	if by := e.blocker(s); q.Kind == ask.Dependency && by != nil { // blocked, and no failure of its own
		return e.leaveOut(ctx, s, &history.Unanswered{Question: q.ID, Why: said, Final: true}, e.blockedBy(s, by))
	}
	err := e.record(ctx, of(s, q.Attempt),
		&history.Unanswered{Question: q.ID, Why: said, Final: true}, e.undecided(s, q, said))
	if err != nil {
		return err
	}
	e.notify(e.c.Observer.StepDone, Event{History: s, Err: failure(s)})
	return nil
}

// undecided is what becomes of a step about which nobody decided: it has failed. Where the plan itself, or going back, is in question, the run ends.
func (e *execution) undecided(s *history.Step, q ask.Question, why string) *history.StepFailed {
	_, step := e.step(s)
	return &history.StepFailed{Class: e.class(s), Halts: e.halts(s, step) || q.Kind == ask.Obsolete || q.Kind == ask.Rollback,
		Reasons: slices.Concat(e.reasons(s, q), []string{"nobody decided otherwise: " + why})}
}

// halts reports whether the failure of a step ends the run: where the plan says
// to block, or to ask and nobody decided, where the step cannot be undone, and
// for a critical step where the plan's strategy is to halt.
func (e *execution) halts(s *history.Step, step *plan.Step) bool {
	switch {
	case step.OnFailure == plan.Block, step.OnFailure == plan.Ask, step.Rollback == plan.Irreversible:
		return true
	}
	return e.class(s) == history.Nondeterministic || s.Critical && e.strategy() == plan.HaltOnCritical
}

// class is what a step failed of.
func (e *execution) class(s *history.Step) history.Class {
	if f := s.Refusal; f != nil {
		return f.Class
	}
	if a := s.Last(); a != nil && a.Failure != nil {
		return a.Failure.Class
	}
	return history.Refused
}

// reasons are why a step failed.
func (e *execution) reasons(s *history.Step, q ask.Question) []string {
	if f := s.Refusal; f != nil {
		return f.Reasons
	}
	if a := s.Last(); a != nil && a.Failure != nil {
		return a.Failure.Reasons
	}
	return []string{q.Why}
}

// failure is the error that a step which did not succeed stands for.
func failure(s *history.Step) error {
	switch {
	case s.Failed != nil:
		return &StepError{Step: s.Address, Class: s.Failed.Class, Reasons: s.Failed.Reasons}
	case s.Blocked != nil:
		return &StepError{Step: s.Address, Class: history.Refused, Reasons: []string{s.Blocked.Why}}
	}
	return nil
}
