package ask

import (
	"context"
	"fmt"
	"time"
)

// Refuse answers nothing: every question is refused at once.
type Refuse struct {
	Why string // what the error says; "" says that nobody is there to answer
}

// Ask returns [ErrNoAnswer], with the reason, or the end of ctx.
func (r Refuse) Ask(ctx context.Context, q Question) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{}, stopped(ctx, q)
	}
	why := r.Why
	if why == "" {
		why = "nobody is there to answer"
	}
	return Answer{}, noAnswer(q, "%s", why)
}

func noAnswer(q Question, format string, args ...any) error {
	return fmt.Errorf("%w to question %q: %w", ErrNoAnswer, q.ID, fmt.Errorf(format, args...))
}

// stopped says that ctx ended while q was asked, which decides nothing.
func stopped(ctx context.Context, q Question) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == cause {
		return fmt.Errorf("ask: question %q was not answered: %w", q.ID, err)
	}
	return fmt.Errorf("ask: question %q was not answered: %w: %w", q.ID, err, cause)
}

// begin returns why q is not even asked: ctx has ended, the deadline has passed, or q cannot be answered.
func begin(ctx context.Context, q Question, now time.Time) error {
	if ctx.Err() != nil {
		return stopped(ctx, q)
	}
	if err := q.answerable(); err != nil {
		return err
	}
	if q.late(now) {
		return noAnswer(q, "its deadline %s has passed", showTime(q.Deadline))
	}
	return nil
}

func clock(now func() time.Time) time.Time {
	if now == nil {
		now = time.Now
	}
	return now().UTC()
}
