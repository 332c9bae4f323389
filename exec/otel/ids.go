package otel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"go.opentelemetry.io/otel/trace"
)

// TraceID is the trace of a run: the first 16 bytes of the SHA-256 of "planlock
// run ID".
func TraceID(run string) trace.TraceID {
	sum := sha256.Sum256([]byte("planlock run " + run))
	return trace.TraceID(sum[:16])
}

// spanID is the span of what a key names in a run.
func spanID(run, key string) trace.SpanID {
	sum := sha256.Sum256(fmt.Appendf(nil, "planlock span %q %q", run, key))
	return trace.SpanID(sum[:8])
}

// IDs makes the ids of spans, for sdktrace.WithIDGenerator: those of [Observer]
// follow from the run, so that all who carry it out tell of one trace. Spans of
// anybody else get ids at random. The zero value is ready, and safe for
// concurrent use.
type IDs struct{}

// wanted is the key of a context for the ids that the next span gets.
type wanted struct{}

// withIDs has [IDs] give the next span its ids.
func withIDs(ctx context.Context, ids trace.SpanContextConfig) context.Context {
	return context.WithValue(ctx, wanted{}, ids)
}

// NewIDs are the ids of a span that begins a trace.
func (g IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if ids, ok := ctx.Value(wanted{}).(trace.SpanContextConfig); ok {
		return ids.TraceID, ids.SpanID
	}
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // never fails
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID is the id of a span within a trace.
func (IDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if ids, ok := ctx.Value(wanted{}).(trace.SpanContextConfig); ok {
		return ids.SpanID
	}
	var id trace.SpanID
	_, _ = rand.Read(id[:])
	return id
}
