package otlp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/otel"
)

// A Config says where a collector is.
type Config struct {
	Endpoint string      // its URL, below which /v1/traces and /v1/metrics are
	Header   http.Header // of each request; for a key, say
	Service  string      // service.name, where OTEL_SERVICE_NAME says nothing; "planlock" if empty
}

// Environment is what the variables of OpenTelemetry say: OTEL_EXPORTER_OTLP_ENDPOINT
// and OTEL_EXPORTER_OTLP_HEADERS. False if there is nobody to tell: no endpoint, or
// OTEL_SDK_DISABLED.
func Environment(getenv func(string) string) (Config, bool, error) {
	c := Config{Endpoint: getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), Header: http.Header{}}
	if c.Endpoint == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return Config{}, false, nil
	}
	if protocol := getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); protocol != "" && !strings.HasPrefix(protocol, "http/") {
		return Config{}, false, fmt.Errorf("otlp: OTEL_EXPORTER_OTLP_PROTOCOL is %q: only HTTP is spoken", protocol)
	}
	for pair := range strings.SplitSeq(getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil { // the value is a secret
			return Config{}, false, errors.New("otlp: OTEL_EXPORTER_OTLP_HEADERS is no list of NAME=VALUE")
		}
		c.Header.Set(name, value)
	}
	return c, true, nil
}

// An Exporter tells a collector of runs. See New.
type Exporter struct {
	base    *url.URL
	header  http.Header
	client  http.Client
	traces  *trace.TracerProvider
	metrics *metric.MeterProvider
	observe func(context.Context, event.Event)

	mutex sync.Mutex
	fault error // the first
}

// New makes an exporter. It speaks to nobody before there is something to tell.
func New(c Config) (*Exporter, error) {
	base, err := url.Parse(c.Endpoint)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("otlp: the endpoint is no URL of a collector, as http://localhost:4318")
	}
	about, err := resource.New(context.Background(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", cmp.Or(c.Service, "planlock"))), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	e := &Exporter{base: base, header: c.Header}
	// The headers are for this collector alone.
	e.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	e.traces = trace.NewTracerProvider(trace.WithBatcher(spanExporter{e}), trace.WithIDGenerator(otel.IDs{}),
		trace.WithResource(about))
	e.metrics = metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(metricExporter{e})),
		metric.WithResource(about))
	e.observe, err = otel.Observer(e.traces, e.metrics)
	return e, err
}

// Observe is for exec.Controller.Observe. It returns at once.
func (e *Exporter) Observe(ctx context.Context, told event.Event) { e.observe(ctx, told) }

// Close brings the collector what it was not told yet, and waits until ctx ends.
// The error says what went wrong first, also earlier.
func (e *Exporter) Close(ctx context.Context) error {
	var both sync.WaitGroup
	both.Go(func() { e.note(e.traces.Shutdown(ctx)) })
	both.Go(func() { e.note(e.metrics.Shutdown(ctx)) })
	both.Wait()
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.fault
}

// note keeps the first error. The SDK would print it in the middle of a run.
func (e *Exporter) note(err error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.fault == nil {
		e.fault = err
	}
}

// mostTime is how long one request may take.
const mostTime = 10 * time.Second

// post brings the collector one message. What it does not take is dropped.
func (e *Exporter) post(ctx context.Context, path string, message any) {
	body, err := json.Marshal(message)
	if err != nil {
		e.note(fmt.Errorf("otlp: %w", err))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	at := e.base.JoinPath(path).String()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		e.note(fmt.Errorf("otlp: %w", err))
		return
	}
	for name, values := range e.header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	var failed *url.Error
	switch {
	case errors.As(err, &failed): // which names the URL as a whole
		e.note(fmt.Errorf("otlp: the collector at %s cannot be reached: %w", e.base.Host, failed.Err))
		return
	case err != nil:
		e.note(fmt.Errorf("otlp: %w", err))
		return
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection serves again
	if response.StatusCode/100 != 2 {
		e.note(fmt.Errorf("otlp: the collector at %s answers %s", e.base.Host, response.Status))
	}
}
