package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
)

// instruments are what is counted and measured.
type instruments struct {
	runs, steps, attempts, gates measure
	recoveries, questions        metric.Int64Counter
	tokens                       metric.Int64Counter
	cost                         metric.Float64Counter
}

// A measure counts what ended, and how long it took.
type measure struct {
	count    metric.Int64Counter
	duration metric.Float64Histogram
}

// newInstruments makes all instruments.
func newInstruments(m metric.Meter) (*instruments, error) {
	var faults []error
	counter := func(name, unit, what string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		faults = append(faults, err)
		return c
	}
	timed := func(count, duration, unit, what string) measure {
		h, err := m.Float64Histogram(duration, metric.WithUnit("s"), metric.WithDescription("how long "+what+" took"),
			metric.WithExplicitBucketBoundaries(.01, .1, .5, 1, 5, 15, 60, 300, 900, 3600, 4*3600, 24*3600))
		faults = append(faults, err)
		return measure{counter(count, unit, what+" that ended"), h}
	}
	cost, err := m.Float64Counter(MetricCost, metric.WithUnit("USD"),
		metric.WithDescription("what attempts and advice cost"))
	all := &instruments{
		runs:       timed(MetricRuns, MetricRunDuration, "{run}", "runs"),
		steps:      timed(MetricSteps, MetricStepDuration, "{step}", "steps"),
		attempts:   timed(MetricAttempts, MetricAttemptDuration, "{attempt}", "attempts"),
		gates:      timed(MetricGates, MetricGateDuration, "{judgement}", "judgements"),
		recoveries: counter(MetricRecoveries, "{decision}", "decisions about what follows a failure"),
		questions:  counter(MetricQuestions, "{question}", "questions put to persons"),
		tokens:     counter(MetricTokens, "{token}", "tokens that attempts and advice used"),
		cost:       cost,
	}
	return all, errors.Join(append(faults, err)...)
}

// record counts and measures what an event tells.
func (all *instruments) record(e event.Event, over ending) {
	switch f := e.Fact.(type) {
	case *history.Recovery:
		all.recoveries.Add(context.Background(), 1, metric.WithAttributes(text(AttrRecovery, f.Rung)))
	case *history.Asked:
		all.questions.Add(context.Background(), 1)
	case *history.AttemptEnded:
		if a := attemptOf(e); a != nil {
			all.spend(f.Tokens, f.Cost, executor(a))
		}
	case *history.Advised:
		all.spend(f.Cost.Tokens, f.Cost.Cost, text(AttrExecutor, "advisor"))
	}
	for _, j := range over.gates {
		all.gates.add(took(j), text(AttrGate, j.Gate), verdict(j))
	}
	if a := over.attempt; a != nil {
		all.attempts.add(e.Time.Sub(a.Started), executor(a), outcome(a))
	}
	if s := over.step; s != nil {
		all.steps.add(s.Over.Sub(earlier(s.Started, s.Over)), text(AttrStatus, string(s.Status)))
	}
	if over.run {
		all.runs.add(e.Time.Sub(e.State.Begun), text(AttrStatus, string(e.State.Status)))
	}
}

// add counts one that ended.
func (m measure) add(took time.Duration, of ...attribute.KeyValue) {
	set := metric.WithAttributeSet(attribute.NewSet(of...))
	m.count.Add(context.Background(), 1, set)
	m.duration.Record(context.Background(), max(took, 0).Seconds(), set)
}

// spend counts what somebody used.
func (all *instruments) spend(tokens int64, cost history.Money, by attribute.KeyValue) {
	if tokens > 0 {
		all.tokens.Add(context.Background(), tokens, metric.WithAttributes(by))
	}
	if cost > 0 {
		all.cost.Add(context.Background(), inDollars(cost), metric.WithAttributes(by))
	}
}
