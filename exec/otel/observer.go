package otel

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// ErrIDs says that a tracer provider makes ids of its own, with which the spans
// of a run would not find each other: give it sdktrace.WithIDGenerator(otel.IDs{}).
var ErrIDs = errors.New("otel: the tracer provider does not have the ids of this package: give it " +
	"WithIDGenerator(otel.IDs{})")

// Observer is a function for exec.Controller.Observe that tells of runs: spans to
// traces, metrics to metrics. Either may be nil, and is not told then. [ErrIDs] if
// traces makes ids of its own.
//
// It does not wait for anybody, as far as the providers do not: sdktrace's batcher
// drops what it has no room for. It may be told of several runs, also at once.
func Observer(traces trace.TracerProvider, metrics metric.MeterProvider) (
	func(context.Context, event.Event), error) {
	o := &observer{}
	if traces != nil {
		o.tracer = traces.Tracer(Scope)
		if _, made := o.sampled("probe"); made.IsValid() && made.SpanID() != spanID("probe", keyRun) {
			return nil, ErrIDs
		}
	}
	if metrics != nil {
		all, err := newInstruments(metrics.Meter(Scope))
		if err != nil {
			return nil, err
		}
		o.metrics = all
	}
	return o.observe, nil
}

// An observer knows nothing of a run but whether its trace is sampled.
type observer struct {
	tracer  trace.Tracer // nil: no spans
	metrics *instruments // nil: no metrics
	flags   sync.Map     // run -> trace.TraceFlags, while it is under way
}

// observe tells of one event.
func (o *observer) observe(_ context.Context, e event.Event) {
	if e.Fact == nil || e.State == nil {
		return
	}
	ended := ended(e)
	if o.metrics != nil {
		o.metrics.record(e, ended)
	}
	if o.tracer == nil {
		return
	}
	for _, s := range spans(e, ended) {
		o.emit(e.Run, s)
	}
	switch e.Kind {
	case event.Waiting, event.Paused, event.Cancelled, event.Ended:
		o.flags.Delete(e.Run)
	}
}

// What a fact ended.
type ending struct {
	step    *history.Step
	attempt *history.Attempt
	gates   []gate.Judgement
	run     bool
}

// ended is what the fact of an event ended: what there is a span of then, and a
// measure.
func ended(e event.Event) ending {
	var over ending
	switch f := e.Fact.(type) {
	case *history.Started:
		over.gates = f.Planning
	case *history.Judged:
		over.gates = *f
	case *history.AttemptFailed:
		if e.Attempt != 0 {
			over.attempt = attemptOf(e)
		}
	case *history.StepCompleted:
		over.step, over.attempt = e.OfStep(), attemptOf(e)
	case *history.StepCarried, *history.StepFailed, *history.StepSkipped, *history.StepBlocked:
		over.step = e.OfStep()
	}
	over.run = e.Kind == event.Ended
	return over
}

// attemptOf is the attempt that a fact about a step concerns: the latest one that
// began before it. The state may be later than the fact. Nil if there is none.
func attemptOf(e event.Event) *history.Attempt {
	step := e.OfStep()
	if step == nil {
		return nil
	}
	for _, a := range slices.Backward(slices.Concat(step.Undone, step.Attempts)) {
		if a.At < e.Seq {
			return a
		}
	}
	return nil
}

// sampled asks the provider whether a run is recorded, by a span of the run that
// is never ended and so never told; made is the context of that span.
func (o *observer) sampled(run string) (trace.TraceFlags, trace.SpanContext) {
	ids := trace.SpanContextConfig{TraceID: TraceID(run), SpanID: spanID(run, keyRun)}
	_, span := o.tracer.Start(withIDs(context.Background(), ids), SpanRun, trace.WithNewRoot())
	made := span.SpanContext()
	return made.TraceFlags() & trace.FlagsSampled, made
}

// emit has a span made whose times are past.
func (o *observer) emit(run string, s span) {
	flags, ok := o.flags.Load(run)
	if !ok {
		flags, _ = o.sampled(run)
		o.flags.Store(run, flags)
	}
	ids := trace.SpanContextConfig{TraceID: TraceID(run), SpanID: spanID(run, s.key)}
	ctx := withIDs(context.Background(), ids)
	options := []trace.SpanStartOption{trace.WithTimestamp(s.from), trace.WithAttributes(s.attributes...)}
	switch {
	case s.parent == "":
		options = append(options, trace.WithNewRoot())
	default:
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: ids.TraceID, SpanID: spanID(run, s.parent), TraceFlags: flags.(trace.TraceFlags), Remote: true}))
	}
	for _, l := range s.links {
		options = append(options, trace.WithLinks(trace.Link{Attributes: l.attributes,
			SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: ids.TraceID, SpanID: spanID(run, l.to),
				TraceFlags: flags.(trace.TraceFlags)})}))
	}
	_, made := o.tracer.Start(ctx, s.name, options...)
	made.SetStatus(s.status, s.why)
	made.End(trace.WithTimestamp(s.to))
}
