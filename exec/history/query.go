package history

import (
	"iter"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// A Query picks records of a journal. The zero value picks all of them.
type Query struct {
	Step    plan.Address // only of this step
	Attempt int          // only of this attempt
	Types   []string     // only of these types
	Since   time.Time    // only from then on
	Until   time.Time    // only before then
}

// Matches reports whether the query picks a record.
func (q Query) Matches(rec record.Record) bool {
	return (q.Step == "" || rec.Step == string(q.Step)) && (q.Attempt == 0 || rec.Attempt == q.Attempt) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, rec.Type)) &&
		!rec.Time.Before(q.Since) && (q.Until.IsZero() || rec.Time.Before(q.Until))
}

// Select yields the records that the query picks, in order. It reads no more of
// records than is asked for, and hands on the error that ends them.
func (q Query) Select(records iter.Seq2[record.Record, error]) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for rec, err := range records {
			if err != nil {
				yield(rec, err)
				return
			}
			if q.Matches(rec) && !yield(rec, nil) {
				return
			}
		}
	}
}
