// Package otel tells OpenTelemetry what happens in a run: a trace of each run,
// with a span for each task, step, attempt and gate, and metrics.
//
//	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithIDGenerator(otel.IDs{}))
//	observe, err := otel.Observer(traces, metrics)
//	if err != nil {
//		return err
//	}
//	c := exec.Controller{Observe: observe}
//
// A span is made when what it tells of is over, out of the journal: its times are
// those of the records, and its id follows from the run and what it is about. So
// a run has one trace, however many processes carry it out, and a recorded run
// that is told once more, by exec.Workspace.Follow, yields the same spans. The
// spans of the run itself and of its tasks come last, when it is sealed: until
// then those of its steps name parents that nobody has seen yet.
//
// Spans carry names, numbers and verdicts. Texts of plans, output, findings,
// reasons, answers and contents of files are never among them. All names are
// constants here; docs/telemetry.md has them in a table.
//
// What is not told: when a gate began is computed from how long it took, and
// what was under way when a run was set back has no span.
package otel
