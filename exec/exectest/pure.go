package exectest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
)

// RunRung checks a rung against the rules of [recovery.Rung], in each of some
// situations: it decides by the situation alone, so the same each time and by
// several calls at a time, leaves it as it was, has one name, and wants one
// thing at most.
func RunRung(t testing.TB, r recovery.Rung, situations ...recovery.Situation) {
	t.Helper()
	for i, s := range situations {
		name := fmt.Sprintf("situation %d", i+1)
		try(t, name, "Try is a function of the situation, and wants one thing", func() error {
			err := pure(r.Name, func() any {
				next, ok := r.Try(s)
				return []any{next, ok}
			}, s.Step, s.History, s.Failure, s.Run)
			if next, ok := r.Try(s); ok && next.Method != "" && next.Ask {
				err = errors.Join(err, errors.New("it wants a method tried and a person asked"))
			}
			return err
		})
	}
}

// RunReviewer checks a reviewer against the rules of [review.Reviewer]. fresh makes
// a request that it can review.
func RunReviewer(t testing.TB, x review.Reviewer, fresh func() review.Request) {
	t.Helper()
	ask := func(ctx context.Context) error {
		_, err := x.Review(ctx, fresh())
		return err
	}
	try(t, "name", "Name is one, and not empty", func() error { return oneName(x.Name) })
	try(t, "untouched", "Review leaves the request as it was", func() error {
		shown := fresh()
		before := spelled(shown)
		_, err := x.Review(context.Background(), shown)
		return errors.Join(err, same(before, spelled(shown), "it changed the request"))
	})
	try(t, "stopped", "Review returns an error when its context has ended", func() error { return stops(ask) })
	try(t, "concurrent", "Review serves requests at a time",
		func() error { return twice(func() error { return ask(context.Background()) }) })
}

// oneName wants a name that stays: journals refer to it.
func oneName(name func() string) error {
	if first := name(); first == "" || name() != first {
		return errors.New("its name is empty, or another one each time")
	}
	return nil
}

// pure says what shows that look is no function of what it looks at.
func pure(name func() string, look func() any, at ...any) error {
	before, said := spelled(at...), spelled(look())
	changed := same(before, spelled(at...), "it changed what it looked at")
	return errors.Join(oneName(name), changed, twice(func() error {
		return same(said, spelled(look()), "it decides another thing each time")
	}))
}
