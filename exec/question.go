package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/engine"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/internal/session"
)

// afterDeadline is how long an escalator may look for an answer that came in
// time, when the deadline has passed already.
const afterDeadline = time.Second

// mistakes is how many answers to one question may not count before nobody is
// asked any more.
const mistakes = 3

// reasonKept is how much of what a person says freely stands in the journal, in
// bytes.
const reasonKept = 64 << 10

// date says when a question is asked, and until when it waits.
func (e *execution) date(q *ask.Question) {
	q.Asked = e.c.now().UTC()
	if e.c.Patience > 0 {
		q.Deadline = q.Asked.Add(e.c.Patience)
	}
}

// put puts the question that is open, and has what comes of it recorded.
func (e *execution) put(ctx context.Context, s *history.Step, q ask.Question) error {
	if q.Kind == ask.Obsolete || q.Kind == ask.Rollback {
		if err := e.withdraw(ctx); err != nil {
			return err
		}
	}
	about := event.Event{Kind: event.Asking, Attempt: q.Attempt, Question: &q}
	if s != nil {
		about.Step = s.Address
	}
	e.Tell(about)
	e.Rec.Seen.Disturb(contract.PersonAsked)
	var err error
	for range mistakes {
		var a ask.Answer
		if a, err = e.consult(ctx, q); err != nil {
			break
		}
		if err = q.Check(a); err == nil {
			return e.settle(ctx, s, q, a)
		}
		if err := e.Rec.Record(ctx, history.Of(s, q.Attempt),
			&history.Unanswered{Question: q.ID, Why: bound.Text(err.Error(), bound.Line)}); err != nil {
			return err
		}
	}
	var mistaken *ask.RefusedError
	switch {
	case errors.Is(err, ask.ErrWaiting):
		return e.Pause(ctx, "waiting", fmt.Errorf("%w for an answer to question %s: %s", ErrWaiting, q.ID, q.What))
	case session.Interrupted(ctx):
		return e.Pause(ctx, "interrupted", context.Cause(ctx))
	case errors.Is(err, ask.ErrNoAnswer), errors.As(err, &mistaken), !q.Deadline.IsZero() &&
		!e.c.now().Before(q.Deadline):
		return e.note(ctx, e.Decider().Refuse(e.Rec.Run, err.Error()))
	}
	// Nobody refused: the way to whoever answers is broken.
	return e.Pause(ctx, "question "+q.ID+" could not be put",
		fmt.Errorf("exec: question %s could not be put: %w", q.ID, err))
}

// settle makes an answer part of the record, with all that follows from it at
// once. What follows later is decided from the history.
func (e *execution) settle(ctx context.Context, s *history.Step, q ask.Question, a ask.Answer) error {
	facts := e.Decider().Settle(e.Rec.Run, engine.Answer{Answer: a, Memory: ulid.Make().String()})
	if err := e.Rec.RecordAll(ctx, facts...); err != nil {
		return err
	}
	e.keepRemembered(ctx)
	switch {
	case a.Choice == question.Stop:
		return e.Pause(ctx, "stopped", fmt.Errorf("%w: stopped at step %s by %s", ErrWaiting, s.Address, a.By))
	case q.Kind == ask.Obsolete && a.Choice == question.Replan && e.Rec.Run.AskedUnder(q.ID) == e.Rec.Run.Started.Plan:
		return e.Pause(ctx, "the plan no longer holds", fmt.Errorf("%w: the plan no longer holds, says %s: lock and run another one, or amend it", ErrWaiting, a.By))
	}
	return nil
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

// heard is an answer as the journal takes it: what was said freely is text, and
// not endless.
func heard(a ask.Answer) ask.Answer {
	for _, text := range []*string{&a.Reason, &a.By, &a.Confirmed, (*string)(&a.Remember)} {
		*text = bound.Text(strings.ToValidUTF8(*text, "\uFFFD"), reasonKept)
	}
	return a
}
