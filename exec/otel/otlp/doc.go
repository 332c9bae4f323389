// Package otlp brings what package otel tells of a run to a collector: OTLP over
// HTTP, as JSON.
//
//	to, err := otlp.New(otlp.Config{Endpoint: "http://localhost:4318"})
//	if err != nil {
//		return err
//	}
//	c := exec.Controller{Observe: to.Observe}
//	…
//	err = to.Close(ctx)
//
// It is for programs that would not link the SDK's exporters, which bring
// Protocol Buffers and gRPC and are six times as large. Nobody waits for the
// collector but Close: what it does not take in time is dropped.
package otlp
