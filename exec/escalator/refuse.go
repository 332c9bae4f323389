package escalator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec/ask"
)

// Refuse answers nothing: every question is refused at once.
type Refuse struct {
	Why string // what the error says; "" says that nobody is there to answer
}

// Ask returns [ask.ErrNoAnswer], with the reason, or the end of ctx.
func (r Refuse) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if ctx.Err() != nil {
		return ask.Answer{}, stopped(ctx, q, time.Now())
	}
	why := r.Why
	if why == "" {
		why = "nobody is there to answer"
	}
	return ask.Answer{}, noAnswer(q, "%s", why)
}

func noAnswer(q ask.Question, format string, args ...any) error {
	return fmt.Errorf("%w to question %q: %w", ask.ErrNoAnswer, q.ID, fmt.Errorf(format, args...))
}

// stopped says that ctx ended while q was asked. That decides nothing, unless
// ctx ended by itself because q's deadline is its own.
func stopped(ctx context.Context, q ask.Question, now time.Time) error {
	if expired(ctx, q, now) {
		return noAnswer(q, "its deadline %s has passed", showTime(q.Deadline))
	}
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == cause {
		return fmt.Errorf("ask: question %q was not answered: %w", q.ID, err)
	}
	return fmt.Errorf("ask: question %q was not answered: %w: %w", q.ID, err, cause)
}

// expired says whether ctx ended because q's deadline came.
func expired(ctx context.Context, q ask.Question, now time.Time) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) && !q.Deadline.IsZero() && !now.Before(q.Deadline)
}

// begin returns why q is not even asked: ctx has ended, the deadline has
// passed, or q cannot be answered.
func begin(ctx context.Context, q ask.Question, now time.Time) error {
	if ctx.Err() != nil {
		return stopped(ctx, q, now)
	}
	if err := q.Answerable(); err != nil {
		return err
	}
	if q.Late(now) {
		return noAnswer(q, "its deadline %s has passed", showTime(q.Deadline))
	}
	return nil
}

// clock is the time in UTC, by the clock that was given or by the system's.
func clock(now func() time.Time) time.Time {
	if now == nil {
		now = time.Now
	}
	return now().UTC()
}

func showTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
