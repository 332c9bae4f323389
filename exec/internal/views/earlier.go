package views

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/plan"
)

// Earlier tells how a run stood at records of its journal. Asked for one after
// another it reads the journal once. planOf is the plan that a run has. The
// caller calls stop when nothing more is asked.
func Earlier(records iter.Seq2[record.Record, error], planOf func(*history.Run) (*plan.Plan, error)) (
	earlier document.Earlier, stop func()) {
	e := &reader{records: records, planOf: planOf, stop: func() {}}
	return e.at, func() { e.stop() }
}

// Reread has earlier checkpoints drawn from the journal of a run, looked at from
// outside, until stop is called.
func Reread(ctx context.Context, h home.Home, m *document.Model, run *history.Run) (stop func()) {
	earlier, stop := Earlier(func(yield func(record.Record, error) bool) {
		err := h.Each(ctx, run.Started.Run, func(rec record.Record) error {
			if !yield(rec, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(record.Record{}, err)
		}
	}, func(then *history.Run) (*plan.Plan, error) { return h.Plan(ctx, then) })
	m.Reread(earlier)
	return stop
}

var errEnough = errors.New("enough was read")

// A reader folds a journal as far as it is asked to.
type reader struct {
	records iter.Seq2[record.Record, error]
	planOf  func(*history.Run) (*plan.Plan, error)
	run     *history.Run
	plan    *plan.Plan
	next    func() (record.Record, error, bool)
	stop    func()
}

func (r *reader) at(seq uint64) (*plan.Plan, *history.Run, error) {
	if r.run == nil || r.run.Head.Seq > seq {
		r.stop()
		r.run, r.plan = &history.Run{}, nil
		r.next, r.stop = iter.Pull2(r.records)
	}
	bound := r.run.Started.Plan
	for r.run.Head.Seq < seq {
		rec, err, more := r.next()
		if err == nil && !more {
			err = fmt.Errorf("exec: the journal has no record %d", seq)
		}
		if err == nil {
			err = r.run.Apply(rec)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if r.plan == nil || r.run.Started.Plan != bound {
		p, err := r.planOf(r.run)
		if err != nil {
			return nil, nil, err
		}
		r.plan = p
	}
	return r.plan, r.run, nil
}
