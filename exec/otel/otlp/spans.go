package otlp

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
)

// spanExporter hands spans to an exporter. It never fails, so that the SDK says
// nothing.
type spanExporter struct{ to *Exporter }

type (
	traceMessage struct {
		Resources []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		About  about        `json:"resource"`
		Scopes []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		Trace      string `json:"traceId"`
		ID         string `json:"spanId"`
		Parent     string `json:"parentSpanId,omitempty"`
		Name       string `json:"name"`
		Kind       int    `json:"kind"`
		From       string `json:"startTimeUnixNano"`
		To         string `json:"endTimeUnixNano"`
		Attributes []pair `json:"attributes,omitempty"`
		Links      []link `json:"links,omitempty"`
		Status     status `json:"status"`
	}
	link struct {
		Trace      string `json:"traceId"`
		ID         string `json:"spanId"`
		Attributes []pair `json:"attributes,omitempty"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
)

// ExportSpans brings the collector spans. All are of one resource and scope.
func (s spanExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	of := scopeSpans{Scope: scopeOf(spans[0].InstrumentationScope())}
	for _, one := range spans {
		of.Spans = append(of.Spans, spanOf(one))
	}
	s.to.post(ctx, "v1/traces", traceMessage{[]resourceSpans{{aboutOf(spans[0].Resource()), []scopeSpans{of}}}})
	return nil
}

// Shutdown does nothing: the exporter holds nothing back.
func (spanExporter) Shutdown(context.Context) error { return nil }

// spanOf is a span in the words of OTLP, whose codes and kinds have other numbers.
func spanOf(s trace.ReadOnlySpan) span {
	made := span{Trace: s.SpanContext().TraceID().String(), ID: s.SpanContext().SpanID().String(), Name: s.Name(),
		Kind: 1, From: nanoseconds(s.StartTime()), To: nanoseconds(s.EndTime()), Attributes: pairs(s.Attributes())}
	if s.Parent().HasSpanID() {
		made.Parent = s.Parent().SpanID().String()
	}
	switch s.Status().Code {
	case codes.Ok:
		made.Status.Code = 1
	case codes.Error:
		made.Status = status{2, s.Status().Description}
	}
	for _, l := range s.Links() {
		made.Links = append(made.Links, link{l.SpanContext.TraceID().String(), l.SpanContext.SpanID().String(),
			pairs(l.Attributes)})
	}
	return made
}
